// SPDX-License-Identifier: BSD-2-Clause
// A set of drives that is itself a drive: what a driver of RAID sets, or a controller, makes of requests to
// the volume. Blocks are those of the volume; a drive without a volume is a set of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/component_queue.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

/// Times are sums over requests and so may exceed the time that passed.
struct ArrayCounters {
    std::uint64_t parity_reads = 0, parity_blocks_read = 0;  // of components, only to compute parity
    std::uint64_t parity_writes = 0, parity_blocks_written = 0;
    std::uint64_t recovery_reads = 0;  // of components, only to compute what a missing one holds
    std::uint64_t map_writes = 0;      // of components: RAIDframe's parity map, md's write-intent bitmap
    std::uint64_t rebuild_blocks = 0;  // written to the replacement
    std::uint64_t component_flushes = 0, lost_flushes = 0;   // sent on; of the volume, answered without one
    std::uint64_t full_stripes = 0;                          // written without a read, in rows
    double parity_read_s = 0, map_write_s = 0, flush_s = 0;  // waited for by requests
    double queue_s = 0;  // before a component got the request: locks, outstanding limits, the driver's queue
};

class SimulatedArray : public SimulatedDrive {
 public:
    virtual std::size_t components() const = 0;
    /// Of the component as a drive; a missing one has none of its own and counts nothing.
    virtual const DriveCounters& component_counters(std::size_t component) const = 0;
    /// Written blocks that are in that drive's buffer only.
    virtual std::uint64_t component_dirty_blocks(std::size_t component) const = 0;
    virtual const ArrayCounters& array_counters() const = 0;
    // counters(): requests and blocks of the volume; busy_s and its parts are sums over the components.
};

struct NamedArray {
    std::unique_ptr<SimulatedArray> array;
    std::vector<std::string> assumed;  // "figure value" of what the configuration leaves open
};

/// The drives, controller and volume of a configuration; without a volume, its first drive. bad_data says
/// what can't be built: a level or layout that the kind does not have, no unit where it needs one, components
/// too small.
Result<NamedArray> make_array(const MachineConfiguration& configuration);

/// The queue in front of each component: raid.conf's "START queue".
struct ComponentLimits {
    ComponentOrder order = ComponentOrder::fifo;
    std::uint32_t depth = 100;
};

/// Of drives that somebody else made; what the configuration says of disks is not looked at. A missing
/// component's drive is not kept.
Result<NamedArray> make_array(const MachineConfiguration& configuration,
                              std::vector<std::unique_ptr<SimulatedDrive>> drives,
                              const std::optional<ComponentLimits>& limits = {});

}  // namespace diskwright
