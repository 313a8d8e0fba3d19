// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/other_load.hpp"

#include <algorithm>
#include <thread>

#include "probes/live/device_system.hpp"

namespace diskwright {

std::optional<OtherLoad> other_load(const std::string& path, std::chrono::milliseconds time) {
    const auto device = device_system::open_for_reading(path);
    if (!device) return std::nullopt;
    const auto before = device_system::counts(*device);
    if (!before) return std::nullopt;
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(time);
    const auto after = device_system::counts(*device);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!after || after->requests < before->requests || took.count() <= 0) return std::nullopt;
    return OtherLoad{static_cast<double>(after->requests - before->requests) / took.count(),
                     std::clamp((after->busy_s - before->busy_s) / took.count(), 0.0, 1.0)};
}

}  // namespace diskwright
