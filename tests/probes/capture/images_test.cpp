// SPDX-License-Identifier: BSD-2-Clause
// Disk images as input: recognised by content, read within bounds, one host with what commands printed.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "probes/capture/assemble.hpp"
#include "probes/capture/file_source.hpp"
#include "probes/capture/region_source.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/images.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using test::Bytes;

std::string text_of(const Bytes& image, std::size_t length) {
    const auto part = image.part(0, length);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
}

std::string text_of(std::span<const std::byte> part) {
    return {reinterpret_cast<const char*>(part.data()), part.size()};
}

Bytes netbsd_disk() {
    Bytes image(4096 * 512);
    test::write_mbr(image, 0, {{0xa9, 64, 4000}});
    test::write_label(image, 65 * 512, 4096, {{2000, 64, 7}, {1000, 2064, 1}});
    return image;
}

const Partition* partition_of(const HostFacts& facts, std::string_view name) {
    for (const Partition& p : facts.partitions)
        if (p.name == name) return &p;
    return nullptr;
}

TEST(Images, RecognisedByContentAndNamedByTheirFile) {
    const test::TemporaryFolder folder;
    const Bytes disk = netbsd_disk();
    for (const std::string file : {"wd0.img", "wd0", "wd0.raw"}) {
        const auto capture = load_input(folder.file(file, text_of(disk, 4096 * 512)));
        ASSERT_TRUE(capture.ok());
        ASSERT_EQ(capture->images.size(), 1U);
        EXPECT_EQ(capture->images[0]->name(), "wd0");
        EXPECT_TRUE(capture->documents.empty());
        const auto facts = assemble(*capture);
        ASSERT_TRUE(facts.ok()) << facts.error().message;
        ASSERT_TRUE(partition_of(*facts, "wd0a"));
        EXPECT_EQ(*facts->disks.at(0).size_bytes, 4096U * 512);
    }
}

TEST(Images, AFolderOfImagesAndTextIsOneHost) {
    const test::TemporaryFolder folder;
    const Bytes disk = netbsd_disk();
    folder.file("wd0.img", text_of(disk, 4096 * 512));
    folder.file("wd1.img", text_of(disk, 128 * 512));
    folder.file("uname.txt", "$ uname -a\nNetBSD host 9.3 NetBSD 9.3 (GENERIC) amd64\n");
    const auto capture = load_input(folder.path("."));
    ASSERT_TRUE(capture.ok());
    EXPECT_EQ(capture->images.size(), 2U);
    const auto facts = assemble(*capture);
    ASSERT_TRUE(facts.ok());
    EXPECT_TRUE(facts->os.release.is("9.3"));
    EXPECT_TRUE(partition_of(*facts, "wd0a"));
    EXPECT_TRUE(partition_of(*facts, "wd1a"));
}

