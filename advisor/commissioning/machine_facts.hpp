// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string_view>

#include "probes/model/host_facts.hpp"
#include "tuner/simulator/configuration.hpp"

namespace diskwright {

/// What an administrator would see on a server of that configuration, under the names its system would give:
/// sd0 to sd4, raid0, raid0a on NetBSD. Sources of the values are the keys of the file. Without os: disks d0,
/// d1, ... and a volume named by its kind.
HostFacts facts_of(const MachineConfiguration& machine, std::string_view source);

/// The device that the configuration's file system is, or is to be, on.
std::string filesystem_device(const MachineConfiguration& machine);

}  // namespace diskwright
