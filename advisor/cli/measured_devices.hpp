// SPDX-License-Identifier: BSD-2-Clause
// The devices of probe and commission: one to read, one that may be overwritten, often the same.
#pragma once

#include <memory>
#include <string>

#include "probes/support/command_runner.hpp"
#include "probes/support/progress.hpp"
#include "probes/timing/timed_device.hpp"

namespace diskwright {

struct MeasuredDevices {
    std::unique_ptr<TimedDevice> own_target;
    std::unique_ptr<ScratchDevice> scratch;  // null: none was named
    TimedDevice& target() { return own_target ? *own_target : *scratch; }
};

/// target: what is read; empty: the scratch device. scratch and yes_destroy: as typed. usage when they do not
/// go together; otherwise as open_timed_device() and open_scratch() fail.
Result<MeasuredDevices> open_measured_devices(const std::string& target, const std::string& scratch,
                                              const std::string& yes_destroy, CommandRunner& commands,
                                              ProgressMeter& progress);

}  // namespace diskwright
