// SPDX-License-Identifier: BSD-2-Clause
// Disk labels of the BSDs, 32 and 64 bits, wherever their ports put them.
#include <gtest/gtest.h>

#include "probes/ondisk/checksums.hpp"
#include "tests/support/table_reading.hpp"

namespace diskwright {
namespace {

using namespace test;

TEST(Disklabel, NetbsdLabelAtEveryPlaceAndByteOrderOfThePorts) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big})
        for (const std::size_t at : {0, 64, 128, 512, 516, 1024, 4608, 7680}) {
            SCOPED_TRACE(at);
            Bytes image(64 * 512, order);
            write_label(image, at, 262016, netbsd_rows());
            const auto read = read_image("sd0", image);
            EXPECT_TRUE(read.errors.empty());
            EXPECT_EQ(listing(read.found.facts),
                      "sd0a 65536 33554432 4.2BSD\nsd0b 33619968 16777216 swap\nsd0c 32256 134119936 unused\n"
                      "sd0d 0 134152192 unused\nsd0e 50397184 83755008 4.2BSD\nsd0h 134152192 512000 RAID\n");
            const auto* t = table_of(read.found.facts, Scheme::disklabel);
            ASSERT_TRUE(t);
            EXPECT_EQ(*t->total_bytes, 262016U * 512);
            EXPECT_EQ(*t->entries_shown, 6U);
            EXPECT_EQ(slots(read.found), (std::vector<std::string>{"sd0a", "sd0b", "sd0e", "sd0h"}));
            EXPECT_EQ(*read.found.facts.partitions[0].bsize, 16384U);
            ASSERT_FALSE(read.found.facts.filesystems.empty());
            EXPECT_EQ(read.found.facts.filesystems[0].bsize.from().kind(), Provenance::Kind::inferred);
        }
}

// What the label tells newfs stands for a file system only as long as nobody looked.
TEST(Disklabel, TheSizesForNewfsAreNoFileSystem) {
    constexpr std::size_t partition = 200;
    Bytes image(4096 * 512);
    write_label(image, 512, 4096, {{1000, partition, 7, 2048, 8}});
    EXPECT_TRUE(read_image("wd0", image).found.facts.filesystems.empty());
    EXPECT_EQ(*read_image("wd0", image).found.facts.partitions.at(0).bsize, 16384U);
    for (const std::size_t kept : {partition * 512, partition * 512 + 65536}) {
        const auto part = image.part(0, kept);
        MemorySource head("wd0", {part.begin(), part.end()});
        Found found;
        ASSERT_TRUE(*read_disklabel(head, found));
        EXPECT_EQ(found.facts.filesystems.size(), 1U) << kept;
    }
    // A partition that others lie in is not looked into itself.
    write_label(image, 512, 4096, {{1000, partition, 7, 2048, 8}, {500, partition, 1}});
    EXPECT_EQ(read_image("wd0", image).found.facts.filesystems.size(), 1U);
}

TEST(Disklabel, NetbsdLabelInItsSlotCountsFromTheDisk) {
    Bytes image(256 * 512);
    write_mbr(image, 0, {{0xa9, 63, 4000}});
    write_label(image, 64 * 512, 4096, {{3000, 63, 7}});
    EXPECT_EQ(listing(read_image("wd0", image).found.facts),
              "wd0:0 32256 2048000 169\nwd0a 32256 1536000 4.2BSD\n");
}

