// SPDX-License-Identifier: BSD-2-Clause
// The one way to a device that may be written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "probes/ondisk/signatures.hpp"
#include "probes/support/command_runner.hpp"
#include "probes/support/progress.hpp"
#include "probes/timing/timed_device.hpp"

namespace diskwright {

/// What --scratch and --yes-destroy say.
struct ScratchRequest {
    std::string path;
    std::optional<ByteRange> region;  // nothing: all of it
    std::string yes_destroy;          // empty: not given
};

/// "DEV" or "DEV:START+LENGTH", sizes as in to_size(). A name that contains a colon is taken as it is unless
/// what follows the last colon holds a '+'. usage when the region is no region.
Result<ScratchRequest> parse_scratch(std::string_view scratch, std::string_view yes_destroy);

/// Opens it exclusively once every interlock of diskwright-probe(8) passed, and evaluates them again at each
/// begin_step() and, within a step, whenever the last time was half a second ago, right before the next write
/// and on the descriptor that stays open; a write that they refuse is no_permission and so is every later
/// one. A plain file that is not fully allocated is filled first. commands is used during the device's life.
Result<std::unique_ptr<ScratchDevice>> open_scratch(
    const ScratchRequest& request, CommandRunner& commands, ProgressMeter& progress,
    std::unique_ptr<Clock> clock = std::make_unique<SteadyClock>());

/// Whether both paths name one device or one file.
bool names_same_device(const std::string& a, const std::string& b);

}  // namespace diskwright
