// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disksim_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/support/text.hpp"
#include "tuner/simulator/disk_geometry.hpp"
#include "tuner/simulator/disksim_keys.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using namespace disksim;

constexpr std::uint64_t most_segments = 4096, most_segment_blocks = 1 << 26,
                        most_blocks = std::uint64_t{1} << 42;

// "disksim_disk NAME": {...}, the only member.
std::optional<JsonObject> named(JsonObject& top, std::string_view key, std::string_view type,
                                std::string& name) {
    auto outer = top.object(key);
    if (!outer) {
        top.fail(key, "missing");
        return std::nullopt;
    }
    const Json& members = *top.any(key);
    if (!members.is_object() || members.size() != 1 ||
        !members.begin().key().starts_with(std::string(type) + " ")) {
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
    const auto pair = [&](std::array<double, 2>& both, std::string_view after_read,
                          std::string_view after_write) {
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

}  // namespace

DriveParameters read_disksim_drive(JsonObject& top) {
    DriveParameters drive;
    drive.name = top.text("key").value_or("");
    drive.published_rms_ms = top.number("published_rms_ms");
    pass_over(top, {"source", "units", "seek_curve_cylinders_ms"});
    std::string ignored;
    if (auto device = named(top, "device", "disksim_disk", drive.product)) read_device(*device, drive);
    if (auto disk = named(top, "mechanics", "dm_disk", ignored)) {
        drive.layout.surfaces =
            static_cast<std::uint32_t>(whole(*disk, "Number of data surfaces", 1, most_surfaces));
        drive.layout.cylinders =
            static_cast<std::uint32_t>(whole(*disk, "Number of cylinders", 1, most_cylinders));
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

}  // namespace diskwright
