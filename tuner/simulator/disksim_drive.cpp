// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disksim_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/support/text.hpp"
#include "tuner/simulator/disk_geometry.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_cylinders = 1 << 24, most_surfaces = 256, most_track = 1 << 20, most_zones = 4096;
constexpr std::uint64_t most_segments = 4096, most_segment_blocks = 1 << 26, most_blocks = std::uint64_t{1} << 42;
constexpr double most_ms = 1e6, ms = 1e-3;

double number(JsonObject& from, std::string_view key, double least, double most) {
    const auto value = from.number(key);
    if (!value) from.fail(key, "missing");
    if (value && (*value < least || *value > most))
        from.fail(key, fmt::format("not from {} to {}", least, most));
    return value.value_or(least);
}

double seconds(JsonObject& from, std::string_view key) {
    return number(from, key, 0, most_ms) * ms;
}

std::uint64_t whole(JsonObject& from, std::string_view key, std::uint64_t least, std::uint64_t most) {
    const auto value = from.count(key);
    if (!value) from.fail(key, "missing");
    if (value && (*value < least || *value > most))
        from.fail(key, fmt::format("not from {} to {}", least, most));
    return std::clamp(value.value_or(least), least, most);
}

bool yes(JsonObject& from, std::string_view key) {
    return whole(from, key, 0, 1) == 1;
}

// Of the manual's parameters, those that decide nothing in a drive by itself.
void pass_over(JsonObject& from, std::initializer_list<std::string_view> keys) {
    for (const auto key : keys) from.any(key);
}

// "disksim_disk NAME": {...}, the only member.
std::optional<JsonObject> named(JsonObject& top, std::string_view key, std::string_view type, std::string& name) {
    auto outer = top.object(key);
    if (!outer) {
        top.fail(key, "missing");
        return std::nullopt;
    }
    const Json& members = *top.any(key);
    if (!members.is_object() || members.size() != 1 || !members.begin().key().starts_with(std::string(type) + " ")) {
        outer->fail("", fmt::format("holds not one \"{} NAME\"", type));
        return std::nullopt;
    }
    const std::string label = members.begin().key();
    name = label.substr(type.size() + 1);
    return outer->object(label);
}

QueueOrder queue_order(JsonObject& device) {
    auto scheduler = device.object("Scheduler");
    if (!scheduler) {
        device.fail("Scheduler", "missing");
        return QueueOrder::fifo;
    }
    switch (whole(*scheduler, "Scheduling policy", 1, 28)) {
        case 1:
            return QueueOrder::fifo;
        case 2:
        case 5:
            return QueueOrder::elevator;
        case 3:
        case 6:
            return QueueOrder::cyclic;
        case 4:
        case 7:
            return QueueOrder::shortest_seek;
        case 8:
        case 11:
            return QueueOrder::shortest_positioning;
        default:
            scheduler->fail("Scheduling policy",
                            "only 1 (first come), 2 to 7 (elevator, cyclic, shortest seek; by block or "
                            "cylinder), 8 and 11 (shortest positioning) are modelled");
            return QueueOrder::fifo;
    }
}

void read_overheads(JsonObject& from, DriveOverheads& to) {
    const auto pair = [&](std::array<double, 2>& both, std::string_view after_read, std::string_view after_write) {
        both = {seconds(from, after_read), seconds(from, after_write)};
    };
    to.request = seconds(from, "Per-request overhead time");
    to.scale = number(from, "Time scale for overheads", 0, 1000);
    pair(to.read_hit, "Read hit over. after read", "Read hit over. after write");
    pair(to.read_miss, "Read miss over. after read", "Read miss over. after write");
    pair(to.write_hit, "Write hit over. after read", "Write hit over. after write");
    pair(to.write_miss, "Write miss over. after read", "Write miss over. after write");
    pair(to.read_disconnect, "Read disconnect afterread", "Read disconnect afterwrite");
    to.read_done = seconds(from, "Read completion overhead");
    to.write_done = seconds(from, "Write completion overhead");
    to.data_preparation = seconds(from, "Data preparation overhead");
    to.write_disconnect = seconds(from, "Write disconnect overhead");
    to.first_reselect = seconds(from, "First reselect overhead");
    to.other_reselect = seconds(from, "Other reselect overhead");
    to.least_seek = seconds(from, "Minimum seek delay");
    to.extra_disconnect = yes(from, "Extra write disconnect");
    to.extra_command = seconds(from, "Extradisc command overhead");
    to.extra_disconnect_s = seconds(from, "Extradisc disconnect overhead");
    to.extra_between = seconds(from, "Extradisc inter-disconnect delay");
    to.extra_second = seconds(from, "Extradisc 2nd disconnect overhead");
    to.extra_seek = seconds(from, "Extradisc seek delta");
}

