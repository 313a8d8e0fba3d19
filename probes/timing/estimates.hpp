// SPDX-License-Identifier: BSD-2-Clause
// Estimators that several probes share.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "probes/timing/probes.hpp"

namespace diskwright {

struct Line {
    double at_zero = 0, slope = 0;
};
/// Through points of different x: the median of the slopes between all pairs (Theil 1950, Sen 1968), then the
/// median of what is left. Nothing for fewer than two different x.
std::optional<Line> line_through(std::span<const double> x, std::span<const double> y);

/// Mean of what lies between the quartiles and half as far again on either side: outliers of a busy host are
/// left out, the spread of a rotating disk is not. NaN for no samples.
double steady_mean(std::span<const double> samples);

/// Standard error of steady_mean(), from the spread of the same samples.
double steady_error(std::span<const double> samples);

/// Seconds since `begin` of the device's clock are less than the context gives, and nobody asked to stop.
class TimeLeft {
 public:
    TimeLeft(const ProbeContext& context, std::chrono::nanoseconds time);
    bool any() const;
    /// Tells the progress and asks any().
    bool any(std::string_view step) const;

 private:
    const ProbeContext& context_;
    std::chrono::nanoseconds begin_, time_;
};

/// Time of each of the requests, one after the other.
Result<std::vector<double>> timed_reads(TimedDevice& device, std::span<const ReadRequest> requests);

}  // namespace diskwright
