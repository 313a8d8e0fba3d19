// SPDX-License-Identifier: BSD-2-Clause
// A server that does not exist yet, as typed: --disks 5x3t,512e,7200 --raid 5:16k --os netbsd-9.3.
#pragma once

#include <string>

#include "probes/model/host_facts.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

struct TypedDisks {
    std::string disks;  // COUNTxSIZE[,512n|512e|4kn][,RPM|ssd|nvme][,sata|sas]
    std::string raid;   // LEVEL[:UNIT]; empty: one disk alone
};

/// The facts of that server: its disks, and for several the partitions and the set they are to become, named
/// as the system will name them. os has at least the system's name. usage when something is wrong with what
/// was typed; unavailable for systems that plan does not cover.
Result<HostFacts> typed_server(const Platform& os, const TypedDisks& typed);

}  // namespace diskwright
