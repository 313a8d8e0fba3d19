// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/table_interlock.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

using test::Bytes;

constexpr std::size_t disk_bytes = 16 * MiB;
constexpr std::string_view linux_data = "0fc63daf-8483-4772-8e79-3d69d8477de4";

std::string refused(Bytes image, ByteRange region, std::uint64_t sector = 512) {
    const std::uint64_t size = image.bytes().size();
    test::MemorySource disk("sda", std::move(image.bytes()), size, sector);
    const auto found = region_in_table(disk, region);
    return found ? found->found : "";
}

Bytes mbr_disk(const std::vector<test::MbrRow>& rows) {
    Bytes image(disk_bytes);
    test::write_mbr(image, 0, rows);
    return image;
}

// A partition of 4 MiB from 2 MiB on.
Bytes gpt_disk(std::uint64_t sector) {
    Bytes image(disk_bytes);
    test::write_gpt(image, sector, {{linux_data, 2 * MiB / sector, 6 * MiB / sector - 1}});
    return image;
}

TEST(TableInterlock, ARegionBesideThePartitionsIsFree) {
    struct Row {
        ByteRange region;
        bool free;
    };
    const std::vector<Row> rows{{{6 * MiB, 8 * MiB}, true}, {{6 * MiB - 512, MiB}, false},
                                {{MiB, MiB}, true},         {{MiB, MiB + 512}, false},
                                {{3 * MiB, 512}, false},    {{MiB, 10 * MiB}, false},
                                {{6 * MiB, 512}, true}};
    for (const Row& row : rows) {
        EXPECT_EQ(refused(mbr_disk({{0x83, 4096, 8192}}), row.region).empty(), row.free) << row.region.offset;
        EXPECT_EQ(refused(gpt_disk(512), row.region).empty(), row.free) << row.region.offset;
    }
    EXPECT_EQ(refused(gpt_disk(4096), {6 * MiB, MiB}, 4096), "");
    EXPECT_NE(refused(gpt_disk(4096), {6 * MiB - 4096, MiB}, 4096), "");
}

// Tables of logical partitions stand in single sectors that no partition covers.
TEST(TableInterlock, AnExtendedPartitionAnywhereIsRefused) {
    for (const std::uint8_t type : {0x05, 0x0f, 0x85}) {
        Bytes image = mbr_disk({{0x83, 4096, 4096}, {type, 8192, 8192}});
        test::write_mbr(image, 8192 * 512, {{0x83, 2048, 2048}});
        EXPECT_TRUE(contains(refused(image, {12 * MiB, MiB}), "extended")) << int(type);
    }
    EXPECT_EQ(refused(mbr_disk({{0x83, 4096, 4096}}), {12 * MiB, MiB}), "");
}

TEST(TableInterlock, WhatIsNotWholeIsRefused) {
    const ByteRange free{6 * MiB, MiB};
    EXPECT_TRUE(contains(refused(Bytes(disk_bytes), free), "cannot be read")) << "no table at all";
    Bytes no_backup = gpt_disk(512), bad_entries = gpt_disk(512), bad_backup = gpt_disk(512);
    no_backup.text(disk_bytes - 512, std::string(8, '\0'));
    bad_entries.u32(1024 + 40, 1);
    bad_backup.u32(disk_bytes - 512 + 72, 7);
    for (const Bytes& image : {no_backup, bad_entries, bad_backup})
        EXPECT_TRUE(contains(refused(image, free), "missing or damaged")) << refused(image, free);
    EXPECT_NE(refused(gpt_disk(512), {disk_bytes - 16 * KiB, 4096}), "") << "where the backup stands";
}

// Both name the partitions, each what it knows.
TEST(TableInterlock, AHybridTableIsJudgedByBoth) {
    Bytes image = gpt_disk(512);
    test::write_mbr(image, 0, {{0xee, 1, 4095}, {0x83, 16384, 2048}});
    EXPECT_TRUE(contains(refused(image, {8 * MiB, 512}), "MBR"));
    EXPECT_TRUE(contains(refused(image, {3 * MiB, 512}), "GPT"));
    EXPECT_EQ(refused(image, {10 * MiB, MiB}), "");
}

TEST(TableInterlock, NumbersThatNoDiskHasMayBeAnywhere) {
    for (const auto& [first, last] : {std::pair<std::uint64_t, std::uint64_t>{~0ULL - 1, ~0ULL},
                                      {5000, 4000},
                                      {1ULL << 60, 1ULL << 61}}) {
        Bytes image(disk_bytes);
        test::write_gpt(image, 512, {{linux_data, first, last}});
        EXPECT_NE(refused(image, {6 * MiB, MiB}), "") << first;
    }
}

}  // namespace
}  // namespace diskwright
