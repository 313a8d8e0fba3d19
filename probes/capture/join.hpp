// SPDX-License-Identifier: BSD-2-Clause
// Facts that several listings give of one thing under different names, put together.
#pragma once

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// A controller's tool knows a volume by its own address; where one listing also tells the system's disk,
/// another of the same volume that does not is of the same thing.
void join_controller_volumes(HostFacts& facts);
/// "zdb | grep ashift" tells of the only pool, when there is only one.
void join_unnamed_pool(HostFacts& facts);
/// gstat -b run again and again, a report each time: one trace of the same devices, in order.
void join_single_reports(HostFacts& facts);

/// df prints '?' in place of control characters of a mount point: the row belongs to the mount of that device
/// whose point is known in full.
void join_shortened_points(HostFacts& facts);

}  // namespace diskwright
