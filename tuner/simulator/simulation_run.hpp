// SPDX-License-Identifier: BSD-2-Clause
// One configuration and workload on virtual time, from the start of the command until the disks are idle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/file_operations.hpp"
#include "tuner/simulator/simulated_drive.hpp"
#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

struct SimulationResult {
    double command_s = 0;  // from the start until the command returns
    double settled_s =
        0;  // from the start until nothing is dirty and no request is under way; at least command_s
    /// Of the volume, during the measurement; what a set of drives makes of them is its own.
    DriveCounters volume;
    std::array<double, io_purposes> waited_s{};  // until settled_s, by what was waited for
    double processor_s = 0;                      // of the command
    std::uint64_t file_bytes_written = 0, commits = 0;
    std::optional<std::uint64_t> transactions;  // of a workload that lasts so many seconds
    std::vector<IoRecord> requests;             // when they were asked for; times from the start
    std::vector<std::string> assumed;           // what the configuration leaves open
};

struct SimulationOptions {
    bool records = false;
    /// Asked every thousand events or so, whatever is going on; when it says no the run ends with an error of
    /// the kind internal.
    std::function<bool()> goes_on;
    /// Instead of the configuration's workload, of which only the end is looked at.
    std::shared_ptr<const FileWork> work;
    /// The measurement begins or has ended: for the counters of a set's components.
    std::function<void()> at_start, at_end;
};

/// On that volume. bad_data: what the configuration contradicts; unavailable: what is not modelled, and why.
Result<SimulationResult> run_simulation(const MachineConfiguration& machine, SimulatedDrive& volume,
                                        const SimulationOptions& options = {});

}  // namespace diskwright
