// SPDX-License-Identifier: BSD-2-Clause
// What a probe told of a device, as facts.
#pragma once

#include <cstdint>
#include <string>

#include "probes/model/device_profile.hpp"
#include "probes/model/host_facts.hpp"

namespace diskwright {

/// The run of traces that come from profiles: each probe asks its device the same, so they are compared with
/// one another and keep this number.
inline constexpr std::uint64_t probe_run = 1'000'000;

/// Whether a fact was measured by the probe, not told by the device: nothing that is told takes its place.
bool is_measured(const Provenance& from);

/// Values of at least medium confidence (what is only reported, of any). Rates and times go to `throughputs`
/// and `io_traces` of the device, as facts name it; what is the disk's goes to `disk`, empty for none, the
/// place of its sectors only when that is the device itself. A measured sector that differs from the one told
/// becomes a conflict, too.
void note_profile(HostFacts& facts, const std::string& device, const DeviceProfile& profile,
                  const std::string& source, const std::string& disk);

}  // namespace diskwright
