// SPDX-License-Identifier: BSD-2-Clause
// The MBR and its chain of extended tables. tests/data/images/tables holds one that NetBSD's own fdisk wrote.
#include <gtest/gtest.h>

#include "probes/capture/region_source.hpp"
#include "tests/support/table_reading.hpp"

namespace diskwright {
namespace {

using namespace test;

TEST(Mbr, MbrOfNetbsd) {
    MemorySource source("raid0", stored_image("tables/mbr-netbsd.gz"), 130944 * 512);
    const auto read = read_tables(source);
    EXPECT_TRUE(read.errors.empty());
    EXPECT_EQ(listing(read.found.facts), "raid0:0 32256 51200000 169\n");
    const Partition& p = read.found.facts.partitions.front();
    EXPECT_EQ(p.start_bytes.from().source(), "raid0@0x1be");
    EXPECT_EQ(p.start_bytes.from().kind(), Provenance::Kind::device);
    EXPECT_EQ(*table_of(read.found.facts, Scheme::mbr)->total_bytes, 130944U * 512);
}

struct NameRow {
    std::string device;
    std::uint8_t type;
    std::string name, text;
};

TEST(Mbr, MbrNamesAndTypesAreThoseOfTheSystem) {
    const std::vector<NameRow> rows{
        {"wd0", 0xa9, "wd0:1", "169"},          {"sd0", 0xa6, "sd0:1", "0xa6"},
        {"sd0", 0xa9, "sd0:1", "169"},          {"ada0", 0xa5, "ada0s2", "freebsd"},
        {"da0", 0x6c, "da0:2", "108"},          {"ada0", 0x0b, "ada0s2", "fat32"},
        {"ada0", 0xa9, "ada0s2", "!169"},       {"sda", 0x83, "sda2", "0x83"},
        {"nvme0n1", 0xfd, "nvme0n1p2", "0xfd"}, {"disk1", 0xa5, "disk1:1", "165"},
        {"disk1", 0x83, "disk1:1", "0x83"},     {"mirror/gm0", 0xa5, "mirror/gm0s2", "freebsd"}};
    for (const NameRow& row : rows) {
        SCOPED_TRACE(row.device);
        Bytes image(64 * 512);
        write_mbr(image, 0, {{0, 0, 0}, {row.type, 63, 100000, true}});
        const auto read = read_image(row.device, image);
        ASSERT_EQ(read.found.facts.partitions.size(), 1U);
        const Partition& p = read.found.facts.partitions.front();
        EXPECT_EQ(p.name, row.name);
        EXPECT_EQ(*p.type, row.text);
        EXPECT_EQ(*p.attributes, std::vector<std::string>{"active"});
    }
}

TEST(Mbr, ExtendedChain) {
    Bytes image(2048 * 512);
    write_mbr(image, 0, {{0x83, 63, 100}, {0x05, 200, 1000}});
    write_mbr(image, 200 * 512, {{0x83, 10, 50}, {0x05, 300, 100}});
    write_mbr(image, 500 * 512, {{0x82, 20, 60}});
    EXPECT_EQ(
        listing(read_image("sda", image).found.facts),
        "sda1 32256 51200 0x83\nsda2 102400 512000 0x05\nsda5 107520 25600 0x83\nsda6 266240 30720 0x82\n");
    const auto netbsd = read_image("wd0", image);
    EXPECT_EQ(
        listing(netbsd.found.facts),
        "wd0:0 32256 51200 131\nwd0:1 102400 512000 5\nwd0:E0 107520 25600 131\nwd0:E1 266240 30720 130\n");
    EXPECT_TRUE(netbsd.found.facts.partitions[2].scheme.is(Scheme::ebr));
    EXPECT_EQ(slots(netbsd.found), (std::vector<std::string>{"wd0:0", "wd0:E0", "wd0:E1"}));
    EXPECT_TRUE(netbsd.found.damage.empty());
}

TEST(Mbr, ExtendedChainThatLoopsOrEndsInNothing) {
    Bytes image(2048 * 512);
    write_mbr(image, 0, {{0x05, 200, 1000}});
    write_mbr(image, 200 * 512, {{0x83, 10, 50}, {0x05, 300, 100}});
    write_mbr(image, 500 * 512, {{0x83, 20, 60}, {0x0f, 300, 100}});
    const auto loop = read_image("sda", image);
    ASSERT_EQ(loop.found.damage.size(), 1U);
    EXPECT_EQ(loop.found.damage.front(), "sda@0x3e800: the chain of extended tables has no end");
    EXPECT_EQ(loop.found.facts.partitions.size(), 3U);
    write_mbr(image, 500 * 512, {{0x83, 20, 60}, {0x0f, 700, 100}});
    const auto nothing = read_image("sda", image);
    ASSERT_EQ(nothing.found.damage.size(), 1U);
    EXPECT_EQ(nothing.found.damage.front(), "sda@0x70800: no extended table where one is linked to");
}

TEST(Mbr, WhatReachesOutOfTheExtendedPartitionIsSaid) {
    Bytes image(2048 * 512);
    write_mbr(image, 0, {{0x05, 200, 1000}});
    write_mbr(image, 200 * 512, {{0x83, 10, 0xfffffff0}, {0x05, 0xf0000000, 100}});
    const auto read = read_image("sda", image);
    EXPECT_EQ(
        read.found.damage,
        (std::vector<std::string>{
            "sda@0x191be: a logical partition up to sector 4294967489, in an extended one that ends at 1199",
            "sda@0x19000: a link to an extended table in sector 4026532040, in an extended partition that "
            "ends at 1199"}));
    // The entry stays as it reads; what is looked into lies inside.
    EXPECT_EQ(*read.found.facts.partitions.at(1).size_bytes, std::uint64_t{0xfffffff0} * 512);
    ASSERT_EQ(read.found.slots.size(), 1U);
    EXPECT_EQ(*read.found.slots[0].size_bytes, (1200U - 210) * 512);
    // One that begins behind the end is not looked into at all; those at the very end are fine.
    write_mbr(image, 200 * 512, {{0x83, 1000, 5}, {0, 0, 0}});
    EXPECT_TRUE(read_image("sda", image).found.slots.empty());
    write_mbr(image, 200 * 512, {{0x83, 10, 990}, {0, 0, 0}});
    EXPECT_TRUE(read_image("sda", image).found.damage.empty());
}

// A capture has the size of the disk, and not all of its bytes.
TEST(Mbr, AnExtendedTableThatWasNotCollectedIsNoDamage) {
    Bytes image(4096 * 512);
    write_mbr(image, 0, {{0x05, 200, 3000}});
    write_mbr(image, 200 * 512, {{0x83, 10, 50}, {0x05, 300, 100}});
    write_mbr(image, 500 * 512, {{0x83, 20, 60}, {0x05, 900, 100}});
    write_mbr(image, 1100 * 512, {{0x83, 20, 60}});
    const auto collected = [&](const std::vector<std::uint64_t>& sectors) {
        DeviceRegions regions{"sda", 4096 * 512, 512, {}, {}};
        for (const std::uint64_t sector : sectors)
            regions.add(sector * 512, std::span<const std::byte>(image.bytes()).subspan(sector * 512, 512));
        auto source = RegionSource::make(std::move(regions));
        EXPECT_TRUE(source);
        return read_tables(**source);
    };
    const auto all = collected({0, 200, 500, 1100});
    EXPECT_EQ(all.found.facts.partitions.size(), 4U);
    for (const auto& read : {all, collected({0, 200}), collected({0})})
        EXPECT_TRUE(read.found.damage.empty()) << read.found.damage.front();
    EXPECT_EQ(collected({0, 200}).found.facts.partitions.size(), 2U);
    // What was collected and is no table is damage still.
    image.u8(500 * 512 + 510, 0);
    EXPECT_EQ(collected({0, 200, 500}).found.damage.size(), 1U);
}

TEST(Mbr, ALongExtendedChainIsCutAndNoDamage) {
    Bytes image(4096 * 512);
    write_mbr(image, 0, {{0x05, 100, 4000}});
    for (std::uint32_t i = 0; i < 200; ++i)
        write_mbr(image, (100 + 4 * i) * 512, {{0x83, 1, 2}, {0x05, 4 * (i + 1), 4}});
    const auto read = read_image("sda", image);
    EXPECT_TRUE(read.found.damage.empty());
    ASSERT_EQ(read.found.facts.unparsed.size(), 1U);
    EXPECT_NE(read.found.facts.unparsed[0].reason.find("more than 64 extended tables"), std::string::npos);
}

TEST(Mbr, BootSectorsOfVolumesAreNoTable) {
    for (const auto& [at, text] : std::vector<std::pair<std::size_t, std::string>>{
             {3, "NTFS    "}, {54, "FAT16   "}, {82, "FAT32   "}}) {
        Bytes image(64 * 512);
        write_mbr(image, 0, {{0x83, 63, 100}});
        image.text(at, text);
        EXPECT_TRUE(read_image("sda", image).found.facts.tables.empty()) << text;
    }
    Bytes flags(64 * 512);
    write_mbr(flags, 0, {{0x83, 63, 100}});
    flags.u8(446, 0x13);
    EXPECT_TRUE(read_image("sda", flags).found.facts.tables.empty());
    // FreeBSD's boot1 has an entry of 50000 sectors from sector 0.
    Bytes boot1(64 * 512);
    write_mbr(boot1, 0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0xa5, 0, 50000, true}});
    EXPECT_TRUE(read_image("ada0", boot1).found.facts.tables.empty());
}

}  // namespace
}  // namespace diskwright
