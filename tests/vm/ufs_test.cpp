// SPDX-License-Identifier: BSD-2-Clause
// File systems that makefs built, mounted by a kernel, against what their superblocks tell.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/tool.hpp"
#include "tests/vm/booted.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// FFSv1 only: makefs puts the superblock of an FFSv2 at byte 8192, where the kernel does not look for one.
struct UfsImage {
    std::string options, order;
    std::uint64_t bytes;
};
const std::vector<UfsImage>& ufs_images() {
    static const std::vector<UfsImage> list{{"version=1,bsize=8192,fsize=1024", "le", 16 * MiB},
                                            {"version=1,bsize=16384,fsize=2048,minfree=8", "le", 24 * MiB},
                                            {"version=1,bsize=32768,fsize=4096,density=4096", "be", 48 * MiB},
                                            {"version=1,bsize=4096,fsize=512,density=2048", "le", 20 * MiB},
                                            {"version=1,bsize=8192,fsize=1024,minfree=0", "be", 16 * MiB}};
    return list;
}

class ufs : public test::Booted<ufs> {
 public:
    static constexpr const char* boot = "ufs";
    static void prepare(test::Machine& machine) {
        const auto makefs = test::find_tool("makefs");
        if (!makefs) return;
        const fs::path tree = machine.folder() / "tree";
        fs::create_directories(tree / "folder");
        for (int i = 0; i < 40; ++i)
            std::ofstream(tree / (i % 2 ? "folder" : ".") / fmt::format("file{}", i))
                << std::string(static_cast<std::size_t>(i) * 1777, static_cast<char>('a' + i % 26));
        for (const UfsImage& row : ufs_images()) {
            const fs::path path = machine.folder() / fmt::format("ufs{}.img", machine.drives.size());
            const auto made =
                test::run_tool({*makefs, "-t", "ffs", "-B", row.order, "-s", fmt::format("{}", row.bytes),
                                "-o", row.options, path.string(), tree.string()});
            EXPECT_EQ(made.status, 0) << made.output;
            machine.drives.push_back({path.string(), true});
        }
    }
};

// The snippet's lines: device, and of statfs(2), as torvalds/linux:fs/ufs/super.c fills it, the fragment,
// then in fragments all, free and available, then inodes and free inodes.
TEST_F(ufs, SuperblocksTellWhatTheKernelTellsOfFfs) {
    if (!test::find_tool("makefs")) GTEST_SKIP() << "makefs is not installed";
    const auto& result = snippet("mounted");
    const std::string table = result.file("statfs");
    const auto lines = split_lines(table);
    ASSERT_EQ(lines.size(), ufs_images().size()) << table;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        SCOPED_TRACE(lines[i]);
        const auto field = words(lines[i]);
        ASSERT_EQ(field.size(), 7U);
        const auto number = [&](std::size_t n) { return to_unsigned(field[n]).value_or(0); };
        const auto shown = Json::parse(
            test::run_program({"show", "--format", "json", machine().drives[i].path}).output, nullptr, false);
        ASSERT_FALSE(shown.is_discarded());
        const auto& fs = shown["hosts"][0]["facts"]["filesystems"][0];
        SCOPED_TRACE(fs.dump());
        EXPECT_EQ(fs["type"], "ffs1");
        EXPECT_EQ(fs["fsize"], number(1));
        EXPECT_EQ(fs["used_bytes"], (number(2) - number(3)) * number(1));
        EXPECT_EQ(fs["inodes"], number(5));
        EXPECT_EQ(fs["inodes_used"], number(5) - number(6));
        // What is kept free is not available; the kernel rounds it down.
        const double kept = static_cast<double>(number(3) - number(4)) / static_cast<double>(number(2)) * 100;
        EXPECT_NEAR(fs["minfree_percent"].get<double>(), kept, 0.1);
        EXPECT_FALSE(result.file(fmt::format("vd{}.files", static_cast<char>('a' + i))).empty());
    }
}

}  // namespace
}  // namespace diskwright
