// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/plain_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/support/text.hpp"
#include "tuner/simulator/seek_curve.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t block_bytes = 512;
// Tracks of one surface of drives from about 2008 on; fixes how many surfaces one without zones has.
constexpr double tracks_of_surface = 250'000, shortest_seek_s = 0.0006;
constexpr std::uint32_t most_surfaces = 24, zones_between = 16, most_track = 1 << 20,
                        most_cylinders = 1 << 24;

class Figures {
 public:
    explicit Figures(std::vector<std::string>& assumed) : assumed_(assumed) {}
    template <class T>
    T of(const std::optional<T>& given, std::string_view name, T otherwise) {
        if (given) return *given;
        assumed_.push_back(fmt::format("{} {}", name, otherwise));
        return otherwise;
    }
    bool on(const std::optional<Switch>& given, std::string_view name) {
        return of(given ? std::optional(*given == Switch::on) : std::nullopt, name, true);
    }

 private:
    std::vector<std::string>& assumed_;
};

std::uint32_t rounded(double blocks, std::uint32_t sector) {
    const double sectors = std::min(std::round(blocks / sector), double(most_track / sector));
    return std::max(sector, static_cast<std::uint32_t>(sectors) * sector);
}

DriveZone zone_of(std::uint32_t first, std::uint32_t cylinders, std::uint32_t track) {
    DriveZone zone;
    zone.first_cylinder = first;
    zone.last_cylinder = first + cylinders - 1;
    zone.blocks_per_track = track;
    return zone;
}

void lay_out(const DiskParameters& disk, Figures& figures, DriveParameters& drive) {
    const double revolution_s = drive.mechanics.revolution_s;
    const double switch_s =
        drive.mechanics.seamless_tracks ? 0 : drive.mechanics.head_switch_s + drive.mechanics.write_settle_s;
    DriveLayout& layout = drive.layout;
    if (!disk.zones.empty()) {
        std::uint64_t on_surface = 0;
        for (const auto& zone : disk.zones) on_surface += zone.cylinders * zone.sectors_per_track;
        layout.surfaces = static_cast<std::uint32_t>((drive.blocks + on_surface - 1) / on_surface);
        for (const auto& zone : disk.zones)
            layout.zones.push_back(zone_of(static_cast<std::uint32_t>(zone.first_cylinder),
                                           static_cast<std::uint32_t>(zone.cylinders),
                                           static_cast<std::uint32_t>(zone.sectors_per_track)));
    } else {
        const double outer = figures.of(disk.transfer_bytes_per_s, "transfer_bytes_per_s", 150e6);
        const double inner = disk.transfer_inner_bytes_per_s.value_or(outer);
        const std::uint32_t count = inner < outer ? zones_between : 1;
        // A track and the skew to the next one take a revolution and that switch.
        const auto track_at = [&](double rate) {
            return rounded(rate * (revolution_s + switch_s) / block_bytes, drive.physical_blocks);
        };
        double mean = 0;
        std::vector<std::uint32_t> tracks;
        for (std::uint32_t i = 0; i < count; ++i) {
            const double part = count > 1 ? double(i) / (count - 1) : 0;
            tracks.push_back(track_at(outer + part * (inner - outer)));
            mean += double(tracks.back()) / count;
        }
        const double all_tracks = double(drive.blocks) / mean;
        layout.surfaces = static_cast<std::uint32_t>(
            std::clamp(std::round(all_tracks / tracks_of_surface), 1.0, double(most_surfaces)));
        if (all_tracks / layout.surfaces > most_cylinders) return;  // drive_error() finds no zones
        const auto in_zone = static_cast<std::uint32_t>(std::ceil(all_tracks / layout.surfaces / count)) + 1;
        for (std::uint32_t i = 0; i < count; ++i)
            layout.zones.push_back(zone_of(i * in_zone, in_zone, tracks[i]));
    }
    if (!layout.zones.empty()) layout.cylinders = layout.zones.back().last_cylinder + 1;
}

