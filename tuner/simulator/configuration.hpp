// SPDX-License-Identifier: BSD-2-Clause
// A server written down: the configuration files of CONTRACT section 5, of commission --simulate and of the
// presets. What a key leaves open is unknown, never 0.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/enums.hpp"
#include "probes/support/result.hpp"
#include "tuner/simulator/plain_disk.hpp"

namespace diskwright {

struct MachineConfiguration {
    struct DiskGroup {
        DiskParameters disk;
        std::uint64_t count = 1;
    };
    struct Array {
        VolumeKind kind = VolumeKind::raidframe;
        RaidLevel level = RaidLevel::raid0;
        std::optional<std::uint64_t> stripe_unit_bytes;
        std::optional<std::string> layout, balance;
        std::uint64_t component_start_bytes = 0;
        VolumeState state = VolumeState::optimal;
    };
    /// ordered, writeback and journal_data (the word is journal): data= of ext3 and ext4.
    enum class Journal { none, wapbl, softdep, suj, async, sync, ordered, writeback, journal_data };
    struct FileSystem {
        std::string type;
        std::optional<std::uint64_t> bsize, fsize, size_bytes;
        std::optional<Journal> journal;
    };
    struct Host {
        std::optional<std::uint64_t> ram_bytes;
        std::optional<double> syscall_s, operation_s;
        std::optional<double> block_s;  // of the processor, for each block of a file handed on by itself
    };
    struct Work {
        std::string name;
        std::map<std::string, double> amounts;  // dirs, files, bytes, jobs, seconds
        bool sync_at_end = true;
    };

    std::optional<Os> os;
    std::optional<std::string> release;
    std::vector<DiskGroup> disks;
    std::optional<std::uint64_t> controller_cache_bytes;
    std::optional<bool> controller_battery;
    std::optional<Array> volume;
    std::optional<std::uint64_t> partition_start_bytes;  // of the file system on the volume
    std::optional<FileSystem> filesystem;
    std::map<std::string, std::string> sysctls;
    Host host;
    std::optional<Work> workload;
    std::uint64_t seed = 1;
    double noise = 0;

    std::uint64_t disk_count() const;
};

/// bad_data names the path and what is wrong with it: unknown keys and words (with the nearest known one),
/// impossible and contradictory values.
Result<MachineConfiguration> configuration_from_json(const nlohmann::ordered_json& json,
                                                     std::string_view source);

}  // namespace diskwright
