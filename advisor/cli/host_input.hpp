// SPDX-License-Identifier: BSD-2-Clause
// Where the captures of the subcommands come from.
#pragma once

#include <string>
#include <vector>

#include "probes/capture/document.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// A capture of this host by read-only commands; unavailable on systems that cannot be looked at live.
Result<Capture> this_host();
/// Several inputs that are one host: their documents together, each under its own name.
Result<Capture> joined_inputs(const std::vector<std::string>& inputs);

}  // namespace diskwright
