// SPDX-License-Identifier: BSD-2-Clause
// What a driver of sets decides, and what it can ask of the set it drives.
#pragma once

#include <cstdint>
#include <limits>

#include "tuner/simulator/array_plan.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {

/// Whose request a plan serves: one of the volume, or the driver's own.
inline constexpr std::uint32_t nobodys_request = UINT32_MAX;

/// What a driver may ask of the set.
class ArrayServices {
 public:
    virtual ~ArrayServices() = default;
    /// Empty, until begin() makes it go.
    virtual ArrayPlan& new_plan() = 0;
    /// Carries out what new_plan() was filled with. When all is done, the driver's done() is called with the
    /// tag; a request of the volume must still be answered.
    virtual void begin(std::uint32_t request, std::uint64_t tag) = 0;
    /// The request, or the part of it that take() gave, is done then.
    virtual void answer(std::uint32_t request, double at_s) = 0;
    virtual double now_s() const = 0;
    /// Requests at the component and in front of it.
    virtual std::size_t load(std::uint32_t component) const = 0;
    /// Where the component's last request ended.
    virtual std::uint64_t last_block(std::uint32_t component) const = 0;
    virtual ArrayCounters& counters() = 0;
};

class ArrayDriver {
 public:
    static constexpr double never = std::numeric_limits<double>::infinity();

    virtual ~ArrayDriver() = default;
    /// Larger requests come in parts of at most that many blocks.
    virtual std::uint32_t most_blocks() const = 0;
    /// Whether the next part may come now.
    virtual bool takes(const DriveRequest& part) const = 0;
    virtual void take(const DriveRequest& part, std::uint32_t request) = 0;
    virtual void done(std::uint64_t tag, std::uint32_t request) = 0;
    /// When it wants to be woken next.
    virtual double wakes_s() const { return never; }
    virtual void wake() {}
    /// Blocks it was given and has not yet sent to the components.
    virtual std::uint64_t dirty_blocks() const { return 0; }
};

}  // namespace diskwright
