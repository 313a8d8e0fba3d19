// SPDX-License-Identifier: BSD-2-Clause
// Tables that others wrote, as they print them: sfdisk, sgdisk and parted on image files. The facts of their
// listings and those of the bytes are the same. Skips where a tool is not installed.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "probes/capture/assemble.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

class TableTools : public ::testing::Test {
 protected:
    std::string image(std::uint64_t bytes = 64 * MiB) const {
        const std::string path = folder_.path("sda.img");
        unlink(path.c_str());
        const int fd = open(path.c_str(), O_CREAT | O_RDWR | O_EXCL, 0600);
        EXPECT_EQ(ftruncate(fd, static_cast<off_t>(bytes)), 0);
        close(fd);
        return path;
    }
    // What the tool printed; nothing when it is not installed.
    std::optional<std::string> run(const std::vector<std::string>& argv) {
        const auto outcome = runner_.run(argv, {});
        if (!outcome) return std::nullopt;
        EXPECT_EQ(outcome->exit_status, 0) << argv[0] << ": " << outcome->errors;
        return outcome->output;
    }
    // A listing of the image as that of /dev/sda.
    static HostFacts listed(const std::string& command, std::string output, const std::string& path) {
        for (std::size_t at; (at = output.find(path)) != std::string::npos;)
            output.replace(at, path.size(), "/dev/sda");
        Capture capture;
        capture.documents.push_back({"listing", "# " + command + " /dev/sda\n" + output, {}});
        auto facts = assemble(capture);
        EXPECT_TRUE(facts.ok()) << output;
        return facts ? std::move(*facts) : HostFacts{};
    }
    static HostFacts of_bytes(const std::string& path) {
        const auto capture = load_input(path);
        EXPECT_TRUE(capture.ok());
        auto facts = assemble(*capture);
        EXPECT_TRUE(facts.ok());
        return facts ? std::move(*facts) : HostFacts{};
    }
    // Every partition of the listing stands in the facts of the bytes, with the same figures, and no other.
    static void expect_same(const HostFacts& text, const HostFacts& bytes, bool types) {
        EXPECT_EQ(text.partitions.size(), bytes.partitions.size());
        for (const Partition& p : text.partitions) {
            SCOPED_TRACE(p.name);
            const auto at = std::find_if(bytes.partitions.begin(), bytes.partitions.end(),
                                         [&](const Partition& q) { return q.name == p.name; });
            ASSERT_NE(at, bytes.partitions.end());
            EXPECT_EQ(*at->start_bytes, *p.start_bytes);
            EXPECT_EQ(*at->size_bytes, *p.size_bytes);
            EXPECT_EQ(*at->index, *p.index);
            if (types) {
                EXPECT_EQ(*at->type, *p.type);
            }
            if (p.label) {
                EXPECT_EQ(at->label.value_or("-"), *p.label);
            }
            if (p.attributes) {
                EXPECT_EQ(*at->attributes, *p.attributes);
            }
        }
    }

    test::TemporaryFolder folder_;
    ProcessRunner runner_;
};

TEST_F(TableTools, SfdiskDos) {
    const std::string path = image();
    const std::string script =
        "label: dos\\n2048,20480,83,*\\n24576,10240,82\\n40960,65536,5\\n43008,4096,83\\n"
        "49152,8192,a9\\n63488,1024,a5\\n";
    if (!run({"sh", "-c", "command -v sfdisk >/dev/null && printf '" + script + "' | sfdisk -q " + path}))
        GTEST_SKIP() << "sfdisk is not installed";
    const auto dump = run({"sfdisk", "-d", path});
    if (!dump) GTEST_SKIP() << "sfdisk is not installed";
    expect_same(listed("sfdisk -d", *dump, path), of_bytes(path), true);
}

TEST_F(TableTools, SgdiskGpt) {
    const std::string path = image();
    std::vector<std::string> make{"sgdisk", "-o"};
    for (int i = 1; i <= 9; ++i)
        for (const std::string& word :
             {std::string("-n"), fmt::format("{}:{}:{}", i, 2048 * i + 34 * (i % 3), 2048 * i + 1500),
              std::string("-c"), fmt::format("{}:part{}", i, i), std::string("-t"),
              fmt::format("{}:{}", i, i % 2 ? "8300" : "a503")})
            make.push_back(word);
    make.push_back(path);
    if (!run(make)) GTEST_SKIP() << "sgdisk is not installed";
    const auto print = run({"sgdisk", "-p", path});
    ASSERT_TRUE(print);
    const HostFacts text = listed("sgdisk -p", *print, path), bytes = of_bytes(path);
    expect_same(text, bytes, false);
    const auto table = [](const HostFacts& facts) {
        return std::find_if(facts.tables.begin(), facts.tables.end(),
                            [](const PartitionTable& t) { return t.scheme.is(Scheme::gpt); });
    };
    ASSERT_NE(table(bytes), bytes.tables.end());
    EXPECT_EQ(*table(bytes)->total_bytes, *table(text)->total_bytes);
    EXPECT_EQ(*table(bytes)->first_usable_bytes, *table(text)->first_usable_bytes);
    EXPECT_EQ(*table(bytes)->last_usable_bytes, *table(text)->last_usable_bytes);
    EXPECT_EQ(*table(bytes)->free_bytes, *table(text)->free_bytes);
    EXPECT_TRUE(bytes.events.empty());
}

TEST_F(TableTools, PartedBothKinds) {
    for (const std::string kind : {"msdos", "gpt"}) {
        const std::string path = image();
        if (!run({"parted", "-s", path, "mklabel", kind, "mkpart", "primary", "2048s", "40959s", "mkpart",
                  "primary", "40960s", "81919s"}))
            GTEST_SKIP() << "parted is not installed";
        const auto print = run({"parted", "-s", "-m", path, "unit", "s", "print"});
        ASSERT_TRUE(print);
        const HostFacts text = listed("parted -m", *print, path), bytes = of_bytes(path);
        ASSERT_EQ(text.partitions.size(), 2U) << *print;
        expect_same(text, bytes, false);
    }
}

// What sgdisk finds damaged, the bytes show as damage.
TEST_F(TableTools, SgdiskAgreesOnDamage) {
    const std::string path = image();
    if (!run({"sgdisk", "-o", "-n", "1:2048:4095", path})) GTEST_SKIP() << "sgdisk is not installed";
    const int fd = open(path.c_str(), O_RDWR);
    ASSERT_EQ(pwrite(fd, "x", 1, 512 + 60), 1);
    close(fd);
    const HostFacts facts = of_bytes(path);
    ASSERT_FALSE(facts.events.empty());
    EXPECT_EQ(facts.events.front().kind, Event::Kind::primary_gpt_corrupt);
    EXPECT_EQ(facts.partitions.size(), 1U);
}

}  // namespace
}  // namespace diskwright
