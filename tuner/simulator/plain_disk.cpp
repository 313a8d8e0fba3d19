// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/plain_disk.hpp"

#include <fmt/format.h>

#include "tuner/simulator/checked_keys.hpp"
#include "tuner/simulator/disk_files.hpp"
#include "tuner/simulator/disksim_drive.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

// A thousand seconds, and rates from a byte a second to ten terabytes: whatever is beyond is a mistake.
constexpr double most_s = 1000, least_flash_s = 1e-9, least_rate = 1, most_rate = 1e13;

void read_seek_curve(JsonObject& from, DiskParameters& disk) {
    for (const Json* element : from.list("seek_curve")) {
        const bool pair = element->is_array() && element->size() == 2 && (*element)[0].is_number() &&
                          (*element)[1].is_number();
        if (!pair) return from.fail("seek_curve", "not a list of [cylinders, seconds]");
        disk.seek_curve.emplace_back((*element)[0].get<double>(), (*element)[1].get<double>());
        const std::size_t n = disk.seek_curve.size();
        if (disk.seek_curve.back().second < 0 || disk.seek_curve.back().second > most_s ||
            disk.seek_curve.back().first > 1e9 ||
            (n > 1 && disk.seek_curve[n - 1].first <= disk.seek_curve[n - 2].first))
            return from.fail("seek_curve", "cylinders do not rise, or a time is below 0");
    }
}

void read_zones(JsonObject& from, DiskParameters& disk) {
    for (const Json* element : from.list("zones")) {
        JsonObject zone = from.element("zones", disk.zones.size(), *element);
        const auto first = zone.count("first_cylinder"), count = zone.count("cylinders"),
                   sectors = zone.count("sectors_per_track");
        if (!first || !count || !sectors || *count == 0 || *sectors == 0)
            zone.fail("", "needs first_cylinder, cylinders and sectors_per_track, the last two above 0");
        constexpr std::uint64_t most_cylinders = 1 << 24, most_sectors = 1 << 20;
        if (first.value_or(0) > most_cylinders || count.value_or(0) > most_cylinders ||
            sectors.value_or(0) > most_sectors)
            zone.fail("", fmt::format("more than {} cylinders or {} sectors", most_cylinders, most_sectors));
        zone.reject_unknown_keys();
        disk.zones.push_back({first.value_or(0), count.value_or(0), sectors.value_or(0)});
    }
}

// What is known of it without its mechanics.
DiskParameters summary(const DriveParameters& drive) {
    DiskParameters disk;
    disk.product = drive.product;
    disk.size_bytes = drive.blocks * 512;
    disk.rpm = 60 / drive.mechanics.revolution_s;
    disk.logical_sector_bytes = disk.physical_sector_bytes = 512;
    disk.queue_depth = drive.queue_depth;
    disk.cache_bytes = drive.buffer.segments * drive.buffer.segment_blocks * 512;
    return disk;
}

void read_flash(JsonObject& from, DiskParameters& disk) {
    auto part = from.object("flash");
    if (!part) return;
    DiskParameters::Flash& flash = disk.flash.emplace();
    flash.units = part->count("units");
    if (flash.units && (*flash.units == 0 || *flash.units > 4096)) part->fail("units", "not from 1 to 4096");
    flash.page_bytes = power_of_two(*part, "page_bytes", 512, 1 << 20);
    flash.erase_block_bytes = power_of_two(*part, "erase_block_bytes", 512, 1 << 30);
    flash.read_s = within(*part, "read_s", least_flash_s, most_s);
    flash.program_s = within(*part, "program_s", least_flash_s, most_s);
    flash.erase_s = within(*part, "erase_s", 0, most_s);
    flash.spare = within(*part, "spare", 0.001, 10);
    flash.protected_buffer = part->flag("protected_buffer");
    part->reject_unknown_keys();
}

void read_shingled(JsonObject& from, DiskParameters& disk) {
    auto part = from.object("shingled");
    if (!part) return;
    constexpr std::uint64_t most_band = std::uint64_t{1} << 30;
    DiskParameters::Shingled& shingled = disk.shingled.emplace();
    shingled.band_bytes = sector_multiple(*part, "band_bytes");
    if (shingled.band_bytes && (*shingled.band_bytes == 0 || *shingled.band_bytes > most_band))
        part->fail("band_bytes", fmt::format("not from 512 to {}", most_band));
    shingled.media_cache_bytes = sector_multiple(*part, "media_cache_bytes");
    if (shingled.media_cache_bytes == std::uint64_t{0} ||
        shingled.media_cache_bytes.value_or(0) > disk.size_bytes.value_or(0))
        part->fail("media_cache_bytes", "0, or more than size_bytes");
    shingled.clean_after_s = within(*part, "clean_after_s", 0, most_s);
    part->reject_unknown_keys();
}

}  // namespace

