// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/support/statistics.hpp"

namespace diskwright {
namespace {

struct Threshold {
    Confidence confidence;
    std::size_t samples;
    double error;
};
constexpr std::array<Threshold, 3> thresholds{
    {{Confidence::high, 8, 0.03}, {Confidence::medium, 5, 0.10}, {Confidence::low, 3, 0.30}}};
constexpr double drift_allowed = 0.20;

// 1.4826 turns the median absolute deviation of normal samples into their standard deviation.
double relative_error(std::span<const double> samples) {
    const double centre = std::abs(*median(samples));
    const double deviation = 1.4826 * *median_absolute_deviation(samples);
    if (deviation == 0) return 0;
    return centre > 0 ? deviation / centre / std::sqrt(static_cast<double>(samples.size())) : INFINITY;
}

double drift(std::span<const double> samples) {
    const std::size_t third = samples.size() / 3;
    const double first = *median(samples.first(third)), last = *median(samples.last(third));
    const double centre = std::abs(*median(samples));
    return centre > 0 ? std::abs(last - first) / centre : 0;
}

void lower(Grade& grade, const std::string& because) {
    grade.confidence = std::max(grade.confidence, Confidence::low);
    grade.reason = because + (grade.reason.empty() ? "" : "; " + grade.reason);
}

}  // namespace

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

Grade grade(std::span<const double> samples) {
    if (samples.size() < thresholds.back().samples)
        return {Confidence::inconclusive, fmt::format("too few samples: {}", samples.size())};
    const double error = relative_error(samples);
    Grade out{Confidence::inconclusive, fmt::format("too noisy: {:.0f} % standard error", error * 100)};
    for (const Threshold& threshold : thresholds)
        if (samples.size() >= threshold.samples && error <= threshold.error) {
            out.confidence = threshold.confidence;
            break;
        }
    if (out.confidence == Confidence::high) {
        out.reason.clear();
        if (const double change = drift(samples); change > drift_allowed)
            out = {Confidence::medium, fmt::format("changed by {:.0f} % during the run: throttling, other load or a cache that fills", change * 100)};
    } else if (out.confidence != Confidence::inconclusive) {
        out.reason = error <= thresholds.front().error
                         ? fmt::format("few samples: {}", samples.size())
                         : fmt::format("noisy: {:.0f} % standard error", error * 100);
    }
    return out;
}

Grade worse(Grade a, Grade b) {
    if (a.confidence != b.confidence) return a.confidence > b.confidence ? a : b;
    return a.reason.empty() ? b : a;
}

void conclude(Measurement& measurement, Grade grade, const TimedDevice& device, const Ending& ending) {
    if (ending.interrupted) lower(grade, "interrupted early");
    if (ending.failure && measurement.samples == 0)
        grade = {Confidence::inconclusive, ending.failure->message};
    else if (ending.failure)
        lower(grade, "ended by an error: " + ending.failure->message);
    if (const auto cache = device.cached_because(); !cache.empty())
        grade = {Confidence::inconclusive, "may be the time of a cache: " + cache};
    measurement.confidence = grade.confidence;
    measurement.reason = std::move(grade.reason);
    if (measurement.confidence != Confidence::inconclusive) return;
    measurement.value = std::monostate{};
    measurement.spread.reset();
}

}  // namespace diskwright
