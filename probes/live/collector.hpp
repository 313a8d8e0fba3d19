// SPDX-License-Identifier: BSD-2-Clause
// A capture of the running host: the live column of the parsers' list, read-only commands only, and what its
// disks have at their heads and tails.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "probes/capture/document.hpp"
#include "probes/model/enums.hpp"
#include "probes/support/command_runner.hpp"
#include "probes/support/progress.hpp"

namespace diskwright {

/// The system this program runs on.
std::optional<Os> running_system();

/// Most commands wait for a device or the kernel, so more than there are processors.
inline constexpr std::size_t commands_at_once = 8;

struct LiveOptions {
    /// No command starts after it, and none runs on; one alone takes no more than a sixth of it, nor than
    /// CommandLimits allows.
    std::chrono::milliseconds deadline{30'000};
    /// Commands at a time; more than 1 only with a runner that several threads may call.
    std::size_t at_once = 1;
    bool sampling = false;  // also the commands that watch the devices for some seconds
    /// Where the devices are, "/dev/": also reads what lies at the heads and tails of the disks; empty: opens
    /// none.
    std::string devices = {};
    std::chrono::milliseconds disk_time{10'000};  // a disk that has not answered then is left alone
    ProgressMeter* progress = nullptr;            // once cancelled, the rest of the commands is left out
};

/// One document per command of that system, in the order of the parsers, and one image per disk. The system's
/// own files are read before any tool runs, and a tool that hangs is not asked again, so that one of them
/// hides no more than what it would have told itself. What needs root and is run without, what is not
/// installed and what failed stands in Capture::notes, each with what it would have told.
Capture collect_live(CommandRunner& runner, Os system, bool is_root, const LiveOptions& options);

}  // namespace diskwright
