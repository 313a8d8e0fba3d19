// SPDX-License-Identifier: BSD-2-Clause
// What a simulated drive did with a block trace, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/reports/report.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

struct TraceSimulation {
    std::string disk, trace;         // their names; "" when a file gives none
    std::vector<double> service_s;   // simulated, in the order of the trace
    std::vector<double> measured_s;  // empty when the trace does not say
    std::optional<double> published_rms_ms;
    std::vector<std::string> assumed;  // of the drive
    DriveCounters counters;
};

/// CONTRACT section 5; rms_ms only where the trace was measured, mean_ms only where it has requests.
std::string render_simulation_json(const TraceSimulation& simulation);
std::string render_simulation_text(const TraceSimulation& simulation, const TextStyle& style);

}  // namespace diskwright