TEST(Images, BinaryDataOfNoKnownKindIsRefused) {
    const test::TemporaryFolder folder;
    const auto capture = load_input(folder.file("dump.bin", std::string(70000, '\0')));
    ASSERT_TRUE(capture.ok());
    const auto facts = assemble(*capture);
    ASSERT_FALSE(facts.ok());
    EXPECT_EQ(facts.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(facts.error().message, "blank: only zeros where tables, metadata and superblocks lie");
    std::string random(70000, '\0');
    std::uint32_t state = 5;
    for (char& c : random) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    const auto noise = load_input(folder.file("random", random));
    ASSERT_EQ(noise->images.size(), 1U);
    EXPECT_NE(assemble(*noise).error().message.find("no partition table"), std::string::npos);
    EXPECT_EQ(load_input(folder.file("text", "plain text\twith\ttabs\n"))->documents.size(), 1U);
}

TEST(Images, DamageIsAFact) {
    const test::TemporaryFolder folder;
    Bytes disk(4096 * 512);
    test::write_label(disk, 512, 4096, {{2000, 64, 7}});
    disk.u32(512 + 148, 1999);
    const auto facts = assemble(*load_input(folder.file("sd0.img", text_of(disk, 4096 * 512))));
    ASSERT_TRUE(facts.ok());
    ASSERT_EQ(facts->damages.size(), 1U);
    EXPECT_EQ(facts->damages[0].what, "sd0@0x200: disk label: checksum wrong, the label is not used");
    EXPECT_EQ(facts->damages[0].from.source(), "sd0@0x200");
    EXPECT_TRUE(facts->partitions.empty());
}

// What lies in somebody's folder is not opened as a device, and does not take all descriptors.
TEST(Images, FoldersHoldFilesOnly) {
    const test::TemporaryFolder folder;
    const std::string disk = text_of(netbsd_disk(), 128 * 512);
    for (int i = 0; i < 4; ++i) folder.file(fmt::format("wd{}.img", i), disk);
    struct stat null {};
    ASSERT_EQ(stat("/dev/null", &null), 0);
    const bool device = mknod(folder.path("null").c_str(), S_IFCHR | 0600, null.st_rdev) == 0;
    LoadLimits limits;
    limits.images = 3;
    const auto capture = load_input(folder.path("."), limits);
    ASSERT_TRUE(capture.ok());
    EXPECT_EQ(capture->images.size(), 3U);
    std::vector<std::string> expected{"wd3.img: more than 3 images, left out"};
    if (device) expected.insert(expected.begin(), "null: a device, left out: it has to be named itself");
    EXPECT_EQ(capture->notes, expected);
}

// NetBSD's newfs leaves nothing that tells its system: what the user or another text says of it decides.
TEST(Images, TheSystemOfTheHostDecidesWhatFlagsMean) {
    const test::TemporaryFolder folder;
    const auto bytes = test::stored_image("ffs/netbsd-O2-f512.gz");
    const std::string image =
        folder.file("sd0.img", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    auto capture = load_input(image);
    ASSERT_TRUE(capture.ok());
    const auto unknown = assemble(*capture);
    ASSERT_TRUE(unknown.ok());
    EXPECT_FALSE(unknown->filesystems.at(0).wapbl);
    const auto stated = assemble(*capture, {"netbsd-9", {}});
    ASSERT_TRUE(stated.ok());
    EXPECT_TRUE(stated->filesystems.at(0).wapbl.is(false));
    capture->documents.push_back({"uname", "$ uname -a\nNetBSD host 9.3 NetBSD 9.3 (GENERIC) amd64\n", {}});
    const auto printed = assemble(*capture);
    ASSERT_TRUE(printed.ok());
    EXPECT_TRUE(printed->filesystems.at(0).wapbl.is(false));
}

// A file system on a disk that was erased with ones, or with another byte that may stand in a text.
TEST(Images, AnErasedDiskIsAnImage) {
    const test::TemporaryFolder folder;
    const auto bytes = test::stored_image("ffs/freebsd-040-U.gz");
    for (const char fill : {'\xff', '\xa5'}) {
        std::string image(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        std::fill_n(image.begin(), 65536, fill);
        const auto capture = load_input(folder.file(fmt::format("ada{}.img", fill & 0xff), image));
        ASSERT_TRUE(capture.ok());
        const auto facts = assemble(*capture);
        ASSERT_TRUE(facts.ok()) << facts.error().message;
        EXPECT_TRUE(facts->filesystems.at(0).softupdates.is(true));
    }
}

// A sparse file of 16 TB, the most that ext4 takes, which a table fills with partitions.
TEST(Images, LargeDisksAreReadWithinBounds) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("wd0.img");
    Bytes head(2048 * 512);
    std::vector<test::MbrRow> rows;
    for (std::uint32_t i = 0; i < 4; ++i) rows.push_back({0xa9, 2048 + i * 1000000000, 900000000});
    test::write_mbr(head, 0, rows);
    std::vector<test::LabelRow> label;
    for (std::uint64_t i = 0; i < 16; ++i) label.push_back({200000000, 3000 + i * 200000000, 7});
    const int fd = open(path.c_str(), O_CREAT | O_RDWR | O_EXCL, 0600);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(pwrite(fd, head.bytes().data(), head.bytes().size(), 0),
              static_cast<ssize_t>(head.bytes().size()));
    Bytes sector(1024);
    test::write_label(sector, 512, 0xffffffff, label);
    ASSERT_EQ(pwrite(fd, sector.bytes().data(), 1024, 2048 * 512), 1024);
    ASSERT_EQ(ftruncate(fd, 16000000000000), 0);
    // What lies in the last one, behind so many empty ones, is not missed for want of reads.
    ASSERT_EQ(pwrite(fd, "LUKS\xba\xbe\0\1", 8, (3000 + 15 * 200000000LL) * 512), 8);
    close(fd);
    const auto capture = load_input(path);
    ASSERT_TRUE(capture.ok());
    const auto facts = assemble(*capture);
    ASSERT_TRUE(facts.ok()) << facts.error().message;
    EXPECT_EQ(facts->partitions.size(), 20U);
    EXPECT_EQ(*facts->disks.at(0).size_bytes, 16000000000000U);
    const auto* source = dynamic_cast<const FileSource*>(capture->images[0].get());
    ASSERT_TRUE(source);
    EXPECT_LE(source->bytes_read(), FileSource::most_bytes);
    EXPECT_LE(source->reads(), FileSource::most_reads);
    ASSERT_EQ(facts->volumes.size(), 1U);
    EXPECT_TRUE(facts->volumes[0].crypto_format.is("LUKS1"));
}

TEST(Images, TheLimitOfOneDiscovery) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("big.img", std::string(4 << 20, '\0'));
    FileSource source("big", open(path.c_str(), O_RDONLY | O_CLOEXEC), 4 << 20, false);
    std::size_t taken = 0;
    for (std::uint64_t at = 0; at < (4 << 20); at += 8192) taken += source.read(at + 100, 50).ok() ? 1 : 0;
    EXPECT_EQ(taken, FileSource::most_reads);
    EXPECT_TRUE(source.exhausted());
    EXPECT_TRUE(source.read(100, 50).ok()) << "what was read before stays";
    FileSource other("big", open(path.c_str(), O_RDONLY | O_CLOEXEC), 4 << 20, false);
    EXPECT_FALSE(other.read(0, (1 << 20) + 4096).ok());
    EXPECT_FALSE(other.read((4 << 20) - 1, 2).ok());
    EXPECT_FALSE(other.read(~0ULL, 2).ok());
}

// One label says how many components there are, and not whether they are there.
TEST(Images, OneMemberAloneLeavesTheStateOfItsSetOpen) {
    const test::TemporaryFolder folder;
    std::vector<std::string> paths;
    for (int i = 0; i < 2; ++i) {
        const auto head = test::stored_image(fmt::format("raidframe/r5-n15-spsu32.clean.{}.gz", i));
        paths.push_back(
            folder.file(fmt::format("sd{}", i), {reinterpret_cast<const char*>(head.data()), head.size()}));
    }
    auto capture = load_input(paths[0]);
    ASSERT_TRUE(capture.ok());
    const auto alone = assemble(*capture);
    ASSERT_TRUE(alone.ok());
    ASSERT_EQ(alone->volumes.size(), 1U);
    EXPECT_FALSE(alone->volumes[0].state);
    EXPECT_FALSE(alone->volumes[0].spares);
    EXPECT_EQ(alone->volumes[0].components.size(), 1U);
    EXPECT_TRUE(alone->volumes[0].components_complete.is(false));
    EXPECT_TRUE(alone->volumes[0].columns.is(15));
    // Two disks of a host that should have more.
    capture->images.push_back(load_input(paths[1])->images.at(0));
    const auto two = assemble(*capture);
    ASSERT_TRUE(two.ok());
    EXPECT_TRUE(two->volumes.at(0).state.is(VolumeState::failed));
    EXPECT_EQ(two->volumes[0].components.size(), 15U);
}

// What tells an image from a text is read of it, too.
TEST(Images, TheHeadReadBeforeCounts) {
    const test::TemporaryFolder folder;
    std::string bytes(1 << 20, '\0');
    bytes[5000] = 'x';
    const auto capture = load_input(folder.file("big.img", bytes));
    ASSERT_TRUE(capture.ok());
    auto* image = dynamic_cast<FileSource*>(capture->images.at(0).get());
    ASSERT_TRUE(image);
    EXPECT_EQ(image->bytes_read(), 64 * KiB);
    const auto read = image->read(5000, 1);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(static_cast<char>((*read)[0]), 'x');
    EXPECT_EQ(image->reads(), 1U) << "nothing is read twice";
}

TEST(Images, TheEndOfADeviceThatDoesNotTell) {
    const test::TemporaryFolder folder;
    for (const std::uint64_t size : {512ULL, 4096ULL, 4608ULL, 1000448ULL, 16000000000512ULL}) {
        const std::string path = folder.path("sparse");
        const int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0600);
        ASSERT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
        std::array<char, 4096> buffer{};
        EXPECT_EQ(end_by_reading([&](std::uint64_t at) {
                      return pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(at));
                  }),
                  size);
        EXPECT_EQ(end_of_device(fd), size);
        close(fd);
    }
    const int endless = open("/dev/zero", O_RDONLY);
    EXPECT_FALSE(end_of_device(endless).has_value());
    close(endless);
    EXPECT_FALSE(load_input("/dev/zero").ok());
    EXPECT_FALSE(load_input("/dev/null").ok());
}

