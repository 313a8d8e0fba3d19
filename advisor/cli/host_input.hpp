// SPDX-License-Identifier: BSD-2-Clause
// Where the captures of the subcommands come from.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/support/progress.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// An answer takes about a second; tools that hang must not hold it for long.
inline constexpr std::chrono::milliseconds looking_time{30'000};
/// A capture of this host by read-only commands, without samples; unavailable on systems that cannot be
/// looked at live.
Result<Capture> this_host(std::chrono::milliseconds deadline = looking_time,
                          ProgressMeter* progress = nullptr);
/// Several inputs that are one host: their documents together, each under its own name.
Result<Capture> joined_inputs(const std::vector<std::string>& inputs);

}  // namespace diskwright
