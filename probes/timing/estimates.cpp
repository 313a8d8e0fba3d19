// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "probes/support/statistics.hpp"
#include "probes/timing/grading.hpp"

namespace diskwright {
namespace {

std::vector<double> steady(std::span<const double> samples) {
    const double low = *percentile(samples, 0.25), high = *percentile(samples, 0.75);
    const double reach = 1.5 * (high - low);
    std::vector<double> kept;
    for (const double sample : samples)
        if (sample >= low - reach && sample <= high + reach) kept.push_back(sample);
    return kept;
}

double mean(std::span<const double> samples) {
    double sum = 0;
    for (const double sample : samples) sum += sample;
    return sum / static_cast<double>(samples.size());
}

}  // namespace

std::optional<Line> line_through(std::span<const double> x, std::span<const double> y) {
    std::vector<double> slopes, rests;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = i + 1; j < x.size(); ++j)
            if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    if (slopes.empty()) return std::nullopt;
    Line line;
    line.slope = *median(slopes);
    for (std::size_t i = 0; i < x.size(); ++i) rests.push_back(y[i] - line.slope * x[i]);
    line.at_zero = *median(rests);
    return line;
}

double steady_mean(std::span<const double> samples) {
    return samples.empty() ? std::numeric_limits<double>::quiet_NaN() : mean(steady(samples));
}

double steady_error(std::span<const double> samples) {
    if (samples.size() < 2) return std::numeric_limits<double>::infinity();
    const auto kept = steady(samples);
    const double centre = mean(kept);
    double squares = 0;
    for (const double sample : kept) squares += (sample - centre) * (sample - centre);
    const auto count = static_cast<double>(kept.size());
    return std::sqrt(squares / std::max(1.0, count - 1) / count);
}

TimeLeft::TimeLeft(const ProbeContext& context, std::chrono::nanoseconds time)
    : context_(context), begin_(context.device.clock().now()), time_(time) {}

bool TimeLeft::any() const {
    return context_.device.clock().now() - begin_ < time_ && !context_.progress.cancelled();
}

bool TimeLeft::any(std::string_view step) const {
    context_.progress.at(step, seconds(context_.device.clock().now() - begin_), seconds(time_));
    return any();
}

Result<std::vector<double>> timed_reads(TimedDevice& device, std::span<const ReadRequest> requests) {
    const auto run = device.read(requests, 1);
    if (!run) return run.error();
    std::vector<double> out;
    for (const auto time : run->service) out.push_back(seconds(time));
    return out;
}

}  // namespace diskwright