// A device of `size` bytes in sectors of 512, as NetBSD's raw ones answer; from `bad` on 4 KiB can't be read.
std::optional<std::uint64_t> end_of(std::uint64_t size, std::uint64_t bad, int error) {
    int interrupts = 3;
    return end_by_reading([&](std::uint64_t at) -> ssize_t {
        errno = interrupts > 0 ? EINTR : at > size ? EINVAL : at + 4096 > bad && at < bad + 4096 ? error : 0;
        if (interrupts > 0) --interrupts;
        if (errno != 0) return -1;
        return static_cast<ssize_t>(std::min<std::uint64_t>(4096, size - at));
    });
}

TEST(Images, ABadSectorIsNotTheEndOfADevice) {
    constexpr std::uint64_t nowhere = std::uint64_t{1} << 60;
    for (const std::uint64_t size : {512ULL, 4096ULL, 40960ULL, 41472ULL, 1000204886016ULL}) {
        EXPECT_EQ(end_of(size, nowhere, EIO), size);
        for (const std::uint64_t bad : {std::uint64_t{0}, size / 2, size - 512})
            for (const int error : {EIO, ENXIO}) {
                const auto end = end_of(size, bad, error);
                EXPECT_TRUE(!end || *end == size) << size << " bad at " << bad << ": " << *end;
            }
    }
    EXPECT_EQ(end_of(1 << 20, 1 << 19, EIO), std::nullopt) << "where it looks";
}

