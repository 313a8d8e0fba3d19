// SPDX-License-Identifier: BSD-2-Clause
// Heads and tails of disks, with plain files for disks.
#include "probes/live/device_heads.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "probes/capture/assemble.hpp"
#include "probes/capture/file_source.hpp"
#include "probes/live/collector.hpp"
#include "probes/live/device_system.hpp"
#include "probes/live/disk_reader.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/program.hpp"
#include "tests/support/recorded_host.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::uint64_t disk_bytes = std::uint64_t{20} << 30;

class DeviceHeadsOfFiles : public testing::Test {
 protected:
    // A sparse disk with one FFS partition of NetBSD at sector 64.
    void disk(const std::string& name, std::uint64_t bytes = disk_bytes) const {
        test::Bytes head(64 * KiB);
        test::write_mbr(head, 0, {{0xa9, 64, 40000000}});
        test::write_label(head, 65 * 512, 41943040, {{40000000, 64, 7}});
        const std::string path = device_system::whole_disk_path(folder.path(""), name);
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(head.bytes().data()), 64 * KiB);
        fs::resize_file(path, bytes);
    }
    DeviceHeads read(const std::vector<std::string>& disks) const {
        return read_heads(disks, folder.path(""), milliseconds(20000));
    }
    test::TemporaryFolder folder;
};

TEST_F(DeviceHeadsOfFiles, WhatDiscoveryReadsAndNoMore) {
    disk("wd0"), disk("wd1", disk_bytes + 512);
    const DeviceHeads heads = read({"wd0", "wd1"});
    EXPECT_TRUE(heads.notes.empty()) << heads.notes.front();
    ASSERT_EQ(heads.devices.size(), 2U);
    EXPECT_EQ(heads.devices[1]->size_bytes(), disk_bytes + 512);
    for (const auto& device : heads.devices) {
        const DeviceRegions& all = device->regions();
        std::uint64_t bytes = 0;
        for (const auto& region : all.regions) bytes += region.length;
        EXPECT_LE(bytes, FileSource::most_bytes);
        EXPECT_LE(all.regions.size(), FileSource::most_reads);
        EXPECT_LE(all.bytes.size(), 64 * KiB) << "the rest is zeros";
        EXPECT_TRUE(device->read(*device->size_bytes() - 512, 512)) << "the tail was looked at";
    }
    // The same is found in it as on the disk itself.
    Capture kept, whole;
    kept.images.push_back(heads.devices[0]);
    whole.images = load_input(device_system::whole_disk_path(folder.path(""), "wd0"))->images;
    auto found = assemble(kept), expected = assemble(whole);
    ASSERT_TRUE(found && expected);
    EXPECT_EQ(found->partitions, expected->partitions);
    EXPECT_EQ(found->partitions.size(), 2U);
    EXPECT_EQ(found->filesystems, expected->filesystems);
}

// A table in the first chunk of a RAID 5, and what its partition holds in the second, on another disk.
TEST_F(DeviceHeadsOfFiles, WhatLiesInASetIsReadThroughItsMembers) {
    const std::vector<std::string> names{"sda", "sdb", "sdc"};
    Capture whole;
    for (std::uint32_t i = 0; i < 3; ++i) {
        test::Md1 label;
        label.device = i;
        test::Bytes image(4 * MiB);
        image.copy(4096, label.bytes());
        if (i == 0) test::write_mbr(image, 1 * MiB, {{0x83, 128, 4096}});
        if (i == 1) image.text(1 * MiB, std::string_view("LUKS\xba\xbe\0\1", 8));
        const std::string path = device_system::whole_disk_path(folder.path(""), names[i]);
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(image.bytes().data()), 4 * MiB);
        whole.images.push_back(load_input(path)->images.at(0));
    }
    Capture kept;
    for (const auto& device : read(names).devices) kept.images.push_back(device);
    const auto found = assemble(kept), expected = assemble(whole);
    ASSERT_TRUE(found && expected);
    ASSERT_EQ(expected->volumes.size(), 2U) << "the array, and LUKS within it";
    ASSERT_EQ(expected->partitions.size(), 1U) << "the table within the set";
    EXPECT_EQ(found->volumes, expected->volumes);
    EXPECT_EQ(found->partitions, expected->partitions);
    EXPECT_EQ(found->filesystems, expected->filesystems);
    EXPECT_EQ(found->events, expected->events);
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(kept.images.at(i)->read(1 * MiB, 512)) << "the data of the set on " << names[i];
}

