// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/runners/recorded_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "probes/support/random.hpp"

namespace diskwright {
namespace {

// The digits in which the mathematical functions of all platforms agree.
double rounded(double value) {
    return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

}  // namespace

double RecordedRunner::disturbed(double value, const Point& point) const {
    if (noise_ == 0) return value;
    std::uint64_t hash = seed_;
    for (const std::uint32_t index : point) hash = Random::mixed(hash ^ (index + 0x9e3779b97f4a7c15U));
    // A log-normal factor of this sigma has the relative spread `noise`.
    const double sigma = std::sqrt(std::log1p(noise_ * noise_));
    return rounded(value * std::exp(sigma * Random(hash).normal()));
}

Result<Trial> RecordedRunner::run(const Point& point, const CommandLimits&) {
    Trial trial;
    trial.point = point;
    const auto row = landscape_.rows.find(point);
    if (row == landscape_.rows.end()) {
        trial.state = TrialState::invalid;
        trial.note = "not in the table";
        return trial;
    }
    trial.state = TrialState::ok;
    trial.value = disturbed(row->second, point);
    // Bounded, since nanoseconds in 64 bits hold 292 years.
    if (landscape_.objective.name.ends_with("_s"))
        trial.cost = std::chrono::nanoseconds(std::llround(std::clamp(*trial.value, 0.0, 9.0e9) * 1e9));
    return trial;
}

}  // namespace diskwright
