// SPDX-License-Identifier: BSD-2-Clause
// In what the drivers of sets differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/array_layout.hpp"
#include "tuner/simulator/component_queue.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/mirror_balance.hpp"
#include "tuner/simulator/parity_planner.hpp"

namespace diskwright {

enum class FlushStyle : std::uint8_t {
    together,           // to all components at once
    one_after_another,  // to each when the one before is done
    waits_only,         // until nothing goes on; the components never hear of it
    needless,           // what was written is safe already
};

struct SetPolicy {
    std::uint32_t outstanding = UINT32_MAX;  // requests in the set at a time
    std::uint32_t most_blocks = 0;           // of one request; 0: any
    ComponentOrder order = ComponentOrder::fifo;
    std::uint32_t depth = UINT32_MAX;  // requests at a component at a time
    ParityChoice parity = ParityChoice::fewest_reads;
    MirrorBalance balance = MirrorBalance::nearest;
    std::uint32_t slice_blocks = 8;  // split: what is not larger goes to one
    FlushStyle flush = FlushStyle::together;
    bool joins = false;  // what lies next to each other on a component goes as one request
    enum class Locks : std::uint8_t { none, writes, all, parity_ranges } locks = Locks::none;

    /// Where it records what may be inconsistent.
    struct Map {
        std::uint64_t region_blocks = 0;  // of the volume; 0: no such record
        double tick_s = 0;
        int cooldown = 0;
        std::uint64_t block = 0;  // of each component
        std::uint32_t blocks = 0;
        bool one_after_another = false, flushes = false, through = false, stops_all = false;
    } map;
    struct Rebuild {
        std::uint32_t blocks = 128;  // copied at a time
        double pace_s = 0;           // no earlier than that after the one before was begun
    } rebuild;
    /// Writes are kept until a stripe is whole or there is nothing else to do.
    struct Gathering {
        bool on = false;
        std::uint64_t cache_blocks = 0;     // that many may wait
        bool answers_at_once = false;       // the cache survives a loss of power
        double idle_s = 0;                  // partly written stripes wait that long for more
        std::uint32_t stripes = 1;          // partly written ones going down at a time
        double command_s = 0, block_s = 0;  // of the controller
    } gathering;
};

/// Why there is no model of such a set; nothing when there is.
std::optional<Error> unsimulated(const MachineConfiguration::Array& volume);

/// layout says where things are. assumed: "figure value" of what is not in the configuration. bad_data when
/// the kind has no such level or balance.
Result<SetPolicy> policy_of(const MachineConfiguration& configuration, const ArrayLayout& layout,
                            std::vector<std::string>& assumed);

}  // namespace diskwright
