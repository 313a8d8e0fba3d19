// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <chrono>

namespace diskwright {

/// Monotonic time, injected so that the simulator can supply its own.
class Clock {
 public:
    virtual ~Clock() = default;
    virtual std::chrono::nanoseconds now() = 0;
};

class SteadyClock final : public Clock {
 public:
    std::chrono::nanoseconds now() override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

}  // namespace diskwright
