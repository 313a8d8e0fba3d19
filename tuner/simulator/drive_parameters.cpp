// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/drive_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/simulator/disk_geometry.hpp"

namespace diskwright {
namespace {

constexpr std::uint32_t most_surfaces = 256;

// Of what spares are counted for: a track, a cylinder (or several), or the zone in places or tracks.
std::uint64_t spares_below(const DriveLayout& layout, const DriveZone& zone, std::uint64_t places) {
    switch (layout.sparing) {
        case Sparing::none:
            return UINT64_MAX;
        case Sparing::per_track:
            return zone.blocks_per_track;
        case Sparing::tracks_per_zone:
        case Sparing::per_zone:
        case Sparing::per_zone_slip_to_end:
            return places;
        default:
            return std::uint64_t{layout.surfaces} * zone.blocks_per_track;
    }
}

std::optional<std::string> zone_error(const DriveLayout& layout, const DriveZone& zone) {
    const std::uint64_t cylinders = std::uint64_t{zone.last_cylinder} + 1 - zone.first_cylinder;
    const std::uint64_t tracks = cylinders * layout.surfaces;
    const std::uint64_t places =
        layout.sparing == Sparing::tracks_per_zone ? tracks : tracks * zone.blocks_per_track;
    if (zone.spares >= spares_below(layout, zone, places)) return "has no more than spares";
    const auto outside = [&](std::uint64_t place) { return place >= places; };
    if (std::any_of(zone.slips.begin(), zone.slips.end(), outside))
        return "has a slip that lies outside of it";
    for (const auto& [from, to] : zone.remaps)
        if (outside(from) || outside(to)) return "has a defect that lies outside of it";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> drive_error(const DriveParameters& drive) {
    const DriveLayout& layout = drive.layout;
    if (layout.zones.empty()) return "so many tracks would be needed for the size that no drive has them";
    if (layout.surfaces == 0 || layout.surfaces > most_surfaces)
        return fmt::format("{} surfaces would be needed", layout.surfaces);
    std::uint64_t next = 0;
    for (const DriveZone& zone : layout.zones) {
        if (zone.first_cylinder < next || zone.last_cylinder < zone.first_cylinder)
            return fmt::format("the zone from cylinder {} overlaps the one before", zone.first_cylinder);
        next = std::uint64_t{zone.last_cylinder} + 1;
        if (const auto why = zone_error(layout, zone))
            return fmt::format("the zone from cylinder {} {}", zone.first_cylinder, *why);
    }
    const std::uint64_t room = DiskGeometry::capacity(layout);
    if (room == 0) return "a zone has no room for blocks";
    if (drive.blocks == 0 || drive.blocks > room)
        return fmt::format("{} blocks do not fit into the zones' {}", drive.blocks, room);
    if (!(drive.mechanics.revolution_s > 0)) return "no rotation speed";
    return std::nullopt;
}

}  // namespace diskwright
