// SPDX-License-Identifier: BSD-2-Clause
// A kind of disk by the figures a data sheet or a measurement gives (CONTRACT section 5). What is left out is
// unknown; what the simulator then assumes is said in drives.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probes/model/enums.hpp"
#include "probes/model/json_object.hpp"

namespace diskwright {

/// One kind of disk. Times in seconds, sizes and rates in bytes.
struct DiskParameters {
    std::string name;                      // of a shipped one; empty when the file describes its own
    std::optional<std::string> product;    // the drive's model as it names itself
    std::optional<std::string> transport;  // sata, sas, nvme
    std::optional<std::uint64_t> size_bytes, cache_bytes, read_ahead_bytes, queue_depth;
    std::optional<std::uint64_t> logical_sector_bytes, physical_sector_bytes;
    std::optional<std::uint64_t> physical_offset_bytes;           // byte at which a physical sector begins
    std::optional<std::uint64_t> reported_physical_sector_bytes;  // what it says, where that is not true
    std::optional<bool> ignores_flush;                            // answers flushes without one
    std::optional<double> rpm;  // 0: does not rotate
    std::optional<double> seek_min_s, seek_max_s, settle_write_s, command_s;
    std::optional<double> head_switch_s;
    std::optional<double> transfer_bytes_per_s, interface_bytes_per_s;  // of the medium: sustained, outermost
    std::optional<double> transfer_inner_bytes_per_s;                   // innermost; else the same everywhere
    std::optional<Switch> write_cache;
    std::vector<std::pair<double, double>> seek_curve;  // cylinders, seconds
    struct Zone {
        std::uint64_t first_cylinder = 0, cylinders = 0, sectors_per_track = 0;
        bool operator==(const Zone&) const = default;
    };
    std::vector<Zone> zones;
    /// Of a drive that does not rotate.
    struct Flash {
        std::optional<std::uint64_t> units, page_bytes, erase_block_bytes;  // units work at the same time
        std::optional<double> read_s, program_s, erase_s;                   // of a page, of a block
        std::optional<double> spare;           // places beyond size_bytes, of size_bytes
        std::optional<bool> protected_buffer;  // survives a loss of power: a flush waits for nothing
        bool operator==(const Flash&) const = default;
    };
    std::optional<Flash> flash;
    /// Of a drive whose tracks overlap and that manages them itself.
    struct Shingled {
        std::optional<std::uint64_t> band_bytes, media_cache_bytes;
        std::optional<double> clean_after_s;  // idle for that long
        bool operator==(const Shingled&) const = default;
    };
    std::optional<Shingled> shingled;
    bool operator==(const DiskParameters&) const = default;
};

/// The plain object; errors stay in `from`.
DiskParameters read_plain_disk(JsonObject& from);

/// The shipped kinds of disk, by name; each file in tuner/simulator/disks says where its figures come from.
/// Of those in DiskSim's form, what a plain description has of them.
const std::map<std::string, DiskParameters, std::less<>>& shipped_disks();

}  // namespace diskwright
