// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disk_geometry.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <tuple>

namespace diskwright {
namespace {

// 3 cylinders of 2 tracks of 4 places.
DriveLayout small(Sparing sparing, std::uint64_t spares, std::vector<std::uint64_t> slips = {},
                  std::vector<std::pair<std::uint64_t, std::uint64_t>> remaps = {}) {
    DriveLayout layout;
    layout.surfaces = 2;
    layout.cylinders = 3;
    layout.sparing = sparing;
    DriveZone zone;
    zone.last_cylinder = 2;
    zone.blocks_per_track = 4;
    zone.spares = spares;
    zone.slips = std::move(slips);
    zone.remaps = std::move(remaps);
    layout.zones = {zone};
    return layout;
}

std::uint64_t place(const BlockRun& run) {
    return (run.cylinder * 2U + run.head) * 4U + run.sector;
}

TEST(DiskGeometry, SparesSlipsAndRemaps) {
    struct Row {
        std::string_view name;
        DriveLayout layout;
        std::vector<std::uint64_t> places;  // of blocks 0, 1, ...
    };
    const std::vector<Row> rows{
        {"none", small(Sparing::none, 0), {0, 1, 2, 3, 4, 5, 6, 7, 8}},
        {"per zone", small(Sparing::per_zone, 4, {1, 9}), {0, 2, 3, 4, 5, 6, 7, 8, 10}},
        {"per cylinder", small(Sparing::per_cylinder, 2, {1}), {0, 2, 3, 4, 5, 6, 8, 9}},
        {"in front of each cylinder", small(Sparing::per_cylinder_at_front, 2), {2, 3, 4, 5, 6, 7, 10, 11}},
        {"per track", small(Sparing::per_track, 1, {5}), {0, 1, 2, 4, 6, 7, 8}},
        {"per range", small(Sparing::per_range, 2, {0}), {1, 2, 3, 4, 5, 6, 8}},
        {"at the end of the disk", small(Sparing::at_end_of_disk, 0, {1, 2}), {0, 3, 4, 5, 6, 7, 8}},
        {"slips to the end, spares per cylinder",
         small(Sparing::per_cylinder_slip_to_end, 2, {1}),
         {0, 2, 3, 4, 5, 8, 9}},
        {"whole tracks", small(Sparing::tracks_per_zone, 1, {1}), {0, 1, 2, 3, 8, 9, 10, 11, 12}},
        {"remapped", small(Sparing::per_zone, 4, {}, {{2, 23}}), {0, 1, 23, 3, 4}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const DiskGeometry geometry(row.layout, DiskGeometry::capacity(row.layout));
        for (std::uint64_t block = 0; block < row.places.size(); ++block)
            EXPECT_EQ(place(geometry.run_at(block)), row.places[block]) << block;
    }
}

TEST(DiskGeometry, EveryBlockHasAPlaceOfItsOwnAndRunsAreWithoutGaps) {
    const std::array layouts{
        small(Sparing::per_zone, 4, {1, 9}),     small(Sparing::per_cylinder, 2, {1, 10}),
        small(Sparing::per_track, 1, {5}),       small(Sparing::at_end_of_disk, 0, {1, 2, 20}),
        small(Sparing::tracks_per_zone, 1, {1}), small(Sparing::per_zone, 4, {}, {{2, 23}})};
    for (const DriveLayout& layout : layouts) {
        const std::uint64_t blocks = DiskGeometry::capacity(layout);
        const DiskGeometry geometry(layout, blocks);
        std::set<std::uint64_t> used;
        for (std::uint64_t block = 0; block < blocks; ++block) {
            const BlockRun run = geometry.run_at(block);
            EXPECT_TRUE(used.insert(place(run)).second) << block;
            for (std::uint32_t i = 1; i < run.blocks; ++i)
                EXPECT_EQ(place(geometry.run_at(block + i)), place(run) + i) << block;
            const TrackBlocks track = geometry.track_of(block);
            EXPECT_LE(track.first, block);
            EXPECT_GT(track.end, block);
            EXPECT_LE(track.end - track.first, 4U);
        }
    }
}

TEST(DiskGeometry, SkewsAddUpAndSurfacesTurnBack) {
    DriveLayout layout = small(Sparing::none, 0);
    layout.zones[0].first_block = 0.5;
    layout.zones[0].track_skew = 0.25;
    layout.zones[0].cylinder_skew = 0.125;
    const DiskGeometry plain(layout, 24);
    EXPECT_DOUBLE_EQ(plain.run_at(0).angle, 0.5);
    EXPECT_DOUBLE_EQ(plain.run_at(1).angle, 0.75);
    EXPECT_DOUBLE_EQ(plain.run_at(4).angle, 0.75);   // one switch of heads
    EXPECT_DOUBLE_EQ(plain.run_at(8).angle, 0.875);  // and one of cylinders
    layout.order = SurfaceOrder::alternate_from_zone;
    const DiskGeometry serpentine(layout, 24);
    EXPECT_EQ(serpentine.run_at(4).head, 1U);
    EXPECT_EQ(serpentine.run_at(8).head, 1U);
    EXPECT_EQ(serpentine.run_at(12).head, 0U);
    EXPECT_DOUBLE_EQ(serpentine.run_at(8).angle, 0.875);
}

TEST(DiskGeometry, ZonesFollowOneAnotherOverLeftOutCylinders) {
    DriveLayout layout = small(Sparing::none, 0);
    layout.cylinders = 6;
    DriveZone second = layout.zones[0];
    second.first_cylinder = 4;
    second.last_cylinder = 5;
    second.blocks_per_track = 3;
    layout.zones.push_back(second);
    ASSERT_EQ(DiskGeometry::capacity(layout), 36U);
    const DiskGeometry geometry(layout, 36);
    EXPECT_EQ(geometry.run_at(23).cylinder, 2U);
    EXPECT_EQ(geometry.run_at(24).cylinder, 4U);
    EXPECT_EQ(geometry.run_at(27).head, 1U);
    EXPECT_DOUBLE_EQ(geometry.run_at(24).block_turn, 1.0 / 3);
}

}  // namespace
}  // namespace diskwright
