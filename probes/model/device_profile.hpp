// SPDX-License-Identifier: BSD-2-Clause
// What timing told of a device: the result of the probes, CONTRACT section 5.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace diskwright {

enum class Confidence { high, medium, low, inconclusive };

struct Measurement {
    /// One value, or a curve over zone, depth or distance.
    struct Point {
        double at = 0, value = 0;
    };
    std::vector<Point> points;
    std::string unit;
    double spread = 0;  // median absolute deviation, in the unit
    std::uint64_t samples = 0;
    Confidence confidence = Confidence::inconclusive;
    std::string reason;  // why inconclusive
};

/// By quantity: "flush_latency_s", "sequential_read_bytes_per_s", ...
using DeviceProfile = std::map<std::string, Measurement>;

}  // namespace diskwright
