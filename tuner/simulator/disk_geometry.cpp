// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disk_geometry.hpp"

#include <algorithm>

namespace diskwright {
namespace {

bool per_cylinder(Sparing scheme) {
    return scheme == Sparing::per_cylinder || scheme == Sparing::per_cylinder_slip_to_end ||
           scheme == Sparing::per_cylinder_at_front || scheme == Sparing::per_cylinder_at_front_slip_to_end;
}

bool slips_move_all_behind(Sparing scheme) {
    return scheme == Sparing::per_cylinder_slip_to_end ||
           scheme == Sparing::per_cylinder_at_front_slip_to_end || scheme == Sparing::at_end_of_disk;
}

bool spares_in_front(Sparing scheme) {
    return scheme == Sparing::per_cylinder_at_front || scheme == Sparing::per_cylinder_at_front_slip_to_end;
}

std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : 0;
}

// Places between which the scheme's spares repeat.
std::uint64_t region_places(const DriveLayout& layout, const DriveZone& zone) {
    const std::uint64_t track = zone.blocks_per_track, cylinder = track * layout.surfaces;
    if (layout.sparing == Sparing::per_track) return track;
    if (layout.sparing == Sparing::per_range) return cylinder * layout.range_cylinders;
    if (per_cylinder(layout.sparing) || layout.sparing == Sparing::at_end_of_disk) return cylinder;
    return cylinder * (zone.last_cylinder - zone.first_cylinder + 1);
}

std::uint64_t zone_blocks(const DriveLayout& layout, const DriveZone& zone) {
    const std::uint64_t cylinders = zone.last_cylinder - zone.first_cylinder + 1;
    std::uint64_t left_out = zone.front_blocks;
    switch (layout.sparing) {
        case Sparing::none:
            break;
        case Sparing::tracks_per_zone:
            left_out += zone.spares * zone.blocks_per_track;
            break;
        case Sparing::per_track:
            left_out += zone.spares * cylinders * layout.surfaces;
            break;
        case Sparing::at_end_of_disk:
            left_out += zone.slips.size();
            break;
        case Sparing::per_range:
            left_out += zone.spares * (cylinders / layout.range_cylinders);
            break;
        case Sparing::per_zone:
            left_out += zone.spares;
            break;
        case Sparing::per_zone_slip_to_end:
            left_out += zone.spares + zone.slips.size();
            break;
        case Sparing::per_cylinder:
        case Sparing::per_cylinder_at_front:
            left_out += zone.spares * cylinders;
            break;
        case Sparing::per_cylinder_slip_to_end:
        case Sparing::per_cylinder_at_front_slip_to_end:
            left_out += zone.spares * cylinders + zone.slips.size();
            break;
    }
    return minus(cylinders * layout.surfaces * zone.blocks_per_track, left_out);
}

// What is left of an angle of 0 or more without its whole turns.
double turns(double angle) {
    return angle - static_cast<double>(static_cast<std::int64_t>(angle));
}

// How many of the ascending slips [from, end) lie at or before the place that `index` of region `base` takes
// once they are skipped.
std::size_t skipped(const std::vector<std::uint64_t>& slips, std::size_t from, std::uint64_t base,
                    std::uint64_t index) {
    std::size_t low = from, high = slips.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (slips[middle] <= base + index + (middle - from))
            low = middle + 1;
        else
            high = middle;
    }
    return low - from;
}

}  // namespace

std::uint64_t DiskGeometry::capacity(const DriveLayout& layout) {
    std::uint64_t blocks = 0;
    for (const DriveZone& zone : layout.zones) {
        const std::uint64_t here = zone_blocks(layout, zone);
        if (here == 0) return 0;
        blocks += here;
    }
    return blocks;
}