// Reading a folder as a device fails at every byte.
std::shared_ptr<FileSource> failing_device(const test::TemporaryFolder& folder, std::string name) {
    return std::make_shared<FileSource>(
        std::move(name), open(folder.path(".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), 1 << 20, true);
}

TEST(Images, WhatADeviceFailsAtIsTriedOnce) {
    const test::TemporaryFolder folder;
    const auto device = failing_device(folder, "sd0");
    for (int i = 0; i < 3; ++i) {
        const auto bytes = device->read(4000, 200);
        ASSERT_FALSE(bytes.ok());
        EXPECT_EQ(bytes.error().kind, ErrorKind::io_error);
        EXPECT_TRUE(bytes.error().message.starts_with("sd0@0x0: ")) << bytes.error().message;
    }
    EXPECT_EQ(device->reads(), 2U) << "both pages at once, then the first";
    EXPECT_FALSE(device->anything_read());
    EXPECT_EQ(device->failures().size(), 1U);
    std::size_t failed = 0;
    for (std::uint64_t at = 0; at < 1 << 20; at += 4096) failed += device->read(at, 512).ok() ? 0 : 1;
    EXPECT_EQ(failed, 256U);
    EXPECT_EQ(device->reads(), FileSource::most_reads) << "a failing device takes its time over each";
}

// A hole in the memory of this process stands for a bad sector.
TEST(Images, PagesBesideABadSectorAreRead) {
    constexpr std::size_t page = 4096;
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0 || sysconf(_SC_PAGESIZE) != static_cast<long>(page)) GTEST_SKIP() << "no such file here";
    void* const pages = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    std::fill_n(static_cast<char*>(pages), 4 * page, 'x');
    ASSERT_EQ(munmap(static_cast<char*>(pages) + 2 * page, page), 0);
    const auto start = reinterpret_cast<std::uintptr_t>(pages);
    FileSource source("mem", memory, start + 4 * page, true);
    const auto across = source.read(start, 4 * page);
    ASSERT_FALSE(across.ok());
    EXPECT_EQ(across.error().message.substr(0, across.error().message.rfind(':')),
              fmt::format("mem@{:#x}", start + 2 * page));
    EXPECT_TRUE(source.read(start, 2 * page).ok());
    EXPECT_TRUE(source.read(start + 3 * page, page).ok());
    EXPECT_EQ(source.failures().size(), 1U);
    munmap(pages, 2 * page);
    munmap(static_cast<char*>(pages) + 3 * page, page);
}

TEST(Images, ADeviceThatGivesNothingIsAnErrorOfTheDevice) {
    const test::TemporaryFolder folder;
    Capture capture;
    capture.images = {failing_device(folder, "sd0"), failing_device(folder, "sd1")};
    const auto nothing = assemble(capture);
    ASSERT_FALSE(nothing.ok());
    EXPECT_EQ(nothing.error().kind, ErrorKind::io_error);
    EXPECT_TRUE(nothing.error().message.starts_with("sd0@0x0: ")) << nothing.error().message;
    // Beside one that can be read it is told, and what is known is kept.
    const Bytes disk = netbsd_disk();
    capture.images.push_back(load_input(folder.file("wd0.img", text_of(disk, 4096 * 512)))->images.at(0));
    const auto facts = assemble(capture);
    ASSERT_TRUE(facts.ok()) << facts.error().message;
    EXPECT_TRUE(partition_of(*facts, "wd0a"));
    const auto told = std::count_if(facts->unparsed.begin(), facts->unparsed.end(), [](const Unparsed& u) {
        return u.source == "sd1" && u.reason.starts_with("sd1@0x0: ");
    });
    EXPECT_EQ(told, 1);
    for (std::size_t i = 0; i < facts->damages.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(facts->damages[i].what, facts->damages[j].what);
}

TEST(Images, NamesOfImagesAndDevices) {
    EXPECT_EQ(source_name("/tmp/sd0.img", false), "sd0");
    EXPECT_EQ(source_name("sd0", false), "sd0");
    EXPECT_EQ(source_name("/dev/ada0p2.eli", true), "ada0p2.eli");
    EXPECT_EQ(source_name("/dev/mirror/gm0.journal", true), "gm0.journal");
    EXPECT_EQ(source_name("/dev/rwd0d", true), "rwd0d");
}

// Pieces that overlap are held once each: few pages make many of them.
TEST(Images, PiecesOfSeveralPagesAreBounded) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a.img", std::string(256 << 10, 'a'));
    FileSource source("a", open(path.c_str(), O_RDONLY | O_CLOEXEC), 256 << 10, false);
    ASSERT_TRUE(source.read(4096, 1).ok()) << "apart from its neighbours in memory, too";
    std::uint64_t held = 0;
    for (std::size_t length = 100000; length < 100200; ++length)
        if (source.read(0, length).ok()) held += length;
    EXPECT_LE(held, FileSource::most_joined);
    EXPECT_GE(held, FileSource::most_joined - 100200);
    EXPECT_TRUE(source.exhausted());
    EXPECT_TRUE(source.read(0, 100000).ok()) << "held already";
}

// Headers of 256 KiB, of which a capture has the head of the first.
TEST(Images, APlaceThatWasNotCollectedIsNoDamage) {
    Bytes head(40 << 10, ByteOrder::big);
    head.text(0, "LUKS\xba\xbe").u16(6, 2).u64(8, 256 << 10).text(72, "sha256");
    DeviceRegions regions{"sda2", 1 << 20, 512, {}, {}};
    regions.add(0, head.bytes());
    const auto source = RegionSource::make(std::move(regions));
    ASSERT_TRUE(source.ok());
    Found found;
    ASSERT_TRUE(*read_luks(**source, found));
    EXPECT_TRUE(found.facts.volumes.at(0).crypto_format.is("LUKS2"));
    EXPECT_EQ(found.damage, std::vector<std::string>{});
}

TEST(Images, ReadAnewShowsWhatChanged) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("a.img", std::string(20000, 'a'));
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    FileSource source("a", fd, 20000, false);
    ASSERT_TRUE(source.read(1024, 8).ok());
    ASSERT_EQ(pwrite(fd, "bbbb", 4, 1024), 4);
    EXPECT_EQ(text_of(*source.read(1024, 8)), "aaaaaaaa");
    EXPECT_EQ(text_of(*source.read_anew(1024, 8)), "bbbbaaaa");
    EXPECT_EQ(text_of(*source.read(1024, 8)), "bbbbaaaa") << "and what is read later agrees with it";
    EXPECT_EQ(source.reads(), 2U);
    EXPECT_FALSE(source.read_anew(19999, 2).ok());
    EXPECT_EQ(text_of(*source.read_anew(4090, 12)), std::string(12, 'a'));
    EXPECT_EQ(source.read_anew(19990, 10)->size(), 10U);
}

TEST(Images, ReadsAcrossPages) {
    const test::TemporaryFolder folder;
    std::string bytes(20000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 >> 3);
    const std::string path = folder.file("a.img", bytes);
    FileSource source("a", open(path.c_str(), O_RDONLY | O_CLOEXEC), bytes.size(), false);
    for (const auto& [at, length] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 1}, {4095, 2}, {4096, 4096}, {100, 12000}, {16383, 3617}, {19999, 1}, {4095, 2}}) {
        const auto part = source.read(at, length);
        ASSERT_TRUE(part.ok()) << at;
        EXPECT_TRUE(std::equal(part->begin(), part->end(),
                               std::as_bytes(std::span(bytes)).subspan(at, length).begin()))
            << at;
    }
}

