// SPDX-License-Identifier: BSD-2-Clause
// What timing told of a device: the result of the probes, CONTRACT section 5.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "probes/model/enums.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

enum class Confidence { high, medium, low, inconclusive };
template <>
struct EnumNames<Confidence> {
    static constexpr std::array<std::string_view, 4> names{"high", "medium", "low", "inconclusive"};
};

struct Measurement {
    /// One place of a curve over zone, depth or distance.
    struct Point {
        double at = 0, value = 0;
        std::optional<double> spread;
        bool operator==(const Point&) const = default;
    };
    /// Samples in the order they were taken, in the unit of the measurement unless the label says otherwise.
    struct Series {
        std::string label;  // "depth 8", "sweep up"
        std::vector<double> samples;
        bool operator==(const Series&) const = default;
    };

    std::variant<std::monostate, double, std::string, std::vector<Point>> value;  // monostate: inconclusive
    std::string unit;
    std::optional<double> spread;  // median absolute deviation, in the unit
    std::uint64_t samples = 0;
    Confidence confidence = Confidence::inconclusive;
    std::string reason;  // why no value, or why not of high confidence
    std::vector<Series> series;  // a label that ends with ", s" is of seconds

    /// The only series in the unit of the value, whose percentiles mean something beside it; null if none.
    const Series* distribution() const;

    static Measurement inconclusive(std::string_view unit, std::string_view why);
    bool operator==(const Measurement&) const = default;
};

/// By quantity: "flush_latency_s", "sequential_read_bytes_per_s", ...
using DeviceProfile = std::map<std::string, Measurement>;

/// {"<quantity>": {"value", "unit", "spread", "samples", "confidence", "reason", "percentiles": {"p50",
/// "p95", "p99", "max"}, "series": [{"label", "samples"}]}}; what is not known is absent. The percentiles are
/// those of the only series, or of the first one where the value is a number.
nlohmann::ordered_json profile_to_json(const DeviceProfile& profile);
/// The reverse, without the percentiles. bad_data names the path of what is wrong.
Result<DeviceProfile> profile_from_json(const nlohmann::ordered_json& json, std::string_view source);

}  // namespace diskwright