DiskGeometry::DiskGeometry(const DriveLayout& layout, std::uint64_t blocks)
    : blocks_(blocks),
      surfaces_(layout.surfaces),
      cylinders_(layout.cylinders),
      sparing_(layout.sparing),
      order_(layout.order) {
    std::uint64_t first = 0;
    for (const DriveZone& from : layout.zones) {
        Zone zone;
        zone.first_block = first;
        zone.end_block = first += zone_blocks(layout, from);
        zone.region_places = region_places(layout, from);
        const bool spares_within = per_cylinder(sparing_) || sparing_ == Sparing::per_track ||
                                   sparing_ == Sparing::per_range || sparing_ == Sparing::at_end_of_disk;
        zone.region_blocks = spares_within ? minus(zone.region_places, from.spares) : zone.region_places;
        zone.spares_in_front = spares_in_front(sparing_) ? from.spares : 0;
        zone.front_blocks = from.front_blocks;
        zone.first_cylinder = from.first_cylinder;
        zone.track_places = from.blocks_per_track;
        zone.first_angle = from.first_block;
        zone.track_skew = from.track_skew;
        zone.cylinder_skew = from.cylinder_skew;
        zone.block_turn = 1.0 / from.blocks_per_track;
        zone.slips = from.slips;
        zone.remaps = from.remaps;
        std::sort(zone.remaps.begin(), zone.remaps.end());
        zones_.push_back(std::move(zone));
    }
}

const DiskGeometry::Zone& DiskGeometry::zone_of(std::uint64_t block) const {
    const auto after = std::upper_bound(zones_.begin(), zones_.end(), block,
                                        [](std::uint64_t b, const Zone& zone) { return b < zone.end_block; });
    return after == zones_.end() ? zones_.back() : *after;
}

// Whole tracks are slipped; places of a track are in order.
DiskGeometry::Place DiskGeometry::place_in_tracks(const Zone& zone, std::uint64_t index) const {
    const std::uint64_t track = index / zone.track_places;
    const std::uint64_t slipped = skipped(zone.slips, 0, 0, track);
    return {(track + slipped) * zone.track_places + index % zone.track_places, UINT64_MAX};
}

// Slipped places move all that lies behind them; the spares of each cylinder stay free.
DiskGeometry::Place DiskGeometry::place_slipping_on(const Zone& zone, std::uint64_t index) const {
    const std::uint64_t cylinder = index / zone.region_blocks;
    std::uint64_t at = index % zone.region_blocks;
    const std::uint64_t start = cylinder * zone.region_places;
    const auto begin = zone.slips.begin();
    const auto before = static_cast<std::size_t>(std::lower_bound(begin, zone.slips.end(), start) - begin);
    std::size_t passed = before;
    while (passed < zone.slips.size() && zone.slips[passed] - start <= at + passed) ++passed;
    at += passed;
    const std::uint64_t moved = cylinder + at / zone.region_blocks;
    at %= zone.region_blocks;
    const std::uint64_t place = moved * zone.region_places + zone.spares_in_front + at;
    std::uint64_t left = zone.region_blocks - at;
    if (passed < zone.slips.size())
        left = std::min(left, std::max<std::uint64_t>(1, minus(zone.slips[passed], place)));
    return {place, left};
}

DiskGeometry::Place DiskGeometry::place_in_region(const Zone& zone, std::uint64_t index) const {
    const std::uint64_t region = index / zone.region_blocks, at = index % zone.region_blocks;
    const std::uint64_t base = region * zone.region_places;
    const auto begin = zone.slips.begin();
    const auto from = static_cast<std::size_t>(std::lower_bound(begin, zone.slips.end(), base) - begin);
    const std::size_t passed = skipped(zone.slips, from, base + zone.spares_in_front, at);
    const std::uint64_t place = base + zone.spares_in_front + at + passed;
    std::uint64_t left = zone.region_blocks - at;
    if (from + passed < zone.slips.size()) left = std::min(left, zone.slips[from + passed] - place);
    return {place, left};
}

