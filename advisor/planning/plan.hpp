// SPDX-License-Identifier: BSD-2-Clause
// From an intent to a plan: what to make of a volume or disk, in which order, why, and what not doing it
// costs. A plan decides everything; reports print it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/commands/setup.hpp"
#include "advisor/planning/layout.hpp"
#include "advisor/planning/release_facts.hpp"
#include "probes/model/setting.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

struct Intent {
    std::string subject;   // volume, disk or partition; empty: the only one there is
    std::string workload;  // of --for; empty: general
    std::string mount_point;
    std::optional<std::uint64_t> size_bytes;  // of the file system; all there is when not given
    std::string label;
    std::optional<std::uint64_t> bsize{}, fsize{};  // what trials found best; the arithmetic chooses the rest
    std::string measured{};                         // the sentence that says so; empty: nothing was measured
    bool new_set = false;  // the volume of the facts and its components are still to be made
};

enum class StepKind {
    unmount,
    component_partitions,
    raid_set,
    partition_table,
    partition,
    newfs,
    tunefs,
    mount,
    fstab
};
template <>
struct EnumNames<StepKind> {
    static constexpr std::array<std::string_view, 9> names{"unmount",   "component_partitions",
                                                           "raid_set",  "partition_table",
                                                           "partition", "newfs",
                                                           "tunefs",    "mount",
                                                           "fstab"};
};

struct Step {
    StepKind kind{};
    std::vector<Change> changes;  // what the facts will read, where a Setting has a name for it
    SetupCommands commands;       // empty: nothing to run, the reason says why
    std::string reason, cost;     // why it is done so, and what it costs not to
    Risk risk = Risk::none;
    std::string precondition, undo;  // empty: none
};

struct Plan {
    Os os{};
    std::string release;  // "NetBSD 9.3", "NetBSD, release unknown"
    std::string subject;  // the volume or disk
    std::string device;   // that gets the file system
    Layout layout;
    std::vector<Step> steps;
    std::vector<std::string> notes;
    HostFacts planned;  // as the facts would read afterwards
};

/// The plan for one FFS file system of NetBSD, FreeBSD or OpenBSD. usage: the intent does not fit (unknown
/// workload, several volumes and none named); bad_data: the facts do not allow a plan; unavailable: a system
/// that is not covered; no_permission: the root file system is on it.
Result<Plan> plan_filesystem(const HostFacts& facts, const Intent& intent);

}  // namespace diskwright
