// SPDX-License-Identifier: BSD-2-Clause
// A host of which both the commands and the bytes of the disk are known: where they agree nothing is said
// twice, and where they do not, HOST001 says so.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "advisor/reports/report.hpp"
#include "probes/capture/assemble.hpp"
#include "probes/live/device_heads.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/support/images.hpp"
#include "tests/support/program.hpp"
#include "tests/support/tool.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> codes_of(const HostFacts& facts) {
    std::vector<std::string> out;
    const Judgement judgement = judge(facts);
    for (const Finding& finding : judgement.findings)
        out.push_back(std::string(finding.code) + " " + finding.subject);
    std::sort(out.begin(), out.end());
    return out;
}

HostFacts facts_of(const Capture& capture) {
    auto facts = assemble(capture);
    EXPECT_TRUE(facts) << facts.error().message;
    return facts ? std::move(*facts) : HostFacts{};
}

std::string conflicts_of(const HostFacts& facts) {
    std::string out;
    for (const Conflict& c : facts.conflicts)
        out += fmt::format("{}: {} ({}) against {} ({})\n", c.what, c.values[0].value,
                           c.values[0].from.source(), c.values[1].value, c.values[1].from.source());
    return out;
}

template <class Element>
std::vector<std::string> names_of(const std::vector<Element>& list) {
    std::vector<std::string> out;
    for (const Element& e : list) {
        if constexpr (requires { e.device; })
            out.push_back(e.device);
        else
            out.push_back(e.name);
    }
    std::sort(out.begin(), out.end());
    return out;
}

void expect_silent(const Capture& text, const Capture& both) {
    const HostFacts alone = facts_of(text), together = facts_of(both);
    EXPECT_EQ(conflicts_of(together), conflicts_of(alone));
    EXPECT_EQ(names_of(together.disks), names_of(alone.disks));
    EXPECT_EQ(names_of(together.partitions), names_of(alone.partitions));
    EXPECT_EQ(names_of(together.filesystems), names_of(alone.filesystems));
    EXPECT_EQ(names_of(together.volumes), names_of(alone.volumes));
    std::size_t with_entries = 0;  // beside a GPT the bytes show the MBR that protects it
    for (const PartitionTable& t : together.tables) with_entries += t.scheme.is(Scheme::mbr) ? 0 : 1;
    EXPECT_EQ(with_entries, alone.tables.size());
    EXPECT_EQ(codes_of(together), codes_of(alone));
    EXPECT_TRUE(together.damages.empty()) << together.damages[0].what;
}

// The bytes of a NetBSD GPT number its entries, and the listing of the wedges names them.
TEST(NetBSDAgreement, WedgesHaveOneName) {
    constexpr std::uint64_t sectors = 131072;
    test::Bytes image(sectors * 512);
    test::write_gpt(image, 512, {{"49f48d5a-b10e-11dc-b99b-0019d1879648", 64, sectors - 100, "data"}});
    image.copy(64 * 512, test::stored_image("ffs/netbsd-B-be.gz"));
    Capture text;
    text.documents = {
        {"u", "NetBSD nas1 9.3 NetBSD 9.3 (GENERIC) amd64\n", {"uname", "-a"}},
        {"d",
         fmt::format("/dev/rwd2: 1 wedge:\ndk0: data, {} blocks at 64, type: ffs\n", sectors - 163),
         {"dkctl", "wd2", "listwedges"}},
        {"m", "/dev/dk0 on /data type ffs (local)\n", {"mount"}}};
    const test::TemporaryFolder folder;
    Capture both = text;
    both.images = load_input(folder.file("wd2", {reinterpret_cast<const char*>(image.bytes().data()),
                                                 image.bytes().size()}))
                      ->images;
    ASSERT_EQ(both.images.size(), 1U);
    const HostFacts facts = facts_of(both);
    EXPECT_EQ(names_of(facts.partitions), std::vector<std::string>{"dk0"});
    ASSERT_EQ(names_of(facts.filesystems), std::vector<std::string>{"dk0"});
    EXPECT_TRUE(facts.filesystems[0].bsize) << "of the bytes";
    EXPECT_EQ(conflicts_of(facts), "");
}

