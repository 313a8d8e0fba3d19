// SPDX-License-Identifier: BSD-2-Clause
// What a simulated server needed for its workload, for people and for programs (CONTRACT section 5).
#pragma once

#include <string>
#include <vector>

#include "advisor/reports/report.hpp"
#include "tuner/simulator/simulated_array.hpp"
#include "tuner/simulator/simulation_run.hpp"

namespace diskwright {

struct ServerSimulation {
    std::string point;  // of a sweep: what was varied, "key=value key=value"
    SimulationResult result;
    std::vector<DriveCounters> components;  // during the measurement
    ArrayCounters array;
    std::vector<std::string> assumed;  // of the drives and the set
};

/// One line. With varied the point is part of it.
std::string render_server_json(const ServerSimulation& simulation);
/// explains: where the time went as well.
std::string render_server_text(const ServerSimulation& simulation, bool explains, bool quiet);

}  // namespace diskwright
