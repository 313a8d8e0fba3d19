// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string>

#include "probes/timing/probes.hpp"

namespace diskwright {

struct SimulatedProbe {
    std::string file;  // a configuration, or with the suffix .jsonl one a line
    std::string format = "text", output;
    ProbeBudget budget;
    bool read_only = false, quiet = false;
};

/// Probes what the file describes, on the simulator's time, with all processors; the exit status.
int probe_simulated(const SimulatedProbe& options);

}  // namespace diskwright