// Two systems on one disk: the first slot's label has the disk's names, or that of the host's own system; the
// other's partitions are named after its slot. Both count from the start of the disk.
TEST(Disklabel, LabelsOfTwoSystems) {
    Bytes image(4096 * 512);
    write_mbr(image, 0, {{0xa6, 64, 1000, true}, {0xa9, 2048, 1000}});
    write_label(image, 65 * 512, 4096, {{500, 64, 7}, {500, 564, 1}});
    write_label(image, 2049 * 512, 4096, {{1000, 2048, 7}});
    EXPECT_EQ(listing(read_image("sd0", image).found.facts),
              "sd0:0 32768 512000 0xa6\nsd0:1 1048576 512000 0xa9\n"
              "sd0a 32768 256000 4.2BSD\nsd0b 288768 256000 swap\nsd0:1a 1048576 512000 4.2BSD\n");
    MemorySource source("sd0", image.bytes(), image.bytes().size());
    source.belongs_to = Os::netbsd;
    Found found;
    ASSERT_TRUE(*read_disklabel(source, found));
    EXPECT_EQ(listing(found.facts),
              "sd0a 1048576 512000 4.2BSD\nsd0:0a 32768 256000 4.2BSD\nsd0:0b 288768 256000 swap\n");
    EXPECT_EQ(found.facts.tables.size(), 2U);

    // One of them damaged.
    image.u8(2049 * 512 + 150, 0x55);
    const auto damaged = read_image("sd0", image);
    EXPECT_EQ(damaged.found.facts.partitions.size(), 4U);
    EXPECT_EQ(damaged.found.damage,
              std::vector<std::string>{"sd0@0x100200: disk label: checksum wrong, the label is not used"});
}

TEST(Disklabel, OpenbsdLabelWith48Bits) {
    Bytes image(256 * 512);
    write_mbr(image, 0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0xa6, 64, 4000, true}});
    const std::size_t at = 65 * 512;
    write_label(image, at, 0x10, {{0x20, 0x40, 7}, {0x80, 0x200, 1}, {0x10, 0, 0}});
    image.u64(at + 64, 0x1122334455667788).u16(at + 72, 0).u16(at + 74, 0).u16(at + 114, 1);
    image.u16(at + 112, 2);                            // d_secperunith
    image.u16(at + 148 + 8, 1).u16(at + 148 + 10, 3);  // a: offset and size
    image.u8(at + 148 + 13, (2 << 3) | 4);             // block 16384, 8 fragments
    image.u16(at + 148 + 32 + 10, 2);                  // c: size
    image.u32(at + 80, 64).u32(at + 84, 4000);
    seal_label(image, at, 3);
    const auto read = read_image("sd0", image);
    EXPECT_TRUE(read.errors.empty());
    constexpr std::uint64_t high = std::uint64_t{1} << 32;
    ASSERT_EQ(read.found.facts.partitions.size(), 4U);
    const Partition& a = read.found.facts.partitions[1];
    EXPECT_EQ(a.name, "sd0a");
    EXPECT_EQ(*a.start_bytes, (high + 0x40) * 512);
    EXPECT_EQ(*a.size_bytes, (3 * high + 0x20) * 512);
    EXPECT_EQ(*a.bsize, 16384U);
    EXPECT_EQ(*a.fsize, 2048U);
    EXPECT_EQ(read.found.facts.partitions[0].name, "sd0:3");
    EXPECT_EQ(*read.found.facts.partitions[0].type, "0xa6");
    const auto* t = table_of(read.found.facts, Scheme::disklabel);
    EXPECT_EQ(*t->total_bytes, (2 * high + 0x10) * 512);
    EXPECT_EQ(*t->first_usable_bytes, 64U * 512);
    EXPECT_EQ(*t->last_usable_bytes, 4000U * 512);
}

TEST(Disklabel, OpenbsdLabelInAGpt) {
    Bytes image(4096 * 512);
    write_gpt(image, 512, {{openbsd_data, 64, 3999}});
    write_label(image, 65 * 512, 4096, {{3000, 64, 7}});
    const auto read = read_image("sd0", image);
    EXPECT_EQ(listing(read.found.facts), "sd0#0 32768 2015232 OpenBSD\nsd0a 32768 1536000 4.2BSD\n");
}

// A slot of a table, as discovery makes one.
class SlotSource final : public ByteSource {
 public:
    SlotSource(std::string name, std::vector<std::byte> bytes, Tables tables, Os os)
        : inner_(std::move(name), std::move(bytes)), tables_(tables), os_(os) {}
    const std::string& name() const override { return inner_.name(); }
    std::optional<std::uint64_t> size_bytes() const override { return inner_.readable_bytes(); }
    std::uint64_t readable_bytes() const override { return inner_.readable_bytes(); }
    std::uint64_t sector_bytes() const override { return 512; }
    Result<std::span<const std::byte>> read(std::uint64_t at, std::size_t length) override {
        return inner_.read(at, length);
    }
    Tables tables() const override { return tables_; }
    std::optional<Os> os() const override { return os_; }