void read_buffer(JsonObject& from, DriveBuffer& to) {
    to.segments = static_cast<std::uint32_t>(whole(from, "Number of buffer segments", 1, most_segments));
    to.write_segments =
        static_cast<std::uint32_t>(whole(from, "Maximum number of write segments", 1, to.segments));
    to.segment_blocks = whole(from, "Segment size (in blks)", 1, most_segment_blocks);
    to.separate_write_segment = yes(from, "Use separate write segment");
    if (to.separate_write_segment && to.segments < 2)
        from.fail("Use separate write segment", "there is but one segment");
    to.low_mark = number(from, "Low (write) water mark", 0, 1);
    to.high_mark = number(from, "High (read) water mark", 0, 1);
    to.marks_of_request = yes(from, "Set watermark by reqsize");
    to.caches = whole(from, "Enable caching in buffer", 0, 2) > 0;
    to.read_ahead = static_cast<ReadAhead>(whole(from, "Buffer continuous read", 0, 4));
    to.least_read_ahead = whole(from, "Minimum read-ahead (blks)", 0, most_segment_blocks);
    to.most_read_ahead = whole(from, "Maximum read-ahead (blks)", 0, most_segment_blocks);
    to.read_ahead_over_requested = whole(from, "Read-ahead over requested", 0, 1) == 1;
    to.read_ahead_on_hit = yes(from, "Read-ahead on idle hit");
    to.reads_free_blocks = yes(from, "Read any free blocks");
    to.fast_write = static_cast<FastWrite>(whole(from, "Fast write level", 0, 2));
    to.zero_latency_read = yes(from, "Immediate buffer read");
    to.zero_latency_write = yes(from, "Immediate buffer write");
    to.combines_writes = yes(from, "Combine seq writes");
    to.stops_in_sector = yes(from, "Stop prefetch in sector");
    to.write_stops_read_ahead = yes(from, "Write hit stop prefetch");
    to.partial_hit_at_once = yes(from, "Immed transfer partial hit");
    to.read_hits_on_writes = yes(from, "Allow read hits on write data");
    to.almost_read_hits = yes(from, "Allow almost read hits");
    to.sneaky_full_hits = yes(from, "Allow sneaky full read hits");
    to.write_prebuffering = yes(from, "Allow write prebuffering");
    to.preseek = static_cast<int>(whole(from, "Preseeking level", 0, 2));
    const bool any_ahead = to.read_ahead != ReadAhead::none;
    if (!to.caches && (any_ahead || to.reads_free_blocks || to.fast_write != FastWrite::none))
        from.fail("Enable caching in buffer", "off, yet something is to be kept in it");
}

void read_device(JsonObject& from, DriveParameters& drive) {
    read_overheads(from, drive.overheads);
    read_buffer(from, drive.buffer);
    drive.bus.read_block_s = drive.bus.write_block_s = seconds(from, "Bulk sector transfer time");
    drive.bus.holds_for_read = yes(from, "Hold bus entire read xfer");
    drive.bus.holds_for_write = yes(from, "Hold bus entire write xfer");
    drive.bus.never_disconnects = yes(from, "Never disconnect");
    drive.queue_depth = static_cast<std::uint32_t>(whole(from, "Max queue length", 1, 1024));
    drive.order = queue_order(from);
    pass_over(from, {"Allow sneaky partial read hits", "Allow sneaky intermediate read hits", "Print stats",
                     "Avg sectors per cylinder", "Calc sector by sector", "Disconnect write if seek",
                     "Read directly to buffer", "type"});
    from.reject_unknown_keys();
}

