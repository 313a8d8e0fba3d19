// SPDX-License-Identifier: BSD-2-Clause
// The pieces that plan_filesystem() puts together.
#pragma once

#include "advisor/planning/plan.hpp"
#include "advisor/planning/target.hpp"

namespace diskwright {

enum class PartitionDecision {
    keep,    // a partition is there and begins where it should
    move,    // it is there and begins elsewhere
    create,  // there is none
    whole,   // none is wanted: the file system takes the device as it is
};

/// All that is decided before steps are written.
struct Planning {
    const HostFacts& facts;
    const Intent& intent;
    const StorageGraph& graph;
    const ReleaseFacts& release;
    const WorkloadProfile& workload;
    Target target;
    Layout layout;
    PartitionDecision decision{};
    NewPartition partition;  // as it will be; of decision create, also what to make
    std::string device;      // the file system's: its name
    bool softupdates = false, su_journal = false, trim = false;
    std::vector<std::string> options;  // of the mount, without rw
    std::string point;                 // of the mount
};

/// The table for a new partition on the target. Labels of 32 bits, kernels that look for tables on
/// components, and the dialogues of disklabel(8) decide.
Scheme new_scheme(const Planning& p);
/// What the system will call the first partition of a new table.
std::string new_partition_name(const Planning& p, Scheme scheme);
/// The device as gpart(8), gpt(8) and disklabel(8) take it: mirror/gm0, raid0, sd2.
std::string tool_name(const HostFacts& facts, const StorageGraph& graph, const std::string& name);
/// Why no command may be printed: a name among those of the plan is not safe. Nothing: all are.
std::optional<std::string> refusal(const Planning& p);

/// Soft updates, journal, TRIM and mount options by release, medium and workload.
void choose_protection(Planning& p);

std::vector<Step> unmount_steps(const Planning& p);
std::vector<Step> set_steps(const Planning& p);
std::vector<Step> partition_steps(const Planning& p);
std::vector<Step> filesystem_steps(const Planning& p);
std::vector<Step> mount_steps(const Planning& p);

/// The facts with the partition in place and everything gone that the plan destroys or that told of the old
/// state; the file system is not there yet.
HostFacts facts_before_newfs(const Planning& p);
/// The facts when all is done.
HostFacts planned_facts(const Planning& p);

/// What mount -t calls the file system.
std::string_view mount_type(const Planning& p);
/// Changes of newfs's settings.
std::vector<Change> filesystem_changes(const Planning& p);

// The sentences of a plan.
std::string start_reason(const Planning& p);
std::string start_cost(const Planning& p);
std::string block_reason(const Planning& p);
std::string block_cost(const Planning& p);
std::vector<std::string> plan_notes(const Planning& p);

}  // namespace diskwright