DiskGeometry::Place DiskGeometry::place_of(const Zone& zone, std::uint64_t block) const {
    const std::uint64_t index = block - zone.first_block + zone.front_blocks;
    if (zone.slips.empty() && zone.remaps.empty() && zone.region_blocks == zone.region_places)
        return {index, UINT64_MAX};
    Place at;
    if (sparing_ == Sparing::tracks_per_zone)
        at = place_in_tracks(zone, index);
    else if (slips_move_all_behind(sparing_))
        at = place_slipping_on(zone, index);
    else
        at = place_in_region(zone, index);
    if (zone.remaps.empty()) return at;
    // Remapped tracks are numbered as tracks, remapped places as places.
    const std::uint64_t unit = sparing_ == Sparing::tracks_per_zone ? zone.track_places : 1;
    const std::uint64_t wanted = at.place / unit;
    const auto next =
        std::lower_bound(zone.remaps.begin(), zone.remaps.end(), std::pair{wanted, std::uint64_t{0}});
    if (next == zone.remaps.end()) return at;
    if (next->first == wanted) return {next->second * unit + at.place % unit, unit == 1 ? 1 : UINT64_MAX};
    at.blocks_left = std::min(at.blocks_left, next->first * unit - at.place);
    return at;
}

BlockRun DiskGeometry::run_of(const Zone& zone, std::uint64_t block, const Place& at) const {
    BlockRun run;
    const std::uint64_t track = at.place / zone.track_places;
    const auto in_zone = static_cast<std::uint32_t>(track / surfaces_);
    const auto surface = static_cast<std::uint32_t>(track % surfaces_);
    run.first = block;
    run.sector = static_cast<std::uint32_t>(at.place % zone.track_places);
    // More slips than spares push a block past its zone; the drive has no cylinder there.
    run.cylinder = std::min(zone.first_cylinder + in_zone, cylinders_ - 1);
    const bool reversed = (order_ == SurfaceOrder::alternate_from_zone && in_zone % 2 == 1) ||
                          (order_ == SurfaceOrder::alternate_odd_cylinders && run.cylinder % 2 == 1);
    run.head = reversed ? surfaces_ - 1 - surface : surface;
    double offset = run.sector;
    // There slips push the skew of what follows, too (layout_g1.c, g1_map_pbn_skew).
    if (!zone.slips.empty() && (per_cylinder(sparing_) || sparing_ == Sparing::per_track)) {
        const std::uint64_t start =
            (sparing_ == Sparing::per_track ? track : std::uint64_t{in_zone} * surfaces_) * zone.track_places;
        offset += static_cast<double>(std::lower_bound(zone.slips.begin(), zone.slips.end(), start) -
                                      zone.slips.begin());
    }
    const double switches = surface + double(surfaces_ - 1) * in_zone;
    run.angle = turns(zone.first_angle + switches * zone.track_skew + in_zone * zone.cylinder_skew +
                      offset * zone.block_turn);
    run.block_turn = zone.block_turn;
    const std::uint64_t most = std::min({std::uint64_t{zone.track_places - run.sector}, at.blocks_left,
                                         std::min(zone.end_block, blocks_) - block});
    run.blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(most, 1));
    return run;
}

BlockRun DiskGeometry::run_at(std::uint64_t block) const {
    const Zone& zone = zone_of(block);
    return run_of(zone, block, place_of(zone, block));
}

TrackBlocks DiskGeometry::track_of(std::uint64_t block) const {
    const Zone& zone = zone_of(block);
    const std::uint64_t place = place_of(zone, block).place;
    const std::uint64_t start = place - place % zone.track_places, end = start + zone.track_places;
    const auto slips_between = [&](std::uint64_t from, std::uint64_t to) -> std::uint64_t {
        if (sparing_ == Sparing::tracks_per_zone) return 0;
        const auto first = std::lower_bound(zone.slips.begin(), zone.slips.end(), from);
        return static_cast<std::uint64_t>(std::lower_bound(first, zone.slips.end(), to) - first);
    };
    const std::uint64_t ahead = place - start - slips_between(start, place);
    // The spares at the end of the region are no blocks.
    const std::uint64_t region = place / zone.region_places * zone.region_places;
    const std::uint64_t spares = zone.region_places - zone.region_blocks - zone.spares_in_front;
    const std::uint64_t used_end = std::max(std::min(end, region + zone.region_places - spares), place + 1);
    const std::uint64_t behind = used_end - place - slips_between(place, used_end);
    return {std::max(zone.first_block, minus(block, ahead)),
            std::min(zone.end_block, block + std::max<std::uint64_t>(behind, 1))};
}

}  // namespace diskwright
