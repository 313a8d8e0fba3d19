// SPDX-License-Identifier: BSD-2-Clause
// What the plan is for: the volume or disk, and the partition that is already there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/model/storage_graph.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

struct Target {
    std::string base;                      // the volume or disk, as the facts name it
    const Volume* volume = nullptr;        // null: a disk
    const Partition* partition = nullptr;  // for a file system; null: none yet
    Number start_bytes;                    // of that partition, on the base
    bool alone = true;                     // nothing but it would be lost with the table
};

/// subject: a volume, a disk or a partition; empty: the only volume, else the only disk. usage when that is
/// not clear, with the names to choose from; bad_data when the device has partitions, and none for a file
/// system.
Result<Target> find_target(const StorageGraph& graph, const std::string& subject);

/// Names of everything on the target that holds or may hold data: mounted, swap, or with a file system.
std::vector<std::string> in_use(const StorageGraph& graph, const Target& target);

}  // namespace diskwright