std::vector<std::uint64_t> ascending(JsonObject& from, std::string_view key) {
    std::vector<std::uint64_t> out;
    for (const Json* element : from.list(key)) {
        if (!element->is_number_unsigned()) {
            from.fail(key, "not a list of whole numbers");
            return {};
        }
        out.push_back(element->get<std::uint64_t>());
    }
    return out;
}

// Skews are whole blocks there, or revolutions.
double skew(JsonObject& from, std::string_view key, bool revolutions, double track) {
    const double value = from.has(key) ? number(from, key, 0, double(most_track)) : 0;
    from.any(key);
    return revolutions ? value : std::floor(value) / track;
}

DriveZone read_zone(JsonObject& from, bool revolutions) {
    DriveZone zone;
    zone.first_cylinder = static_cast<std::uint32_t>(whole(from, "First cylinder number", 0, most_cylinders));
    zone.last_cylinder =
        static_cast<std::uint32_t>(whole(from, "Last cylinder number", zone.first_cylinder, most_cylinders));
    zone.blocks_per_track = static_cast<std::uint32_t>(whole(from, "Blocks per track", 1, most_track));
    if (const auto units = from.word("Skew units", {"sectors", "revolutions"})) revolutions = *units == "revolutions";
    const double track = zone.blocks_per_track;
    zone.first_block = skew(from, "Offset of first block", revolutions, track);
    zone.track_skew = skew(from, "Skew for track switch", revolutions, track);
    zone.cylinder_skew = skew(from, "Skew for cylinder switch", revolutions, track);
    zone.front_blocks = whole(from, "Empty space at zone front", 0, most_blocks);
    zone.spares = whole(from, "Number of spares", 0, std::uint64_t{1} << 32);
    zone.slips = ascending(from, "slips");
    std::sort(zone.slips.begin(), zone.slips.end());
    zone.slips.erase(std::unique(zone.slips.begin(), zone.slips.end()), zone.slips.end());
    const auto defects = ascending(from, "defects");
    if (defects.size() % 2 != 0) from.fail("defects", "not pairs of a place and its replacement");
    for (std::size_t i = 0; i + 1 < defects.size(); i += 2)
        if (defects[i] != defects[i + 1]) zone.remaps.emplace_back(defects[i], defects[i + 1]);
    pass_over(from, {"type"});
    from.reject_unknown_keys();
    return zone;
}

void read_layout(JsonObject& from, DriveLayout& layout) {
    layout.order = static_cast<SurfaceOrder>(whole(from, "LBN-to-PBN mapping scheme", 0, 2));
    layout.sparing = static_cast<Sparing>(whole(from, "Sparing scheme used", 0, 10));
    layout.range_cylinders =
        static_cast<std::uint32_t>(whole(from, "Rangesize for sparing", 1, most_cylinders));
    const auto units = from.word("Skew units", {"sectors", "revolutions"});
    const auto zones = from.list("Zones");
    if (zones.empty() || zones.size() > most_zones)
        return from.fail("Zones", fmt::format("not from 1 to {}", most_zones));
    for (const Json* element : zones) {
        auto zone = from.element("Zones", layout.zones.size(), *element);
        layout.zones.push_back(read_zone(zone, units == "revolutions"));
        if (from.error()) return;
    }
    pass_over(from, {"type"});
    from.reject_unknown_keys();
}