TEST_F(DeviceHeadsOfFiles, WhatCannotBeReadIsSaidAndHoldsNothingUp) {
    disk("wd0");
    fs::create_directory(folder.path("wd1"));
    ASSERT_EQ(mkfifo(folder.path("wd2").c_str(), 0600), 0);
    std::ofstream(folder.path("wd4"));
    const auto begun = std::chrono::steady_clock::now();
    const DeviceHeads heads = read({"wd1", "wd2", "wd3", "wd4", "wd0"});
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
    ASSERT_EQ(heads.devices.size(), 1U) << "wd4 has no medium";
    EXPECT_EQ(heads.devices[0]->name(), "wd0");
    ASSERT_EQ(heads.notes.size(), 3U);
    for (const auto& note : heads.notes) EXPECT_TRUE(note.starts_with(folder.path("wd"))) << note;
}

TEST_F(DeviceHeadsOfFiles, ASilentReaderIsLeftAlone) {
    disk("wd0");
    auto reader = DiskReader::start("wd0", device_system::whole_disk_path(folder.path(""), "wd0"), {});
    ASSERT_TRUE(reader);
    ASSERT_TRUE((*reader)->begin(std::chrono::steady_clock::now() + std::chrono::seconds(20)));
    ASSERT_TRUE((*reader)->read(0, 512));
    // Stopped, it does as little as one that waits for a dying disk.
    ASSERT_EQ(kill((*reader)->process(), SIGSTOP), 0);
    const auto begun = std::chrono::steady_clock::now();
    const auto silent = (*reader)->read(123 * MiB, 512);
    ASSERT_FALSE(silent);
    EXPECT_EQ(silent.error().kind, ErrorKind::unavailable);
    EXPECT_EQ(silent.error().message, "wd0: gave no answer in time");
    EXPECT_FALSE((*reader)->read(124 * MiB, 512));
    EXPECT_FALSE((*reader)->everything(begun + std::chrono::seconds(20)));
    reader->reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10)) << "waited for it once";
}

TEST_F(DeviceHeadsOfFiles, NoProcessIsLeftBehind) {
    disk("wd0"), disk("wd1");
    (void)read({"wd0", "wd1", "wd9"});
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(WholeDisks, AreThoseWithAMediumOfTheirOwn) {
    HostFacts facts;
    for (const auto* name :
         {"sda",  "loop0", "zram0", "ram1",       "nbd0",        "sr0",         "fd0",   "cd0",
          "dm-0", "md0",   "md127", "nvme0n1",    "ada0",        "wd0",         "ld0",   "sd0",
          "sd4",  "raid0", "ccd0",  "cgd0",       "vnd0",        "rd0",         "mfid0", "da0",
          "xbd0", "nda0",  "vtbd0", "cciss/c0d0", "../../tmp/x", "/etc/passwd", "-x",    "a b"})
        disk(facts, name);
    volume(facts, "sd4");
    EXPECT_EQ(whole_disks(facts), (std::vector<std::string>{"sda", "nvme0n1", "ada0", "wd0", "ld0", "sd0",
                                                            "mfid0", "da0", "xbd0", "nda0", "vtbd0"}));
}

TEST_F(DeviceHeadsOfFiles, CollectedWithTheRest) {
    test::RecordedHost host(test::recorded_capture("netbsd-raid1"));
    disk("wd0"), disk("wd1");
    LiveOptions options;
    options.devices = folder.path("");
    const Capture live = collect_live(host, Os::netbsd, true, options);
    EXPECT_EQ(live.images.size(), 2U);
    const Capture anyone = collect_live(host, Os::netbsd, false, options);
    EXPECT_TRUE(anyone.images.empty());
    EXPECT_NE(std::find(anyone.notes.begin(), anyone.notes.end(), "device heads: needs root"),
              anyone.notes.end());
}

}  // namespace
}  // namespace diskwright
