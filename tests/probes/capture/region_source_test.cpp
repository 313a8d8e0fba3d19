// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/region_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Region = DeviceRegions::Region;

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

DeviceRegions pieces() {
    // 8 bytes, 4 zeros, 4 bytes; a gap; 6 bytes that are listed first.
    return {"sd0",
            1000,
            512,
            {{500, 6, false}, {0, 8, false}, {8, 4, true}, {12, 4, false}},
            "TAIL67headheadmore"};
}

TEST(RegionSource, ReadsWithinAndAcrossRegionsAndNothingElse) {
    const auto source = RegionSource::make(pieces());
    ASSERT_TRUE(source) << source.error().message;
    struct Row {
        std::uint64_t offset;
        std::size_t length;
        std::string_view expected;  // empty: not there
    };
    using namespace std::string_view_literals;
    for (const Row& row :
         {Row{0, 8, "headhead"}, Row{4, 4, "head"}, Row{6, 8, "ad\0\0\0\0mo"sv}, Row{8, 4, "\0\0\0\0"sv},
          Row{9, 2, "\0\0"sv}, Row{0, 16, "headhead\0\0\0\0more"sv}, Row{500, 6, "TAIL67"}, Row{0, 17, ""},
          Row{16, 1, ""}, Row{499, 2, ""}, Row{505, 2, ""}, Row{999, 1, ""}, Row{1000, 1, ""},
          Row{~0ULL, 2, ""}, Row{0, ~std::size_t{0}, ""}}) {
        SCOPED_TRACE(testing::Message() << row.offset << "+" << row.length);
        for (int again = 0; again < 2; ++again) {
            const auto bytes = (*source)->read(row.offset, row.length);
            ASSERT_EQ(bytes.ok(), !row.expected.empty());
            if (bytes)
                EXPECT_EQ(text_of(*bytes), row.expected);
            else
                EXPECT_EQ(bytes.error().kind, ErrorKind::no_input);
        }
    }
    EXPECT_EQ((*source)->size_bytes(), 1000U);
    EXPECT_EQ((*source)->readable_bytes(), 1000U);
}

TEST(RegionSource, WhatNoCollectionMakesIsRefused) {
    struct Row {
        std::string_view why;
        DeviceRegions regions;
    };
    const std::uint64_t huge = std::uint64_t{1} << 62;
    std::vector<Row> rows{
        {"without a size", {"sd0", 0, 512, {}, ""}},
        {"sectors of 0", {"sd0", 100, 0, {}, ""}},
        {"sectors of 513", {"sd0", 100, 513, {}, ""}},
        {"sectors of 131072", {"sd0", 100, 131072, {}, ""}},
        {"a region of 0 bytes", {"sd0", 100, 512, {{0, 0, true}}, ""}},
        {"a region of 101 bytes", {"sd0", 100, 512, {{0, 101, true}}, ""}},
        {"at 101", {"sd0", 100, 512, {{101, 1, true}}, ""}},
        {"a region of 18446744073709551615 bytes", {"sd0", 100, 512, {{50, ~0ULL, true}}, ""}},
        {"regions of more than", {"sd0", huge, 512, {{0, huge - 1, true}}, ""}},
        {"over each other at 4", {"sd0", 100, 512, {{4, 4, true}, {0, 5, true}}, ""}},
        {"over each other at 0", {"sd0", 100, 512, {{0, 4, true}, {0, 4, true}}, ""}},
        {"3 bytes stored for regions of 4", {"sd0", 100, 512, {{0, 4, false}}, "abc"}}};
    rows.push_back({"more than 8192 regions", {"sd0", 1 << 20, 512, {}, ""}});
    for (std::uint64_t i = 0; i <= RegionSource::most_regions; ++i)
        rows.back().regions.regions.push_back({2 * i, 1, true});
    rows.push_back({"regions of more than", {"sd0", huge, 512, {}, ""}});
    for (std::uint64_t i = 0; i < 17; ++i) rows.back().regions.regions.push_back({i << 20, 1 << 20, true});
    for (const Row& row : rows) {
        const auto source = RegionSource::make(row.regions);
        ASSERT_FALSE(source) << row.why;
        EXPECT_EQ(source.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(source.error().message, row.why)) << source.error().message;
        EXPECT_TRUE(source.error().message.starts_with("sd0: ")) << source.error().message;
    }
}

TEST(DeviceRegionsAdd, PagesOfZerosTakeNoBytesAndNeighboursBecomeOne) {
    std::vector<std::byte> read(5 * 4096 + 100);
    read[4096] = read[2 * 4096 + 4095] = std::byte{7};
    DeviceRegions regions{"sd0", 1 << 20, 512, {}, {}};
    regions.add(8192, read);
    regions.add(8192 + read.size(), std::vector<std::byte>(50));
    EXPECT_EQ(regions.regions,
              (std::vector<Region>{{8192, 4096, true}, {12288, 8192, false}, {20480, 2 * 4096 + 150, true}}));
    EXPECT_EQ(regions.bytes.size(), 8192U);
    EXPECT_EQ(regions.bytes[0], 7);
    EXPECT_EQ(regions.bytes[8191], 7);
    EXPECT_TRUE(RegionSource::make(regions));
}

}  // namespace
}  // namespace diskwright