void read_seek_table(JsonObject& top, DriveSeek& seek) {
    for (const Json* row : top.list("seek_curve_cylinders_ms")) {
        const bool pair = row->is_array() && row->size() >= 2 && (*row)[0].is_number_unsigned() && (*row)[1].is_number();
        const std::uint64_t distance = pair ? (*row)[0].get<std::uint64_t>() : 0;
        const double time = pair ? (*row)[1].get<double>() : -1;
        if (distance == 0 || distance > most_cylinders || time < 0 || time > most_ms ||
            (!seek.table.empty() && distance <= seek.table.back().first))
            return top.fail("seek_curve_cylinders_ms", "not rising [cylinders, milliseconds]");
        seek.table.emplace_back(static_cast<std::uint32_t>(distance), time * ms);
    }
    if (seek.table.empty()) top.fail("seek_curve_cylinders_ms", "missing, and the seek type is extracted");
}

std::vector<double> numbers(JsonObject& from, std::string_view key, std::size_t count) {
    std::vector<double> out;
    for (const Json* element : from.list(key))
        out.push_back(element->is_number() ? element->get<double>() : -most_ms);
    const auto in_range = [](double value) { return value >= -most_ms && value <= double(most_cylinders); };
    if (out.size() != count || !std::all_of(out.begin(), out.end(), in_range)) {
        from.fail(key, fmt::format("not {} numbers", count));
        out.assign(count, 0);
    }
    return out;
}

void read_seek(JsonObject& from, JsonObject& top, DriveSeek& seek) {
    struct Type {
        std::string_view word;
        SeekKind kind;
    };
    constexpr std::array<Type, 6> types{{{"constant", SeekKind::constant},
                                         {"linear", SeekKind::three_point_line},
                                         {"curve", SeekKind::three_point_curve},
                                         {"hpl", SeekKind::hpl},
                                         {"hplplus10", SeekKind::hpl_first_ten},
                                         {"extracted", SeekKind::table}}};
    std::vector<std::string_view> words;
    for (const Type& type : types) words.push_back(type.word);
    const auto word = from.word("Seek type", words);
    if (!word) return from.fail("Seek type", "missing");
    for (const Type& type : types)
        if (type.word == *word) seek.kind = type.kind;
    const auto optional_seconds = [&](std::string_view key) { return from.has(key) ? seconds(from, key) : 0; };
    seek.constant_s = optional_seconds("Constant seek time");
    seek.single_s = optional_seconds("Single cylinder seek time");
    seek.average_s = optional_seconds("Average seek time");
    seek.full_s = optional_seconds("Full strobe seek time");
    if (seek.kind == SeekKind::table) read_seek_table(top, seek);
    if (seek.kind == SeekKind::hpl || seek.kind == SeekKind::hpl_first_ten) {
        const auto values = numbers(from, "HPL seek equation values", 6);
        seek.hpl_from = values[0];
        for (std::size_t i = 0; i < 4; ++i) seek.hpl[i] = values[i + 1] * ms;
        seek.single_s = std::max(0.0, values[5] * ms);
    }
    if (seek.kind == SeekKind::hpl_first_ten) {
        const auto values = numbers(from, "First ten seek times", 10);
        for (std::size_t i = 0; i < 10; ++i) seek.first_ten[i] = values[i] * ms;
    }
    pass_over(from, {"Full seek curve", "HPL seek equation values", "First ten seek times"});
}

void read_mechanics(JsonObject& from, JsonObject& top, DriveMechanics& to) {
    const auto access =
        from.word("Access time type", {"constant", "averageRotation", "trackSwitchPlusRotation"});
    if (!access) from.fail("Access time type", "missing");
    if (access == "constant") to.access = AccessKind::constant;
    if (access == "averageRotation") to.access = AccessKind::average_rotation;
    if (from.has("Constant access time")) to.constant_access_s = seconds(from, "Constant access time");
    read_seek(from, top, to.seek);
    to.write_settle_s = number(from, "Add. write settling delay", -most_ms, most_ms) * ms;
    to.head_switch_s = seconds(from, "Head switch time");
    to.revolution_s = 60 / number(from, "Rotation speed (in rpms)", 1, 1e6);
    // The manual advises against a random speed; the nominal one is taken.
    pass_over(from, {"Percent error in rpms", "type"});
    from.reject_unknown_keys();
}

}  // namespace

