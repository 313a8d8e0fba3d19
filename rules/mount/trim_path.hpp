// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string_view>

#include "probes/model/storage_graph.hpp"

namespace diskwright {

/// Does every layer between the device and its disks hand TRIM down? GEOM mirror, stripe and concat do; md 0,
/// 1 and 10 do, its parity levels only on request; RAIDframe, softraid, graid3 and RAID controllers do not;
/// LUKS and geli do not by default.
bool trim_reaches_disks(const StorageGraph& graph, std::string_view device);

}  // namespace diskwright
