// SPDX-License-Identifier: BSD-2-Clause
// Everything the disk model knows of a drive that rotates. Blocks are 512 bytes, times seconds, angles and
// skews revolutions. The parameters and their meaning are those of the DiskSim 4.0 manual, from which drives
// measured by others come (disksim_drive.hpp); a plain description (plain_drive.hpp) fills in the same ones,
// and two that DiskSim has not: one_at_a_time and seamless_tracks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace diskwright {

/// Where the spare places lie and what a slipped (skipped) place shifts; the numbers are DiskSim's.
enum class Sparing : std::uint8_t {
    none = 0,
    tracks_per_zone = 1,
    per_cylinder = 2,
    per_track = 3,
    per_cylinder_slip_to_end = 4,
    per_cylinder_at_front = 5,
    per_cylinder_at_front_slip_to_end = 6,
    at_end_of_disk = 7,
    per_range = 8,
    per_zone = 9,
    per_zone_slip_to_end = 10,
};

/// In which order the surfaces of a cylinder are used; the numbers are DiskSim's.
enum class SurfaceOrder : std::uint8_t {
    same = 0,                    // every cylinder begins on the first surface
    alternate_from_zone = 1,     // a change of cylinder stays on its surface; the zone's first is in order
    alternate_odd_cylinders = 2  // likewise, odd cylinders are in reverse
};

struct DriveZone {
    std::uint32_t first_cylinder = 0, last_cylinder = 0, blocks_per_track = 0;
    double first_block = 0, track_skew = 0, cylinder_skew = 0;  // revolutions
    std::uint64_t front_blocks = 0;                             // kept by the drive, in front of the first
    std::uint64_t spares = 0;          // blocks, or tracks, for each region of the scheme
    std::vector<std::uint64_t> slips;  // ascending; places counted from the zone's first
    std::vector<std::pair<std::uint64_t, std::uint64_t>> remaps;  // place, and the one that stands in for it
};

struct DriveLayout {
    std::uint32_t surfaces = 1, cylinders = 1;
    Sparing sparing = Sparing::none;
    std::uint32_t range_cylinders = 1;
    SurfaceOrder order = SurfaceOrder::same;
    std::vector<DriveZone> zones;
};

enum class SeekKind : std::uint8_t {
    constant,
    three_point_line,
    three_point_curve,
    hpl,
    hpl_first_ten,
    table
};

struct DriveSeek {
    SeekKind kind = SeekKind::constant;
    double constant_s = 0, single_s = 0, average_s = 0, full_s = 0;
    double hpl_from = 0;                                  // cylinders from where on the time is linear
    std::array<double, 4> hpl{};                          // a + b sqrt(d) below it, c + d d from it on
    std::array<double, 10> first_ten{};                   // of 1 to 10 cylinders
    std::vector<std::pair<std::uint32_t, double>> table;  // cylinders, seconds; ascending, from 1
};

enum class AccessKind : std::uint8_t { constant, average_rotation, exact_rotation };

struct DriveMechanics {
    AccessKind access = AccessKind::exact_rotation;
    double constant_access_s = 0;
    DriveSeek seek;
    double write_settle_s =
        0;  // added to a seek or head switch before a write; measured ones may be negative
    double head_switch_s = 0, revolution_s = 0;
    /// What it takes to get to the next track is in the rate already: the blocks go on there.
    bool seamless_tracks = false;
};

enum class ReadAhead : std::uint8_t {
    none = 0,
    track_end = 1,
    cylinder_end = 2,
    segment_end = 3,
    next_track = 4
};
enum class FastWrite : std::uint8_t { none = 0, sequential = 1, all = 2 };

struct DriveBuffer {
    std::uint32_t segments = 1, write_segments = 1;
    std::uint64_t write_blocks = UINT64_MAX;  // written ones that may wait in the buffer
    std::uint64_t segment_blocks = 1;
    bool caches = true, separate_write_segment = false;
    double low_mark = 0, high_mark = 0;  // of the request's size, or else of the segment's
    bool marks_of_request = true;
    ReadAhead read_ahead = ReadAhead::none;
    std::uint64_t least_read_ahead = 0, most_read_ahead = 0;
    bool read_ahead_over_requested = true, read_ahead_on_hit = false, reads_free_blocks = false;
    FastWrite fast_write = FastWrite::none;
    bool zero_latency_read = false, zero_latency_write = false;
    bool stops_in_sector = false, write_stops_read_ahead = true;
    bool read_hits_on_writes = true, almost_read_hits = false, partial_hit_at_once = true;
    bool sneaky_full_hits = false, write_prebuffering = false, combines_writes = true;
    int preseek = 0;  // 0: after the completion was taken, 1: while it is sent, 2: when the medium is done
};

struct DriveOverheads {
    double request = 0, scale = 1;
    // [0] after a read, [1] after a write
    std::array<double, 2> read_hit{}, read_miss{}, write_hit{}, write_miss{}, read_disconnect{};
    double read_done = 0, write_done = 0, data_preparation = 0, write_disconnect = 0;
    double first_reselect = 0, other_reselect = 0, least_seek = 0;
    /// One command, and its data, at a time; while the medium works for another, a command costs nothing, and
    /// what a waiting one writes is fetched.
    bool one_at_a_time = false;
    bool extra_disconnect = false;
    double extra_command = 0, extra_disconnect_s = 0, extra_between = 0, extra_second = 0, extra_seek = 0;
};

struct DriveBus {
    double read_block_s = 0, write_block_s = 0;
    bool holds_for_read = false, holds_for_write = false, never_disconnects = false;
};

enum class QueueOrder : std::uint8_t { fifo, elevator, cyclic, shortest_seek, shortest_positioning };

struct DriveParameters {
    std::string name, product;
    std::uint64_t blocks = 0;
    std::uint32_t logical_blocks = 1, physical_blocks = 1;  // sector sizes in blocks
    std::uint32_t physical_first = 0;  // block at which the first whole physical sector begins
    bool ignores_flush = false;
    DriveLayout layout;
    DriveMechanics mechanics;
    DriveBuffer buffer;
    DriveOverheads overheads;
    DriveBus bus;
    QueueOrder order = QueueOrder::fifo;
    std::uint32_t queue_depth = 1;
    /// What the reference simulator reaches on the drive's measured trace.
    std::optional<double> published_rms_ms;
};

/// Why the model cannot run a drive of these parameters; nothing when it can.
std::optional<std::string> drive_error(const DriveParameters& drive);

}  // namespace diskwright
