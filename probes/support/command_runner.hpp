// SPDX-License-Identifier: BSD-2-Clause
// Running a command of the system. probes/live implements it; who needs it gets it passed in.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "probes/support/progress.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

struct CommandLimits {
    std::chrono::milliseconds time{10'000};
    std::size_t output_bytes = std::size_t{16} << 20;
    bool end_when_cut = false;  // a command that prints more than that is ended; else the rest is dropped
    const ProgressMeter* progress = nullptr;  // the command is ended soon after this is cancelled()
};

struct CommandOutcome {
    int exit_status = 0;         // 128 + signal when killed
    bool timed_out = false;      // or cancelled
    bool output_cut = false;     // more was printed than the limit
    std::string output, errors;  // standard output and standard error
};

class CommandRunner {
 public:
    virtual ~CommandRunner() = default;
    /// argv, no shell. The program is looked up in a fixed search path of system folders; environment
    /// LC_ALL=C and PATH only; standard input is empty. unavailable when there is no such program; os_error
    /// when it cannot be started.
    virtual Result<CommandOutcome> run(const std::vector<std::string>& argv, const CommandLimits& limits) = 0;
    /// Whether there is such a program.
    virtual bool installed(const std::string& program) const = 0;
};

/// Runs a command that the user named, as the user would run it.
class UserCommandRunner {
 public:
    virtual ~UserCommandRunner() = default;
    /// argv, no shell. The program is looked up in the PATH of this process and gets its environment and
    /// folder; `input` is its standard input. Errors as of CommandRunner::run.
    virtual Result<CommandOutcome> run(const std::vector<std::string>& argv, std::string_view input,
                                       const CommandLimits& limits) = 0;
};

}  // namespace diskwright
