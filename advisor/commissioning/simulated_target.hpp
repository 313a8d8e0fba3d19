// SPDX-License-Identifier: BSD-2-Clause
// What probe --simulated measures: the volume of a configuration, or its first disk.
#pragma once

#include <memory>
#include <string>

#include "advisor/commissioning/simulated_device.hpp"
#include "probes/support/result.hpp"
#include "tuner/simulator/configuration.hpp"

namespace diskwright {

/// The volume where there is one, else the first disk, behind the controller where that has a cache; with the
/// configuration's noise and seed. What it reports is what the disk is described to report, and it is flushed
/// as the configuration's system does it. bad_data as make_array() has it.
Result<std::unique_ptr<SimulatedDevice>> simulated_target(MachineConfiguration machine, std::string name);

}  // namespace diskwright
