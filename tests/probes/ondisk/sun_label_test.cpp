// SPDX-License-Identifier: BSD-2-Clause
// The label of SunOS, as FreeBSD reads it.
#include <gtest/gtest.h>

#include "tests/support/table_reading.hpp"

namespace diskwright {
namespace {

using namespace test;

struct SunRow {
    std::uint16_t tag;
    std::uint32_t cylinder, sectors;
};

void seal(Bytes& image) {
    image.u16(510, 0);
    std::uint16_t sum = 0;
    for (std::size_t at = 0; at < 510; at += 2)
        sum = static_cast<std::uint16_t>(sum ^ std::to_integer<unsigned>(image.bytes()[at]) << 8 ^
                                         std::to_integer<unsigned>(image.bytes()[at + 1]));
    image.u16(510, sum);
}

constexpr std::uint64_t disk_bytes = 64 * 1008 * 512;

// The head of a disk of 60 cylinders of 16 heads and 63 sectors.
Bytes sun_image(bool tagged = true) {
    const std::vector<SunRow> rows{{0x0902, 0, 2016},   {0x0901, 2, 1008}, {5, 0, 60480},
                                   {4, 3, 10 * 1008},   {5, 20, 1008},     {0, 0, 0},
                                   {0x0904, 30, 20160}, {0, 0, 0}};
    Bytes image(8192, ByteOrder::big);
    image.text(0, "FreeBSD29M cyl 60 alt 2 hd 16 sec 63").u16(420, 3600).u16(422, 62);
    image.u16(432, 60).u16(434, 2).u16(436, 16).u16(438, 63).u16(508, 0xdabe);
    if (tagged) image.u32(128, 1).u16(140, 8).u32(188, 0x600ddeee);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (tagged) image.u16(142 + 4 * i, rows[i].tag);
        image.u32(444 + 8 * i, rows[i].cylinder).u32(448 + 8 * i, rows[i].sectors);
    }
    seal(image);
    return image;
}

ReadAll read_sun(Bytes image) {
    MemorySource source("da0", std::move(image.bytes()), disk_bytes);
    ReadAll out;
    const auto result = read_sun_label(source, out.found);
    if (!result) out.errors.push_back(result.error());
    return out;
}

TEST(SunLabel, RowsAsGpartShowsThem) {
    const auto read = read_sun(sun_image());
    EXPECT_TRUE(read.errors.empty());
    EXPECT_EQ(listing(read.found.facts),
              "da0a 0 1032192 freebsd-ufs\nda0b 1032192 516096 freebsd-swap\nda0d 1548288 5160960 !4\n"
              "da0g 15482880 10321920 freebsd-zfs\n");
    EXPECT_EQ(slots(read.found), (std::vector<std::string>{"da0a", "da0b", "da0d", "da0g"}));
    EXPECT_EQ(*read.found.facts.partitions[1].index, 2U);
    EXPECT_TRUE(read.found.facts.partitions[1].scheme.is(Scheme::vtoc8));
    const auto* t = table_of(read.found.facts, Scheme::vtoc8);
    ASSERT_TRUE(t);
    EXPECT_EQ(*t->last_usable_bytes, 60U * 1008 * 512);
    EXPECT_EQ(*t->entries_shown, 4U);
}

TEST(SunLabel, WithoutTagsTheThirdRowIsTheDisk) {
    const auto read = read_sun(sun_image(false));
    EXPECT_EQ(listing(read.found.facts),
              "da0a 0 1032192 !0\nda0b 1032192 516096 !0\nda0d 1548288 5160960 !0\n"
              "da0e 10321920 516096 !0\nda0g 15482880 10321920 !0\n");
}

TEST(SunLabel, EveryFlippedBitIsNoticed) {
    const Bytes whole = sun_image();
    for (std::size_t bit = 0; bit < 512 * 8; ++bit) {
        Bytes image = whole;
        image.bytes()[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        const auto read = read_sun(std::move(image));
        EXPECT_TRUE(read.found.facts.partitions.empty()) << bit;
        // Without its mark, or without both signs of a label, nothing shows that one was there.
        const bool unseen = bit / 8 == 508 || bit / 8 == 509 || (bit / 8 >= 188 && bit / 8 < 192);
        EXPECT_EQ(read.errors.empty(), unseen) << bit;
    }
}

TEST(SunLabel, ImpossibleGeometryAndCutImages) {
    for (const std::size_t field : {432, 436, 438, 140}) {
        Bytes image = sun_image();
        image.u16(field, 0);
        seal(image);
        ASSERT_EQ(read_sun(std::move(image)).errors.size(), 1U) << field;
    }
    Bytes image = sun_image();
    for (std::size_t length = 0; length < 512; ++length) {
        const auto part = image.part(0, length);
        MemorySource cut("da0", {part.begin(), part.end()});
        Found found;
        EXPECT_FALSE(*read_sun_label(cut, found)) << length;
    }
}

// NetBSD/sparc keeps its own label in the same sector.
TEST(SunLabel, ALabelOfNetbsdInTheSameSectorCounts) {
    Bytes image = sun_image(false);
    write_label(image, 128, 60480, {{2016, 0, 7}, {1008, 2016, 1}});
    seal(image);
    MemorySource source("sd0", image.bytes(), image.bytes().size());
    Found found;
    ASSERT_TRUE(*read_disklabel(source, found));
    EXPECT_FALSE(*read_sun_label(source, found));
    EXPECT_EQ(found.facts.tables.size(), 1U);
}

}  // namespace
}  // namespace diskwright