// A disk that the tools of Linux made and describe: GPT, ext4, swap, XFS.
class LinuxAgreement : public testing::Test {
 protected:
    void SetUp() override {
        for (const auto* tool : {"sfdisk", "mke2fs", "dumpe2fs", "mkswap"})
            if (!test::find_tool(tool)) GTEST_SKIP() << tool << " is not installed";
        disk = folder.path("sda");
        make(disk, 256 * MiB);
        const auto layout =
            folder.file("layout", "label: gpt\nsize=128MiB\nsize=64MiB,type=swap,name=\"swap\"\n");
        ASSERT_EQ(std::system(fmt::format("sfdisk -q '{}' <'{}' >/dev/null 2>&1", disk, layout).c_str()), 0);
        const std::string part = folder.path("part");
        make(part, 128 * MiB);
        tool({"mke2fs", "-q", "-F", "-t", "ext4", "-L", "data", part});
        ext = tool({"dumpe2fs", "-h", part});
        copy(part, 1 * MiB);
        make(part, 64 * MiB);
        tool({"mkswap", part});
        copy(part, 129 * MiB);
        text.documents = {
            {"uname", "Linux db1 6.1.0-18-amd64 #1 SMP Debian 6.1.76-1 x86_64 GNU/Linux\n", {"uname", "-a"}},
            {"lsblk",
             fmt::format("NAME=\"sda\" KNAME=\"sda\" PKNAME=\"\" TYPE=\"disk\" SIZE=\"{}\" MODEL=\"QEMU\" "
                         "SERIAL=\"\" TRAN=\"sata\"\n"
                         "NAME=\"sda1\" KNAME=\"sda1\" PKNAME=\"sda\" TYPE=\"part\" SIZE=\"{}\" MODEL=\"\" "
                         "SERIAL=\"\" TRAN=\"\"\n"
                         "NAME=\"sda2\" KNAME=\"sda2\" PKNAME=\"sda\" TYPE=\"part\" SIZE=\"{}\" MODEL=\"\" "
                         "SERIAL=\"\" TRAN=\"\"\n",
                         256 * MiB, 128 * MiB, 64 * MiB),
             {"lsblk", "-b", "-P", "-o", "NAME,KNAME,PKNAME,TYPE,SIZE,MODEL,SERIAL,TRAN"}},
            {"sfdisk", renamed(tool({"sfdisk", "-d", disk})), {"sfdisk", "-d", "/dev/sda"}},
            {"mounts", "/dev/sda1 /data ext4 rw,relatime 0 0\n", {"cat", "/proc/mounts"}},
            {"df",
             "Filesystem     Type 1024-blocks  Used Available Capacity Mounted on\n"
             "/dev/sda1      ext4      113924    24    104724       1% /data\n",
             {"df", "-kT"}},
            {"swaps",
             "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/sda2  partition\t65532\t\t0\t\t-2\n",
             {"cat", "/proc/swaps"}},
            {"dumpe2fs", ext, {"dumpe2fs", "-h", "/dev/sda1"}}};
    }
    void make(const std::string& path, std::uint64_t bytes) const {
        fs::remove(path);
        const int fd = open(path.c_str(), O_CREAT | O_RDWR | O_EXCL, 0600);
        ASSERT_EQ(ftruncate(fd, static_cast<off_t>(bytes)), 0);
        close(fd);
    }
    void copy(const std::string& part, std::uint64_t at) const {
        ASSERT_EQ(std::system(fmt::format("dd if='{}' of='{}' bs=1048576 seek={} conv=notrunc,sparse "
                                          "2>/dev/null",
                                          part, disk, at / MiB)
                                  .c_str()),
                  0);
    }
    static std::string tool(std::vector<std::string> argv) {
        argv[0] = test::find_tool(argv[0]).value_or("");
        const auto result = test::run_tool(argv);
        EXPECT_EQ(result.status, 0) << result.output;
        return result.output;
    }
    std::string renamed(std::string output) const {
        for (std::size_t at; (at = output.find(disk)) != std::string::npos;)
            output.replace(at, disk.size(), "/dev/sda");
        return output;
    }
    Capture with_heads() const {
        const DeviceHeads heads = read_heads({"sda"}, folder.path(""), std::chrono::seconds(20));
        EXPECT_EQ(heads.devices.size(), 1U) << (heads.notes.empty() ? "" : heads.notes[0]);
        Capture both = text;
        both.images.assign(heads.devices.begin(), heads.devices.end());
        return both;
    }

    test::TemporaryFolder folder;
    std::string disk, ext;
    Capture text;
};

TEST_F(LinuxAgreement, IsSilent) {
    expect_silent(text, with_heads());
}

TEST_F(LinuxAgreement, AnotherPartitionTableIsFound) {
    const Capture both = with_heads();
    Capture other = both;
    for (Document& d : other.documents)
        if (d.name == "sfdisk") {
            const auto at = d.bytes.find("size=      262144");
            ASSERT_NE(at, std::string::npos) << d.bytes;
            d.bytes.replace(at, 17, "size=      131072");
        }
    const auto codes = codes_of(facts_of(other));
    EXPECT_NE(std::find(codes.begin(), codes.end(), "HOST001 sda1"), codes.end());
}

TEST_F(LinuxAgreement, AnotherFileSystemIsFound) {
    Capture other = with_heads();
    for (Document& d : other.documents)
        if (d.name == "dumpe2fs") {
            const auto at = d.bytes.find("Block size:");
            ASSERT_NE(at, std::string::npos);
            const auto end = d.bytes.find('\n', at);
            d.bytes.replace(at, end - at, "Block size:               2048");
        }
    const auto codes = codes_of(facts_of(other));
    EXPECT_NE(std::find(codes.begin(), codes.end(), "HOST001 sda1"), codes.end());
}

// The values of a mounted file system are the commands', whatever its superblock was last written with.
TEST_F(LinuxAgreement, WhatRunsIsTheCommands) {
    const HostFacts alone = facts_of(text), together = facts_of(with_heads());
    ASSERT_EQ(alone.filesystems.size(), 1U);
    ASSERT_EQ(together.filesystems.size(), 1U);
    const auto before = facts_to_json(alone, false)["filesystems"][0],
               after = facts_to_json(together, false)["filesystems"][0];
    for (const auto& [key, value] : before.items()) EXPECT_EQ(after[key], value) << key;
}

}  // namespace
}  // namespace diskwright
