// SPDX-License-Identifier: BSD-2-Clause
// A capture of the running host: the live column of the parsers' list, read-only commands only.
#pragma once

#include <chrono>
#include <optional>

#include "probes/capture/document.hpp"
#include "probes/model/enums.hpp"
#include "probes/support/command_runner.hpp"

namespace diskwright {

/// The system this program runs on.
std::optional<Os> running_system();

/// One document per command of that system. What needs root and is run without, what is not installed and
/// what failed stands in Capture::notes, each with what it would have told. deadline: no command starts after
/// it.
Capture collect_live(CommandRunner& runner, Os system, bool is_root, std::chrono::milliseconds deadline);

}  // namespace diskwright