// The bytes and the listing of one label agree, or the host's sources do not.
TEST(Images, BytesAndTextOfOneHost) {
    const test::TemporaryFolder folder;
    folder.file("wd0.img", text_of(netbsd_disk(), 4096 * 512));
    const auto with = [&](const std::string& size) {
        folder.file(
            "label" + size + ".txt",
            "$ disklabel wd0\n# /dev/rwd0d:\ntype: ESDI\ndisk: test\nlabel: \nflags:\nbytes/sector: 512\n"
            "sectors/track: 63\ntracks/cylinder: 16\nsectors/cylinder: 1008\ncylinders: 4\n"
            "total sectors: 4096\nrpm: 3600\ninterleave: 1\n\n2 partitions:\n"
            "#        size    offset     fstype [fsize bsize cpg/sgs]\n"
            " a:      " +
                size +
                "        64     4.2BSD      0     0     0\n"
                " b:      1000      2064       swap\n");
        auto capture = load_input(folder.path("label" + size + ".txt"));
        auto image = load_input(folder.path("wd0.img"));
        capture->images = image->images;
        return assemble(*capture);
    };
    const auto same = with("2000");
    ASSERT_TRUE(same.ok());
    EXPECT_TRUE(same->conflicts.empty());
    const auto other = with("1900");
    ASSERT_TRUE(other.ok());
    ASSERT_EQ(other->conflicts.size(), 1U);
    EXPECT_EQ(other->conflicts[0].what, "partitions.wd0a.size_bytes");
    EXPECT_FALSE(other->conflicts[0].superseded);
}

TEST(Images, OnTheCommandLine) {
    const test::TemporaryFolder folder;
    const std::string image = folder.file("wd0.img", text_of(netbsd_disk(), 4096 * 512));
    const auto shown = test::run_program({"show", image});
    EXPECT_EQ(shown.status, 0) << shown.errors;
    EXPECT_NE(shown.output.find("Stack\n  wd0  disk, 2 MiB\n"), std::string::npos) << shown.output;
    EXPECT_NE(shown.output.find("| 512 + 4K + 64K - 1M - |"), std::string::npos) << shown.output;
    EXPECT_NE(shown.output.find("[wd0@0x82"), std::string::npos) << shown.output;
    const auto nothing = test::run_program({"audit", folder.file("x.img", std::string(9000, '\0'))});
    EXPECT_EQ(nothing.status, 65);
    const auto audit =
        test::run_program({"audit", "--host", image, folder.file("wd1.img", text_of(netbsd_disk(), 70 * 512)),
                           "--format", "json"});
    EXPECT_NE(audit.output.find("\"wd1a\""), std::string::npos);
}

}  // namespace
}  // namespace diskwright
