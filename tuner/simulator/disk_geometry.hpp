// SPDX-License-Identifier: BSD-2-Clause
// Where a block lies: zone, cylinder, surface, place on the track and its angle, with skews, slipped and
// spare places. Layout rules as of the DiskSim 4.0 disk model (kaikai-sk/disksim-4.0:
// diskmodel/modules/dm_layout_g1_zone_param.tex, diskmodel/layout_g1.c).
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/simulator/drive_parameters.hpp"

namespace diskwright {

/// Blocks that pass under one head one after the other.
struct BlockRun {
    std::uint64_t first = 0;   // block
    std::uint32_t blocks = 0;  // from first to the end of the track, or to the next place that is left out
    std::uint32_t cylinder = 0, head = 0, sector = 0;
    double angle = 0;       // of first, revolutions from 0 to below 1
    double block_turn = 0;  // revolutions a block takes
};

/// The blocks of a track: from first to before end.
struct TrackBlocks {
    std::uint64_t first = 0, end = 0;
};

class DiskGeometry {
 public:
    /// layout holds blocks (drive_error() says so).
    DiskGeometry(const DriveLayout& layout, std::uint64_t blocks);

    std::uint64_t blocks() const { return blocks_; }
    std::uint32_t cylinders() const { return cylinders_; }
    std::uint32_t surfaces() const { return surfaces_; }
    /// block < blocks().
    BlockRun run_at(std::uint64_t block) const;
    TrackBlocks track_of(std::uint64_t block) const;
    /// How many blocks a layout has room for; 0 when a zone has none.
    static std::uint64_t capacity(const DriveLayout& layout);

 private:
    struct Zone {
        std::uint64_t first_block = 0, end_block = 0;
        std::uint64_t region_places = 0, region_blocks = 0;  // between which spares repeat
        std::uint64_t front_blocks = 0, spares_in_front = 0;
        std::uint32_t first_cylinder = 0, track_places = 0;
        double first_angle = 0, track_skew = 0, cylinder_skew = 0, block_turn = 0;
        std::vector<std::uint64_t> slips;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> remaps;
    };
    struct Place {
        std::uint64_t place = 0;        // counted from the zone's first
        std::uint64_t blocks_left = 0;  // in the run by slips, remaps and spares; the track may end before
    };
    const Zone& zone_of(std::uint64_t block) const;
    Place place_of(const Zone& zone, std::uint64_t block) const;
    Place place_in_tracks(const Zone& zone, std::uint64_t index) const;
    Place place_slipping_on(const Zone& zone, std::uint64_t index) const;
    Place place_in_region(const Zone& zone, std::uint64_t index) const;
    BlockRun run_of(const Zone& zone, std::uint64_t block, const Place& at) const;

    std::uint64_t blocks_;
    std::uint32_t surfaces_, cylinders_;
    Sparing sparing_;
    SurfaceOrder order_;
    std::vector<Zone> zones_;
};

}  // namespace diskwright
