// SPDX-License-Identifier: BSD-2-Clause
// Readers against tools that others wrote: what they made, and what they say of it. A tool that is not
// installed skips its tests.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/program.hpp"
#include "tests/support/same_facts.hpp"
#include "tests/support/tool.hpp"

namespace diskwright {
namespace {

using test::find_tool;
using test::run_tool;

#define NEED_TOOL(variable, name)          \
    const auto variable = find_tool(name); \
    if (!variable) GTEST_SKIP() << name << " is not installed"

// A sparse file, read where it is asked for.
class FileSource final : public ByteSource {
 public:
    FileSource(const std::string& path, std::string name)
        : name_(std::move(name)), fd_(open(path.c_str(), O_RDONLY)) {
        struct stat status {};
        if (fstat(fd_, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
    }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;
    ~FileSource() override { close(fd_); }
    const std::string& name() const override { return name_; }
    std::optional<std::uint64_t> size_bytes() const override { return size_; }
    std::uint64_t readable_bytes() const override { return size_; }
    std::uint64_t sector_bytes() const override { return 512; }
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override {
        if (offset > size_ || length > size_ - offset)
            return Error{ErrorKind::no_input, name_ + ": past the end"};
        auto& buffer = buffers_.emplace_back(length);
        if (pread(fd_, buffer.data(), length, static_cast<off_t>(offset)) != static_cast<ssize_t>(length))
            return Error{ErrorKind::io_error, name_ + ": short read"};
        return std::span<const std::byte>(buffer);
    }

 private:
    std::string name_;
    int fd_;
    std::uint64_t size_ = 0;
    std::deque<std::vector<std::byte>> buffers_;
};

std::string sparse(const test::TemporaryFolder& folder, std::uint64_t bytes) {
    const std::string path = folder.file("image", "");
    EXPECT_EQ(truncate(path.c_str(), static_cast<off_t>(bytes)), 0);
    return path;
}

std::vector<std::byte> bytes_of(const std::string& path) {
    const std::string text = test::read_file(path);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// What blkid calls it; "" when blkid is not installed.
std::string blkid_type(const std::string& path) {
    const auto blkid = find_tool("blkid");
    return blkid ? std::string(trim(run_tool({*blkid, "-p", "-s", "TYPE", "-o", "value", path}).output)) : "";
}

// Every format of the list, as discovery asks them.
Found read_all(ByteSource& source) {
    Found found;
    for (const OnDiskFormat& format : on_disk_formats()) {
        const auto result = format.read(source, found);
        EXPECT_TRUE(result) << format.name << ": " << result.error().message;
    }
    return found;
}

TEST(OnDiskTools, ExtEqualsDumpe2fs) {
    NEED_TOOL(mke2fs, "mke2fs");
    NEED_TOOL(dumpe2fs, "dumpe2fs");
    const std::vector<std::vector<std::string>> options{
        {"-t", "ext2", "-b", "1024"},
        {"-t", "ext3", "-b", "4096"},
        {"-t", "ext4", "-b", "1024", "-L", "label"},
        {"-t", "ext4", "-b", "2048", "-O", "^metadata_csum,^64bit"},
        {"-t", "ext4", "-b", "4096", "-E", "stride=16,stripe_width=48", "-N", "5000", "-M", "/srv"}};
    for (const auto& words : options) {
        SCOPED_TRACE(words[1] + words[3]);
        const test::TemporaryFolder folder;
        const std::string path = sparse(folder, 64 * MiB);
        std::vector<std::string> make{*mke2fs, "-q", "-F"};
        make.insert(make.end(), words.begin(), words.end());
        make.push_back(path);
        ASSERT_EQ(run_tool(make).status, 0);
        const auto printed =
            test::facts_of_output({"dumpe2fs", "-h", "/dev/sda1"}, run_tool({*dumpe2fs, "-h", path}).output);
        FileSource source(path, "sda1");
        const Found found = read_all(source);
        ASSERT_EQ(found.facts.filesystems.size(), 1U);
        EXPECT_EQ(test::missing_values(printed.filesystems.at(0), found.facts.filesystems[0]),
                  std::vector<std::string>{});
        EXPECT_EQ(test::missing_values(found.facts.filesystems[0], printed.filesystems.at(0)),
                  std::vector<std::string>{});
        EXPECT_EQ(found.damage, std::vector<std::string>{});
        ASSERT_EQ(found.os_votes.size(), 1U);
        EXPECT_TRUE(found.os_votes[0].is(Os::linux_));
        if (const auto type = blkid_type(path); !type.empty()) {
            EXPECT_TRUE(found.facts.filesystems[0].type.is(type));
        }
    }
}

TEST(OnDiskTools, EveryFlippedBitOfAnExt4SuperblockIsNoticed) {
    NEED_TOOL(mke2fs, "mke2fs");
    const test::TemporaryFolder folder;
    const std::string path = sparse(folder, 16 * MiB);
    ASSERT_EQ(run_tool({*mke2fs, "-q", "-F", "-t", "ext4", "-b", "1024", "-O", "metadata_csum", path}).status,
              0);
    test::MemorySource source("sda1", bytes_of(path));
    const auto look = [&](Found& found) { return read_ext(source, found); };
    Found whole;
    ASSERT_TRUE(*look(whole));
    ASSERT_TRUE(whole.damage.empty());
    for (std::size_t at = 1024; at < 2048; ++at)
        for (int bit = 0; bit < 8; ++bit) {
            source.bytes()[at] ^= static_cast<std::byte>(1 << bit);
            Found found;
            const auto result = look(found);
            source.bytes()[at] ^= static_cast<std::byte>(1 << bit);
            // Noticed, and read all the same from the copy in group 1, unless it is the identity that
            // differs.
            ASSERT_TRUE(!result || !found.damage.empty()) << at - 1024 << " bit " << bit;
            if (result && *result) {
                ASSERT_TRUE(found.facts.filesystems[0].size_bytes.is(16 * MiB)) << at - 1024;
            }
        }
    // Erased altogether.
    std::fill_n(source.bytes().begin() + 1024, 1024, std::byte{0});
    Found found;
    ASSERT_TRUE(*look(found));
    EXPECT_EQ(found.damage.size(), 1U);
    for (std::size_t length = 4096; length-- > 0;) {
        source.bytes().resize(length);
        Found cut;
        EXPECT_FALSE(*look(cut)) << length;
    }
}

// Without a checksum the copy tells.
TEST(OnDiskTools, FlippedFeaturesOfAnExt2SuperblockAreNoticed) {
    NEED_TOOL(mke2fs, "mke2fs");
    const test::TemporaryFolder folder;
    const std::string path = sparse(folder, 16 * MiB);
    for (const bool indexed : {false, true}) {
        const std::string features = indexed ? "dir_index" : "^dir_index";
        ASSERT_EQ(run_tool({*mke2fs, "-q", "-F", "-t", "ext2", "-b", "1024", "-O", features, path}).status,
                  0);
        test::MemorySource source("sda1", bytes_of(path));
        // What the kernel sets in the first superblock alone.
        const std::map<std::size_t, std::uint32_t> set_in_use{
            {92, 0x8}, {96, 0x44}, {100, indexed ? 0x10022 : 0x10002}};
        for (const auto& [word, ignored] : set_in_use)
            for (int bit = 0; bit < 32; ++bit) {
                std::byte& byte = source.bytes()[1024 + word + static_cast<std::size_t>(bit / 8)];
                byte ^= static_cast<std::byte>(1 << bit % 8);
                Found found;
                const auto result = read_ext(source, found);
                byte ^= static_cast<std::byte>(1 << bit % 8);
                const bool noticed = !result || !found.damage.empty();
                EXPECT_EQ(noticed, (ignored >> bit & 1) == 0) << word << " bit " << bit;
            }
    }
}

TEST(OnDiskTools, XfsEqualsWhatMkfsPrints) {
    NEED_TOOL(mkfs, "mkfs.xfs");
    for (const auto& words : std::vector<std::vector<std::string>>{{"-d", "su=64k,sw=3"},
                                                                   {"-b", "size=1024", "-L", "data"},
                                                                   {"-s", "size=4096"},
                                                                   {"-m", "crc=0"}}) {
        SCOPED_TRACE(words[1]);
        const test::TemporaryFolder folder;
        const std::string path = sparse(folder, 2 * GiB);
        std::vector<std::string> make{*mkfs, "-f"};
        make.insert(make.end(), words.begin(), words.end());
        make.push_back(path);
        const auto made = run_tool(make);
        ASSERT_EQ(made.status, 0) << made.output;
        std::string text = made.output;
        text.replace(text.find(path), path.size(), "/dev/sda1");
        text.erase(0, text.find("meta-data="));
        const auto printed = test::facts_of_output({"mkfs.xfs", "/dev/sda1"}, text);
        FileSource source(path, "sda1");
        const Found found = read_all(source);
        ASSERT_EQ(found.facts.filesystems.size(), 1U);
        EXPECT_EQ(test::missing_values(printed.filesystems.at(0), found.facts.filesystems[0]),
                  std::vector<std::string>{});
        EXPECT_EQ(found.damage, std::vector<std::string>{});
        if (const auto type = blkid_type(path); !type.empty()) {
            EXPECT_EQ(type, "xfs");
        }
    }
}

TEST(OnDiskTools, EveryFlippedBitOfAnXfsSuperblockIsNoticed) {
    NEED_TOOL(mkfs, "mkfs.xfs");
    const test::TemporaryFolder folder;
    const std::string path = sparse(folder, 2 * GiB);
    ASSERT_EQ(run_tool({*mkfs, "-q", "-f", path}).status, 0);
    FileSource file(path, "sda1");
    // Only a head, as a capture has: without the copies.
    std::vector<std::byte> head(4096);
    std::copy_n(file.read(0, head.size())->begin(), head.size(), head.begin());
    test::MemorySource source("sda1", head);
    for (std::size_t at = 0; at < 512; ++at)
        for (int bit = 0; bit < 8; ++bit) {
            source.bytes()[at] ^= static_cast<std::byte>(1 << bit);
            Found found;
            const auto result = read_xfs(source, found);
            source.bytes()[at] ^= static_cast<std::byte>(1 << bit);
            ASSERT_TRUE(!result || !*result || !found.damage.empty()) << at << " bit " << bit;
        }
    for (std::size_t length = head.size(); length-- > 0;) {
        source.bytes().resize(length);
        Found found;
        EXPECT_TRUE(read_xfs(source, found)) << length;
    }
}

TEST(OnDiskTools, SwapEqualsMkswap) {
    NEED_TOOL(mkswap, "mkswap");
    const test::TemporaryFolder folder;
    const std::string path = sparse(folder, 1 * MiB);
    const auto made = run_tool({*mkswap, path});
    ASSERT_EQ(made.status, 0);
    FileSource source(path, "sda2");
    const Found found = read_all(source);
    ASSERT_EQ(found.facts.swap.size(), 1U);
    const auto printed = between(made.output, "(", " bytes)");
    ASSERT_TRUE(printed);
    EXPECT_TRUE(found.facts.swap[0].size_bytes.is(*to_unsigned(*printed)));
    EXPECT_EQ(found.damage, std::vector<std::string>{});
    if (const auto type = blkid_type(path); !type.empty()) {
        EXPECT_EQ(type, "swap");
    }
}

// NetBSD's own code for making an FFS, in both byte orders and versions.
TEST(OnDiskTools, FfsOfMakefsEqualsWhatWasAskedFor) {
    NEED_TOOL(makefs, "makefs");
    const auto fsstat = find_tool("fsstat");
    for (const std::string order : {"le", "be"})
        for (const std::string version : {"1", "2"})
            for (const std::uint64_t bsize : {4096, 8192, 16384, 32768})
                for (const std::uint64_t ratio : {1, 2, 8})
                    for (const std::uint64_t density : {2048, 16384}) {
                        const std::uint64_t fsize = bsize / ratio;
                        const auto name =
                            fmt::format("{} ffs{} {}/{} {}", order, version, bsize, fsize, density);
                        SCOPED_TRACE(name);
                        const test::TemporaryFolder folder;
                        folder.file("tree/file", "contents");
                        const std::string path = folder.path("image");
                        const auto made = run_tool({*makefs, "-t", "ffs", "-B", order, "-s", "4m", "-o",
                                                    fmt::format("version={},bsize={},fsize={},density={}",
                                                                version, bsize, fsize, density),
                                                    path, folder.path("tree")});
                        ASSERT_EQ(made.status, 0) << made.output;
                        FileSource source(path, "sd0a");
                        const Found found = read_all(source);
                        ASSERT_EQ(found.facts.filesystems.size(), 1U);
                        const Filesystem& fs = found.facts.filesystems[0];
                        EXPECT_TRUE(fs.type.is("ffs" + version));
                        EXPECT_TRUE(fs.bsize.is(bsize));
                        EXPECT_TRUE(fs.fsize.is(fsize));
                        EXPECT_TRUE(fs.size_bytes.is(4 * MiB));
                        EXPECT_TRUE(fs.inodes_used.is(4));  // two that are never used, the root, the file
                        EXPECT_EQ(found.damage, std::vector<std::string>{});
                        if (const auto type = blkid_type(path); !type.empty()) {
                            EXPECT_EQ(type, "ufs");
                        }
                        // It looks for an FFSv2 at 65536 only, where makefs does not put one.
                        if (!fsstat || version == "2") continue;
                        const auto said = run_tool({*fsstat, "-f", "ufs", path}).output;
                        EXPECT_TRUE(contains(said, fmt::format("Block Size: {}\n", bsize)));
                        EXPECT_TRUE(contains(said, fmt::format("Fragment Size: {}\n", fsize)));
                        EXPECT_TRUE(
                            contains(said, fmt::format("Inodes per group: {}\n", *fs.inodes_per_group)));
                        EXPECT_TRUE(contains(
                            said, fmt::format("Fragments per group: {}\n", *fs.fragments_per_group)));
                    }
}

TEST(OnDiskTools, LuksEqualsLuksDump) {
    NEED_TOOL(cryptsetup, "cryptsetup");
    for (const std::string type : {"luks1", "luks2"}) {
        SCOPED_TRACE(type);
        const test::TemporaryFolder folder;
        const std::string path = sparse(folder, 32 * MiB), key = folder.file("key", "a key for a test");
        std::vector<std::string> make{
            *cryptsetup,  "luksFormat", "-q",      "--type", type,
            "--key-file", key,          "--pbkdf", "pbkdf2", "--pbkdf-force-iterations",
            "1000"};
        if (type == "luks2") make.insert(make.end(), {"--sector-size", "4096"});
        make.push_back(path);
        if (const auto made = run_tool(make); made.status != 0) GTEST_SKIP() << "cryptsetup: " << made.output;
        std::string text = run_tool({*cryptsetup, "luksDump", path}).output;
        if (const auto at = text.find(path); at != std::string::npos)
            text.replace(at, path.size(), "/dev/sda2");
        const auto printed = test::facts_of_output({"cryptsetup", "luksDump", "/dev/sda2"}, text);
        FileSource source(path, "sda2");
        const Found found = read_all(source);
        ASSERT_EQ(found.facts.volumes.size(), 1U);
        EXPECT_EQ(test::missing_values(printed.volumes.at(0), found.facts.volumes[0]),
                  std::vector<std::string>{});
        EXPECT_EQ(found.damage, std::vector<std::string>{});
    }
}

}  // namespace
}  // namespace diskwright