void set_seek(const DiskParameters& disk, Figures& figures, DriveParameters& drive) {
    DriveSeek& seek = drive.mechanics.seek;
    if (!disk.seek_curve.empty()) {
        seek.kind = SeekKind::table;
        for (const auto& [cylinders, seconds] : disk.seek_curve)
            if (cylinders >= 1 && (seek.table.empty() || seek.table.back().first < std::uint32_t(cylinders)))
                seek.table.emplace_back(static_cast<std::uint32_t>(cylinders), seconds);
        if (!seek.table.empty()) return;
    }
    const double least = figures.of(disk.seek_min_s, "seek_min_s", shortest_seek_s);
    const double most = figures.of(disk.seek_max_s, "seek_max_s", std::max(0.016, least));
    seek.kind = SeekKind::hpl;
    seek.hpl_from = double(drive.layout.cylinders) + 1;
    seek.hpl = {least, (most - least) / std::sqrt(double(drive.layout.cylinders)), most, 0};
}

// In whole blocks, as a drive has it; both switches end in time for the next block, for writes too.
void set_skews(DriveParameters& drive) {
    const DriveMechanics& mechanics = drive.mechanics;
    if (mechanics.seamless_tracks) return;
    const double switch_s = mechanics.head_switch_s + mechanics.write_settle_s;
    const double seek_s = SeekCurve::of(mechanics.seek, drive.layout.cylinders, 1) + mechanics.write_settle_s;
    for (DriveZone& zone : drive.layout.zones) {
        const double track = zone.blocks_per_track;
        zone.track_skew = std::ceil(switch_s / mechanics.revolution_s * track) / track;
        zone.cylinder_skew = std::ceil(std::max(seek_s, switch_s) / mechanics.revolution_s * track) / track;
    }
}

void set_buffer(const DiskParameters& disk, Figures& figures, DriveParameters& drive) {
    DriveBuffer& buffer = drive.buffer;
    const std::uint64_t cache = figures.of(disk.cache_bytes, "cache_bytes", 16 * MiB) / block_bytes;
    const std::uint64_t ahead =
        figures.of(disk.read_ahead_bytes, "read_ahead_bytes", std::min(512 * KiB, cache * block_bytes)) /
        block_bytes;
    buffer.caches = cache > 0;
    buffer.segment_blocks = std::max<std::uint64_t>(2 * ahead, 1024);
    buffer.segments =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(cache / buffer.segment_blocks, 1, 32));
    buffer.read_ahead = ahead > 0 && buffer.caches ? ReadAhead::segment_end : ReadAhead::none;
    buffer.most_read_ahead = ahead;
    buffer.almost_read_hits = buffer.sneaky_full_hits = true;
    buffer.preseek = 2;
    const bool cached = figures.on(disk.write_cache, "write_cache") && buffer.caches;
    buffer.fast_write = cached ? FastWrite::all : FastWrite::none;
    buffer.write_prebuffering = cached;
    buffer.read_hits_on_writes = false;
    // A drive sorts so many at the most, whatever else its cache has room for.
    buffer.write_segments = 256;
    buffer.write_blocks = std::max<std::uint64_t>(cache / 2, 1);
}

}  // namespace

DriveParameters rotating_drive(const DiskParameters& disk, std::vector<std::string>& assumed) {
    Figures figures(assumed);
    DriveParameters drive;
    drive.name = disk.name;
    drive.product = disk.product.value_or("");
    drive.blocks = disk.size_bytes.value_or(0) / block_bytes;
    drive.logical_blocks =
        static_cast<std::uint32_t>(disk.logical_sector_bytes.value_or(block_bytes) / block_bytes);
    drive.physical_blocks = static_cast<std::uint32_t>(
        disk.physical_sector_bytes.value_or(disk.logical_sector_bytes.value_or(block_bytes)) / block_bytes);
    drive.physical_first = static_cast<std::uint32_t>(disk.physical_offset_bytes.value_or(0) / block_bytes);
    drive.ignores_flush = disk.ignores_flush.value_or(false);
    drive.mechanics.revolution_s = 60 / figures.of(disk.rpm, "rpm", 7200.0);
    drive.mechanics.write_settle_s = disk.settle_write_s.value_or(0);
    // A rate that is said to be sustained has the switches of tracks in it, unless those are known
    // themselves.
    drive.mechanics.seamless_tracks = !disk.head_switch_s && disk.zones.empty();
    drive.mechanics.head_switch_s = disk.head_switch_s.value_or(disk.seek_min_s.value_or(shortest_seek_s));
    lay_out(disk, figures, drive);
    set_seek(disk, figures, drive);
    set_skews(drive);
    set_buffer(disk, figures, drive);
    const double command_s = figures.of(disk.command_s, "command_s", 0.0001);
    drive.overheads.read_hit = drive.overheads.read_miss = {command_s, command_s};
    drive.overheads.write_hit = drive.overheads.write_miss = {command_s, command_s};
    drive.overheads.one_at_a_time = true;
    const double interface = figures.of(disk.interface_bytes_per_s, "interface_bytes_per_s", 300e6);
    drive.bus.read_block_s = drive.bus.write_block_s = block_bytes / interface;
    drive.queue_depth = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(figures.of(disk.queue_depth, "queue_depth", std::uint64_t{32}), 1, 1024));
    drive.order = drive.queue_depth > 1 ? QueueOrder::shortest_positioning : QueueOrder::fifo;
    return drive;
}

