// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// Entries of a NetBSD GPT are numbers in its bytes (wd2#1); the kernel's names for them, dk0, stand in
/// listings alone. Where `listed` has a name for a partition that begins at the same place, what was read
/// from bytes takes it, with all that lies on it.
void take_listed_names(HostFacts& from_bytes, const HostFacts& listed);

}  // namespace diskwright