DriveParameters read_disksim_drive(JsonObject& top) {
    DriveParameters drive;
    drive.name = top.text("key").value_or("");
    drive.published_rms_ms = top.number("published_rms_ms");
    pass_over(top, {"source", "units", "seek_curve_cylinders_ms"});
    std::string ignored;
    if (auto device = named(top, "device", "disksim_disk", drive.product)) read_device(*device, drive);
    if (auto disk = named(top, "mechanics", "dm_disk", ignored)) {
        drive.layout.surfaces = static_cast<std::uint32_t>(whole(*disk, "Number of data surfaces", 1, most_surfaces));
        drive.layout.cylinders = static_cast<std::uint32_t>(whole(*disk, "Number of cylinders", 1, most_cylinders));
        drive.blocks = whole(*disk, "Block count", 1, most_blocks);
        if (auto layout = disk->object("Layout Model"))
            read_layout(*layout, drive.layout);
        else
            disk->fail("Layout Model", "missing");
        if (auto mechanics = disk->object("Mechanical Model"))
            read_mechanics(*mechanics, top, drive.mechanics);
        else
            disk->fail("Mechanical Model", "missing");
        pass_over(*disk, {"type"});
        disk->reject_unknown_keys();
    }
    if (auto bus = top.object("bus")) {
        drive.bus.read_block_s = std::max(drive.bus.read_block_s, seconds(*bus, "read_block_ms"));
        drive.bus.write_block_s = std::max(drive.bus.write_block_s, seconds(*bus, "write_block_ms"));
        pass_over(*bus, {"source"});
        bus->reject_unknown_keys();
    }
    top.reject_unknown_keys();
    if (top.error()) return drive;
    for (const DriveZone& zone : drive.layout.zones)
        drive.layout.cylinders = std::max(drive.layout.cylinders, zone.last_cylinder + 1);
    // DiskSim, too, goes by the zones: files of its own differ by a few blocks.
    drive.blocks = std::min(drive.blocks, DiskGeometry::capacity(drive.layout));
    if (const auto why = drive_error(drive)) top.fail("", *why);
    return drive;
}

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
        const std::uint64_t tracks = (next - zone.first_cylinder) * layout.surfaces;
        const std::uint64_t places = layout.sparing == Sparing::tracks_per_zone ? tracks : tracks * zone.blocks_per_track;
        const std::uint64_t cylinder = std::uint64_t{layout.surfaces} * zone.blocks_per_track;
        const bool every_cylinder = layout.sparing != Sparing::tracks_per_zone && layout.sparing != Sparing::per_track &&
                                    layout.sparing != Sparing::per_zone && layout.sparing != Sparing::per_zone_slip_to_end;
        if (zone.spares >= (layout.sparing == Sparing::per_track ? zone.blocks_per_track : every_cylinder ? cylinder : places) &&
            layout.sparing != Sparing::none)
            return fmt::format("the zone from cylinder {} has no more than spares", zone.first_cylinder);
        const auto outside = [&](std::uint64_t place) { return place >= places; };
        if (std::any_of(zone.slips.begin(), zone.slips.end(), outside))
            return fmt::format("a slip lies outside of the zone from cylinder {}", zone.first_cylinder);
        for (const auto& [from, to] : zone.remaps)
            if (outside(from) || outside(to))
                return fmt::format("a defect lies outside of the zone from cylinder {}", zone.first_cylinder);
    }
    if (DiskGeometry::capacity(layout) == 0) return "a zone has no room for blocks";
    if (drive.blocks == 0 || drive.blocks > DiskGeometry::capacity(layout))
        return fmt::format("{} blocks do not fit into the zones' {}", drive.blocks, DiskGeometry::capacity(layout));
    if (!(drive.mechanics.revolution_s > 0)) return "no rotation speed";
    return std::nullopt;
}

}  // namespace diskwright