SsdParameters flash_drive(const DiskParameters& disk, std::vector<std::string>& assumed) {
    Figures figures(assumed);
    const DiskParameters::Flash flash = disk.flash.value_or(DiskParameters::Flash{});
    SsdParameters drive;
    drive.blocks = disk.size_bytes.value_or(0) / block_bytes;
    drive.logical_blocks =
        static_cast<std::uint32_t>(disk.logical_sector_bytes.value_or(block_bytes) / block_bytes);
    drive.physical_blocks = static_cast<std::uint32_t>(
        disk.physical_sector_bytes.value_or(disk.logical_sector_bytes.value_or(block_bytes)) / block_bytes);
    drive.physical_first = static_cast<std::uint32_t>(disk.physical_offset_bytes.value_or(0) / block_bytes);
    drive.ignores_flush = disk.ignores_flush.value_or(false);
    drive.units = static_cast<std::uint32_t>(figures.of(flash.units, "flash.units", std::uint64_t{8}));
    drive.page_blocks = static_cast<std::uint32_t>(
        figures.of(flash.page_bytes, "flash.page_bytes", std::uint64_t{4096}) / block_bytes);
    drive.erase_pages =
        std::max<std::uint64_t>(1, figures.of(flash.erase_block_bytes, "flash.erase_block_bytes", 2 * MiB) /
                                       block_bytes / drive.page_blocks);
    drive.read_s = figures.of(flash.read_s, "flash.read_s", 60e-6);
    drive.program_s = figures.of(flash.program_s, "flash.program_s", 300e-6);
    drive.erase_s = figures.of(flash.erase_s, "flash.erase_s", 3e-3);
    drive.spare = figures.of(flash.spare, "flash.spare", 0.07);
    drive.protected_buffer = figures.of(flash.protected_buffer, "flash.protected_buffer", false);
    drive.command_s = figures.of(disk.command_s, "command_s", 20e-6);
    drive.block_s = block_bytes / figures.of(disk.interface_bytes_per_s, "interface_bytes_per_s", 550e6);
    const bool cached = figures.on(disk.write_cache, "write_cache");
    const std::uint64_t buffer = figures.of(disk.cache_bytes, "cache_bytes", 16 * MiB) / block_bytes;
    drive.buffer_pages = cached ? buffer / drive.page_blocks : 0;
    drive.queue_depth = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(figures.of(disk.queue_depth, "queue_depth", std::uint64_t{32}), 1, 65536));
    return drive;
}

ShingledParameters shingles_of(const DiskParameters::Shingled& shingled, std::vector<std::string>& assumed) {
    Figures figures(assumed);
    ShingledParameters out;
    out.band_blocks = figures.of(shingled.band_bytes, "shingled.band_bytes", 30 * MiB) / block_bytes;
    out.cache_blocks =
        figures.of(shingled.media_cache_bytes, "shingled.media_cache_bytes", 20 * 1024 * MiB) / block_bytes;
    out.clean_after_s = figures.of(shingled.clean_after_s, "shingled.clean_after_s", 1.2);
    return out;
}

}  // namespace diskwright
