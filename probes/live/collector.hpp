// SPDX-License-Identifier: BSD-2-Clause
// A capture of the running host: the live column of the parsers' list, read-only commands only.
#pragma once

#include <chrono>
#include <optional>

#include "probes/capture/document.hpp"
#include "probes/model/enums.hpp"
#include "probes/support/command_runner.hpp"
#include "probes/support/progress.hpp"

namespace diskwright {

/// The system this program runs on.
std::optional<Os> running_system();

struct LiveOptions {
    std::chrono::milliseconds deadline{5000};  // no command starts after it
    bool sampling = false;                     // also the commands that watch the devices for some seconds
    ProgressMeter* progress = nullptr;         // once cancelled, the rest of the commands is left out
};

/// One document per command of that system. What needs root and is run without, what is not installed and
/// what failed stands in Capture::notes, each with what it would have told.
Capture collect_live(CommandRunner& runner, Os system, bool is_root, const LiveOptions& options);

}  // namespace diskwright
