// SPDX-License-Identifier: BSD-2-Clause
// Disks whose own description (smartctl, atactl, ...) came without the name of its device.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// Keeps the disks without a name of one host apart: "disk?", "disk?2", ... A serial that comes again is the
/// same disk; what tells neither serial nor model goes on with the one before.
class UnnamedDisks {
 public:
    /// To be called with each section before it is merged.
    void name(HostFacts& section);

 private:
    std::unordered_map<std::string, std::size_t> by_serial_;
    std::size_t count_ = 0, last_ = 0;
};

/// Gives a disk without a name to the one disk of that serial. One that stays is no disk of a partition table
/// that came without a name, too.
void join_unnamed_disks(HostFacts& facts);

}  // namespace diskwright
