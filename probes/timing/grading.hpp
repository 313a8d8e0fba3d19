// SPDX-License-Identifier: BSD-2-Clause
// How sure a measurement is, by one set of thresholds for all probes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probes/timing/probes.hpp"

namespace diskwright {

struct Grade {
    Confidence confidence = Confidence::high;
    std::string reason;  // empty when high
};

/// Of samples of one quantity in the order they were taken. What counts is the standard error of their
/// centre, estimated from the median absolute deviation so that a few outliers do not decide:
///   high          at least 8 samples, error up to 3 %, first and last third within 20 % of each other
///   medium        at least 5 samples, error up to 10 %
///   low           at least 3 samples, error up to 30 %
///   inconclusive  what is left
Grade grade(std::span<const double> samples);

/// The less sure of two, the first of equals.
Grade worse(Grade a, Grade b);

/// How a probe came to its end.
struct Ending {
    bool interrupted = false;
    std::optional<Error> failure = {};
};

/// Sets confidence and reason. A run that was interrupted or failed is of low confidence at best; a device
/// behind a cache of the host is inconclusive. An inconclusive measurement loses its value and keeps its
/// samples.
void conclude(Measurement& measurement, Grade grade, const TimedDevice& device, const Ending& ending);

double seconds(std::chrono::nanoseconds time);

}  // namespace diskwright
