// SPDX-License-Identifier: BSD-2-Clause
// What the printed script reads of disks, with plain files for devices: where the places are, in every shell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "probes/capture/assemble.hpp"
#include "probes/capture/collect_script.hpp"
#include "probes/capture/manifest.hpp"
#include "probes/capture/region_source.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/program.hpp"
#include "tests/support/recorded_host.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

int shell(const std::string& line) {
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A disk larger than 32 bits count, with an FFS of its own system in its first partition.
constexpr std::uint64_t disk_bytes = 3'000'592'982'016, disk_sectors = disk_bytes / 512;
constexpr std::uint64_t first_sector = 2048;

class ScriptHeads : public testing::TestWithParam<const char*> {
 protected:
    void SetUp() override {
        const std::string program = std::string(GetParam()).substr(0, std::string(GetParam()).find(' '));
        if (shell(fmt::format("command -v {} >/dev/null 2>&1", program)) != 0)
            GTEST_SKIP() << program << " is not installed";
        fs::create_directories(folder.path("dev"));
        capture.info = CaptureInfo{"1.2.3", "2026-12-01T08:00:00Z", "nas1", "", "9.3", true, false};
    }

    void device(const std::string& name, std::uint64_t bytes,
                const std::vector<std::pair<std::uint64_t, std::vector<std::byte>>>& pieces) const {
        std::ofstream file(folder.path("dev/" + name), std::ios::binary);
        for (const auto& [at, content] : pieces) {
            file.seekp(static_cast<std::streamoff>(at));
            file.write(reinterpret_cast<const char*>(content.data()),
                       static_cast<std::streamsize>(content.size()));
        }
        file.close();
        fs::resize_file(folder.path("dev/" + name), bytes);
    }
    void answer(const std::vector<std::string>& argv, const std::string& text) {
        capture.documents.push_back({"x", text, argv});
    }

    Capture collected(Os os, const std::string& change_from = "", const std::string& change_to = "") {
        capture.info->system = to_string(os);
        test::RecordedHost(capture).write_stand_ins(folder.path("host"), os);
        const std::string bin = folder.path("host/bin");
        // Whoever runs the test: the files can be read.
        fs::remove(bin + "/id");
        folder.file("host/bin/id", "#!/bin/sh\necho 0\n");
        fs::permissions(bin + "/id", fs::perms::owner_all);
        if (!fs::exists(bin + "/cat")) fs::create_symlink("/bin/cat", bin + "/cat");
        std::string script = collect_script("1.2.3");
        const auto change = [&](std::string_view from, const std::string& to) {
            const auto at = script.find(from);
            ASSERT_NE(at, std::string::npos) << from;
            script.replace(at, from.size(), to);
        };
        change("PATH=/sbin:/usr/sbin:/bin:/usr/bin:/usr/pkg/sbin:/usr/local/sbin\n", "PATH='" + bin + "'\n");
        // However busy the machine is that runs the test.
        if (change_from.empty()) change("command_seconds=10", "command_seconds=90");
        change("devices=/dev\n", "devices='" + folder.path("dev") + "'\n");
        change("blocks=/sys/block\n", "blocks='" + folder.path("sys") + "'\n");
        change("for path in /sys/block/*", "for path in '" + folder.path("sys") + "'/*");
        if (!change_from.empty()) change(change_from, change_to);
        const auto file = folder.file("collect.sh", script);
        EXPECT_EQ(shell(fmt::format("cd '{}' && {} '{}' out.tar >out 2>err </dev/null", folder.path(""),
                                    GetParam(), file)),
                  0)
            << test::read_file(folder.path("err"));
        EXPECT_EQ(test::read_file(folder.path("err")), "");
        auto loaded = load_input(folder.path("out.tar"));
        EXPECT_TRUE(loaded) << loaded.error().message;
        return loaded ? std::move(*loaded) : Capture{};
    }

    static void expect_found(const Capture& loaded, const std::string& disk, const std::string& partition) {
        const auto devices = collected_devices(loaded);
        ASSERT_EQ(devices.size(), 1U) << (loaded.notes.empty() ? "" : loaded.notes.front());
        const DeviceRegions& regions = devices[0]->regions();
        EXPECT_EQ(regions.device, disk);
        EXPECT_EQ(regions.size_bytes, disk_bytes);
        EXPECT_EQ(regions.sector_bytes, 512U);
        std::uint64_t all = 0;
        for (const auto& region : regions.regions) all += region.length;
        EXPECT_LE(all, 1 * MiB);
        auto source = RegionSource::make(regions);
        ASSERT_TRUE(source);
        EXPECT_TRUE((*source)->read(disk_bytes - 512, 512)) << "the tail";
        Capture bytes;
        bytes.images.push_back(*source);
        const auto facts = assemble(bytes);
        ASSERT_TRUE(facts) << facts.error().message;
        const auto fs = std::find_if(facts->filesystems.begin(), facts->filesystems.end(),
                                     [&](const Filesystem& f) { return f.device == partition; });
        ASSERT_NE(fs, facts->filesystems.end()) << partition;
        EXPECT_TRUE(fs->bsize);
    }

    test::TemporaryFolder folder;
    Capture capture;
};

// As the list of commands has it.
std::vector<std::string> sysctl_of(Os os) {
    for (const CommandParser& parser : command_parsers())
        for (const LiveCommand& command : parser.live)
            if (command.os == os && command.argv.front() == "sysctl") return command.argv;
    return {};
}

std::vector<std::byte> ffs_head(const std::string& name) {
    auto image = test::stored_image(name);
    image.resize(std::min<std::size_t>(image.size(), 512 * KiB));
    return image;
}

TEST_P(ScriptHeads, FreeBSD) {
    test::Bytes mbr(512);
    test::write_mbr(mbr, 0, {{0xa5, first_sector, 4'000'000'000}});
    test::Bytes label(1024);
    test::write_label(label, 512, 4'000'000'000, {{3'000'000'000, 16, 7}});
    device("ada0", disk_bytes,
           {{0, mbr.bytes()},
            {first_sector * 512, label.bytes()},
            {(first_sector + 16) * 512, ffs_head("ffs/freebsd-001-default-8m.gz")}});
    answer(sysctl_of(Os::freebsd), "kern.disks: ada0 cd0\n");
    answer({"diskinfo", "-v", "ada0"},
           fmt::format("ada0\n\t512         \t# sectorsize\n\t{}\t# mediasize in bytes (2.7T)\n\t{}  \t# "
                       "mediasize in sectors\n",
                       disk_bytes, disk_sectors));
    answer({"gpart", "show"}, fmt::format("=>        63  {}  ada0  MBR  (2.7T)\n"
                                          "          63        1985        - free -  (993K)\n"
                                          "        {}  4000000000     1  freebsd  (1.9T)\n\n"
                                          "=>         0  4000000000  ada0s1  BSD  (1.9T)\n"
                                          "           0          16          - free -  (8.0K)\n"
                                          "          16  3000000000       1  freebsd-ufs  (1.4T)\n",
                                          disk_sectors - 63, first_sector));
    expect_found(collected(Os::freebsd), "ada0", "ada0s1a");
}

TEST_P(ScriptHeads, OpenBSD) {
    test::Bytes head(2 * 512 + 512);
    test::write_mbr(head, 0, {{0xa6, 64, 4'294'967'231}});
    test::Bytes label(1024);
    test::write_label(label, 512, 4'294'967'295, {{8'388'608, first_sector - 64, 7}, {0, 0, 0}});
    device("rsd0c", disk_bytes, {{0, head.bytes()}});
    answer(sysctl_of(Os::openbsd), "hw.disknames=sd0:91f0e2d3c4b5a697,cd0:\n");
    answer({"disklabel", "sd0"},
           fmt::format("# /dev/rsd0c:\nbytes/sector: 512\ntotal sectors: {0}\n\n16 partitions:\n"
                       "#                size           offset  fstype [fsize bsize   cpg]\n"
                       "  a:          8388608             {1}  4.2BSD   2048 16384 12958\n"
                       "  c:       {0}                0  unused\n",
                       disk_sectors, first_sector));
    capture.info->release = "7.4";
    const Capture loaded = collected(Os::openbsd);
    const auto devices = collected_devices(loaded);
    ASSERT_EQ(devices.size(), 1U) << (loaded.notes.empty() ? "" : loaded.notes.front());
    EXPECT_EQ(devices[0]->regions().size_bytes, disk_bytes);
    auto source = RegionSource::make(devices[0]->regions());
    for (const std::uint64_t at : {std::uint64_t{0}, first_sector * 512 + 65536, disk_bytes - 512})
        EXPECT_TRUE((*source)->read(at, 512)) << at;
    EXPECT_FALSE((*source)->read(first_sector * 512 + 200 * KiB, 512));
}

TEST_P(ScriptHeads, NetBSDWithWedges) {
    device("rwd0d", disk_bytes, {{64 * 512, ffs_head("ffs/netbsd-B-be.gz")}});
    answer(sysctl_of(Os::netbsd), "hw.disknames = wd0 cd0 dk0 raid0\n");
    answer({"sysctl", "-n", "kern.rawpartition"}, "3\n");
    answer({"gpt", "-r", "header", "wd0"},
           fmt::format("Media Size: {} (2.7T)\nSector Size: 512\nNumber of Sectors: {} (5.5G)\n", disk_bytes,
                       disk_sectors));
    answer({"dkctl", "wd0", "listwedges"},
           "/dev/rwd0: 1 wedge:\ndk0: data, 3907028992 blocks at 64, type: ffs\n");
    const Capture loaded = collected(Os::netbsd);
    const auto devices = collected_devices(loaded);
    ASSERT_EQ(devices.size(), 1U) << (loaded.notes.empty() ? "" : loaded.notes.front());
    auto source = RegionSource::make(devices[0]->regions());
    for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{64 * 512 + 8192},
                                   std::uint64_t{(3907028992 + 64) * 512 - 512}, disk_bytes - 512})
        EXPECT_TRUE((*source)->read(at, 512)) << at;
}

TEST_P(ScriptHeads, Linux) {
    test::Bytes head(64 * KiB);
    test::write_mbr(head, 0, {{0x83, 2048, 4'000'000'000}});
    head.text(20000, "x");
    device("sda", disk_bytes, {{0, head.bytes()}, {2048 * 512, ffs_head("ffs/freebsd-001-default-8m.gz")}});
    folder.file("sys/sda/size", fmt::format("{}\n", disk_sectors));
    folder.file("sys/sda/queue/logical_block_size", "512\n");
    folder.file("sys/sda/sda1/start", "2048\n");
    folder.file("sys/sda/sda1/size", "4000000000\n");
    folder.file("sys/loop0/size", "8\n");
    folder.file("sys/sdb/size", "0\n");
    const Capture loaded = collected(Os::linux_);
    expect_found(loaded, "sda", "sda1");
    for (const auto& note : loaded.notes) EXPECT_FALSE(note.starts_with("sdb")) << "a drive without a medium";
}

// Extended tables lie far apart: each is found through the one before, and a circle ends.
TEST_P(ScriptHeads, TheChainOfExtendedTables) {
    constexpr std::uint64_t first = 2'000'000, apart = 3'000'000;
    const auto sector = [](const std::vector<test::MbrRow>& rows) {
        test::Bytes out(512);
        test::write_mbr(out, 0, rows);
        return out.bytes();
    };
    for (const bool circle : {false, true}) {
        SCOPED_TRACE(circle);
        std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> tables{
            {0, sector({{0x05, first, 4'000'000'000}})}};
        for (std::uint32_t i = 0; i < 3; ++i) {
            std::vector<test::MbrRow> rows{{0x83, 2048, 1'000'000}};
            if (i < 2) rows.push_back({0x05, static_cast<std::uint32_t>((i + 1) * apart), apart});
            if (i == 2 && circle) rows.push_back({0x05, static_cast<std::uint32_t>(apart), apart});
            tables.emplace_back((first + i * apart) * 512, sector(rows));
        }
        device("sda", disk_bytes, tables);
        folder.file("sys/sda/size", fmt::format("{}\n", disk_sectors));
        fs::remove_all(folder.path("host"));
        fs::remove(folder.path("out.tar"));
        const Capture loaded = collected(Os::linux_);
        const auto devices = collected_devices(loaded);
        ASSERT_EQ(devices.size(), 1U);
        const auto source = RegionSource::make(devices[0]->regions());
        ASSERT_TRUE(source);
        for (std::uint64_t i = 0; i < 3; ++i)
            EXPECT_TRUE((*source)->read((first + i * apart) * 512, 512)) << i;
        Capture bytes;
        bytes.images.push_back(*source);
        const auto facts = assemble(bytes);
        ASSERT_TRUE(facts) << facts.error().message;
        const auto logical = std::count_if(
            facts->partitions.begin(), facts->partitions.end(),
            [](const Partition& p) { return p.name == "sda5" || p.name == "sda6" || p.name == "sda7"; });
        EXPECT_EQ(logical, 3);
    }
}

TEST_P(ScriptHeads, ADiskThatDoesNotAnswerIsLeftAlone) {
    ASSERT_EQ(shell("mkfifo '" + folder.path("dev/sda") + "'"), 0);
    device("sdb", disk_bytes, {});
    for (const auto* name : {"sda", "sdb"}) folder.file(fmt::format("sys/{}/size", name), "5860533168\n");
    const Capture loaded = collected(Os::linux_, "command_seconds=10", "command_seconds=2");
    ASSERT_EQ(collected_devices(loaded).size(), 1U);
    EXPECT_EQ(collected_devices(loaded)[0]->name(), "sdb");
    EXPECT_TRUE(collected_devices(loaded)[0]->regions().bytes.empty()) << "read and empty";
    EXPECT_TRUE(std::any_of(loaded.notes.begin(), loaded.notes.end(),
                            [](const auto& note) { return note.starts_with("sda: "); }));
}

TEST_P(ScriptHeads, ManyPartitionsStayWithinTheBounds) {
    device("sda", disk_bytes, {{0, std::vector<std::byte>(512, std::byte{1})}});
    folder.file("sys/sda/size", fmt::format("{}\n", disk_sectors));
    for (std::uint64_t i = 1; i <= 60; ++i) {
        folder.file(fmt::format("sys/sda/sda{}/start", i), fmt::format("{}\n", i * 40'000'000));
        folder.file(fmt::format("sys/sda/sda{}/size", i), "30000000\n");
    }
    const Capture loaded = collected(Os::linux_);
    const auto devices = collected_devices(loaded);
    ASSERT_EQ(devices.size(), 1U);
    std::uint64_t all = 0;
    for (const auto& region : devices[0]->regions().regions) all += region.length;
    EXPECT_LE(all, 1 * MiB);
    EXPECT_GE(all, 768 * KiB);
    EXPECT_LE(devices[0]->regions().regions.size(), 200U);
    EXPECT_TRUE(std::any_of(loaded.notes.begin(), loaded.notes.end(), [](const auto& note) {
        return note.starts_with("sda: ") && contains(note, "more partitions than are looked into");
    }));
}

INSTANTIATE_TEST_SUITE_P(Shells, ScriptHeads, testing::Values("dash", "bash --posix", "mksh", "yash"),
                         [](const auto& row) {
                             const std::string name = row.param;
                             return name.substr(0, name.find(' '));
                         });

}  // namespace
}  // namespace diskwright