 private:
    MemorySource inner_;
    Tables tables_;
    Os os_;
};

TEST(Disklabel, FreebsdLabelCountsFromItsSlice) {
    for (const std::uint32_t base : {0, 63}) {
        Bytes image(64 * 512);
        write_label(image, 512, 4000,
                    {{1000, base + 16, 7},
                     {500, base + 1016, 1},
                     {4000, base, 0},
                     {100, base + 2000, 15},
                     {0, 0, 0},
                     {0, 0, 0},
                     {0, 0, 0},
                     {0, 0, 0}});
        SlotSource source("ada0s1", image.bytes(), ByteSource::Tables::label, Os::freebsd);
        Found found;
        ASSERT_TRUE(*read_disklabel(source, found));
        EXPECT_EQ(listing(found.facts),
                  "ada0s1a 8192 512000 freebsd-ufs\nada0s1b 520192 256000 freebsd-swap\nada0s1d 1024000 "
                  "51200 !15\n");
        EXPECT_EQ(found.facts.partitions[0].parent, "ada0s1");
        EXPECT_EQ(*found.facts.partitions[0].index, 1U);
    }
}

TEST(Disklabel, LabelsInsideLabelPartitionsAreNotReadAgain) {
    Bytes image(64 * 512);
    write_label(image, 512, 4000, {{1000, 16, 7}});
    SlotSource source("sd0a", image.bytes(), ByteSource::Tables::none, Os::openbsd);
    EXPECT_TRUE(read_tables(source).found.facts.tables.empty());
}

Bytes label64_image() {
    Bytes image(64 * 512);
    image.u32(512, 0xc4464c59).u32(512 + 8, 4096).u32(512 + 12, 16);
    image.u64(512 + 32, 64 * 512).u64(512 + 48, 1048576).u64(512 + 56, 900 * 1048576ULL);
    image.u64(512 + 200, 1048576).u64(512 + 208, 786432).u8(512 + 216, 7);
    image.u64(512 + 264, 2097152).u64(512 + 272, 4194304).u8(512 + 280, 1);
    image.u64(512 + 200 + 3 * 64, 8388608).u64(512 + 208 + 3 * 64, 1048576).u8(512 + 216 + 3 * 64, 23);
    image.u32(512 + 4, crc32(image.part(512, 200 + 16 * 64)));
    return image;
}

TEST(Disklabel, Disklabel64) {
    Bytes image = label64_image();
    SlotSource source("da0:1", image.bytes(), ByteSource::Tables::label, Os::dragonfly);
    Found found;
    ASSERT_TRUE(*read_disklabel64(source, found));
    EXPECT_EQ(listing(found.facts),
              "da0s1a 1048576 786432 4.2BSD\nda0s1b 2097152 4194304 swap\n"
              "da0s1d 8388608 1048576 HAMMER2\n");
    EXPECT_EQ(found.facts.partitions[0].parent, "da0:1");
    for (std::size_t bit = 32; bit < 8 * (200 + 16 * 64); ++bit) {
        Bytes flipped = image;
        flipped.bytes()[512 + bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        SlotSource damaged("da0:1", flipped.bytes(), ByteSource::Tables::label, Os::dragonfly);
        Found ignored;
        EXPECT_FALSE(read_disklabel64(damaged, ignored).ok()) << bit;
    }
}

TEST(Disklabel, LabelEveryFlippedBitIsReported) {
    Bytes image(64 * 512);
    write_label(image, 512, 262016, netbsd_rows());
    MemorySource source("sd0", image.bytes(), image.bytes().size());
    for (std::size_t bit = 0; bit < 8 * (148 + 16 * netbsd_rows().size()); ++bit) {
        auto& byte = source.bytes()[512 + bit / 8];
        byte ^= static_cast<std::byte>(1 << bit % 8);
        const auto read = read_tables(source);
        EXPECT_FALSE(read.errors.empty()) << "bit " << bit % 8 << " of byte " << bit / 8;
        byte ^= static_cast<std::byte>(1 << bit % 8);
    }
}

}  // namespace
}  // namespace diskwright