DiskParameters read_plain_disk(JsonObject& from) {
    DiskParameters disk;
    disk.product = from.text("product");
    disk.transport = from.word("transport", {"sata", "sas", "nvme"});
    disk.size_bytes = sector_multiple(from, "size_bytes");
    disk.rpm = within(from, "rpm", 0, 1e6);
    if (disk.rpm.value_or(1) > 0 && disk.rpm.value_or(1) < 1) from.fail("rpm", "between 0 and 1");
    disk.seek_min_s = within(from, "seek_min_s", 0, most_s);
    disk.seek_max_s = within(from, "seek_max_s", 0, most_s);
    if (disk.seek_min_s && disk.seek_max_s && *disk.seek_min_s > *disk.seek_max_s)
        from.fail("seek_min_s", "above seek_max_s");
    disk.head_switch_s = within(from, "head_switch_s", 0, most_s);
    disk.settle_write_s = within(from, "settle_write_s", 0, most_s);
    disk.transfer_bytes_per_s = within(from, "transfer_bytes_per_s", least_rate, most_rate);
    disk.transfer_inner_bytes_per_s = within(from, "transfer_inner_bytes_per_s", least_rate, most_rate);
    if (disk.transfer_inner_bytes_per_s.value_or(0) > disk.transfer_bytes_per_s.value_or(0))
        from.fail("transfer_inner_bytes_per_s", "above transfer_bytes_per_s, or that is missing");
    disk.interface_bytes_per_s = within(from, "interface_bytes_per_s", least_rate, most_rate);
    disk.command_s = within(from, "command_s", 0, most_s);
    disk.cache_bytes = from.count("cache_bytes");
    disk.read_ahead_bytes = from.count("read_ahead_bytes");
    disk.write_cache = enumerator<Switch>(from, "write_cache");
    disk.queue_depth = from.count("queue_depth");
    disk.logical_sector_bytes = power_of_two(from, "logical_sector_bytes", 512, 65536);
    disk.physical_sector_bytes = power_of_two(from, "physical_sector_bytes", 512, 65536);
    if (disk.logical_sector_bytes && disk.physical_sector_bytes &&
        *disk.logical_sector_bytes > *disk.physical_sector_bytes)
        from.fail("physical_sector_bytes", "below logical_sector_bytes");
    disk.physical_offset_bytes = sector_multiple(from, "physical_offset_bytes");
    if (disk.physical_offset_bytes.value_or(0) > 0 &&
        *disk.physical_offset_bytes >= disk.physical_sector_bytes.value_or(512))
        from.fail("physical_offset_bytes", "not below physical_sector_bytes");
    disk.reported_physical_sector_bytes = power_of_two(from, "reported_physical_sector_bytes", 512, 65536);
    disk.ignores_flush = from.flag("ignores_flush");
    read_seek_curve(from, disk);
    read_zones(from, disk);
    read_flash(from, disk);
    if (disk.flash && disk.rpm.value_or(0) > 0) from.fail("flash", "of a drive that rotates");
    read_shingled(from, disk);
    if (disk.shingled && (disk.flash || disk.rpm == 0.0))
        from.fail("shingled", "of a drive that does not rotate");
    from.text("source");  // for people
    from.any("sources");
    from.reject_unknown_keys();
    return disk;
}

const std::map<std::string, DiskParameters, std::less<>>& shipped_disks() {
    static const auto all = [] {
        std::map<std::string, DiskParameters, std::less<>> disks;
        for (const EmbeddedFile& file : disk_files()) {
            const auto json = parse_json(file.text, file.name);
            if (!json) continue;
            JsonObject from(*json, file.name);
            DiskParameters disk =
                from.has("mechanics") ? summary(read_disksim_drive(from)) : read_plain_disk(from);
            disk.name = file.name;
            if (!from.error()) disks.emplace(disk.name, std::move(disk));
        }
        return disks;
    }();
    return all;
}

}  // namespace diskwright
