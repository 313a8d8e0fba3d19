// SPDX-License-Identifier: BSD-2-Clause
// What one request to a set means for its components: chains that go on side by side, each of steps that go
// on one after the other, each of requests to components that go on together; and what has to be locked for
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

/// What a request to a component is for.
enum class ComponentUse : std::uint8_t { data, parity, old_data, recovery, map, rebuild, flush };

struct ComponentRequest {
    std::uint64_t block = 0;  // of the component, reserved area included
    std::uint32_t blocks = 0;
    std::uint32_t component = 0;
    DriveOperation operation = DriveOperation::read;
    ComponentUse use = ComponentUse::data;
    bool through = false;
};

/// Of blocks in one stripe: a range, and maybe a second one.
struct StripeLock {
    struct Range {
        std::uint64_t first = 0, end = 0;  // none when equal
        bool overlaps(const Range& other) const { return first < other.end && other.first < end; }
    };
    std::uint64_t stripe = 0;
    Range range, second;
    bool exclusive = false;

    bool conflicts(const StripeLock& other) const {
        if (stripe != other.stripe || !(exclusive || other.exclusive)) return false;
        return range.overlaps(other.range) || range.overlaps(other.second) || second.overlaps(other.range) ||
               second.overlaps(other.second);
    }
};

struct ArrayPlan {
    std::vector<StripeLock> locks;           // taken in this order, all before anything is sent
    std::vector<ComponentRequest> requests;  // those of a step next to each other
    std::vector<std::uint32_t> step_ends;    // in requests
    std::vector<std::uint32_t> chain_ends;   // in step_ends

    void clear() {
        locks.clear();
        requests.clear();
        step_ends.clear();
        chain_ends.clear();
    }
    void add(const ComponentRequest& request) { requests.push_back(request); }
    /// What was added since the last one is a step; none when nothing was.
    void end_step() {
        const auto end = static_cast<std::uint32_t>(requests.size());
        if (end > (step_ends.empty() ? 0 : step_ends.back())) step_ends.push_back(end);
    }
    void end_chain() {
        end_step();
        const auto end = static_cast<std::uint32_t>(step_ends.size());
        if (end > (chain_ends.empty() ? 0 : chain_ends.back())) chain_ends.push_back(end);
    }
};

}  // namespace diskwright
