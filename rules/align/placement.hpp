// SPDX-License-Identifier: BSD-2-Clause
// What the alignment rules share: what a table entry is for, where its first byte lies on the disks below,
// and how to move it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/rule.hpp"

namespace diskwright {

enum class PartitionRole {
    data,  // file system, pool, raid member, anything that is read and written
    swap,
    boot,          // boot code, EFI, reserved: read once a boot, or never
    container,     // extended MBR partitions
    label_holder,  // a slice that only holds a BSD label, as far as the facts show
    whole,         // c, and NetBSD's d
    unused,
};

PartitionRole role_of(const RuleContext& context, const Partition& partition);
/// Whether a partition d is the raw one of a NetBSD label, which a host of another system may carry, too, in
/// a volume say: it covers the device, and no c does. FreeBSD's listings show no c, yet its tools make no d
/// that covers other partitions. Nothing when the input does not tell what the device has.
std::optional<bool> is_raw(const RuleContext& context, const Partition& partition);
/// Does it matter where this entry starts? Data and swap of a scheme that is not bound to cylinders.
bool start_matters(const RuleContext& context, const Partition& partition);
bool is_raid_type(const Partition& partition);

/// True for an MBR or GPT entry that a disklabel of the same disk lists again under its device name.
class NamedTwice {
 public:
    explicit NamedTwice(const RuleContext& context);
    bool operator()(const Partition& partition) const;

 private:
    const StorageGraph& graph_;
    std::vector<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> labels_;
};

struct SectorVerdict {
    enum class Kind { aligned, unaligned, unaligned_if_4096, unknown };
    Kind kind = Kind::unknown;
    std::uint64_t start_bytes = 0;  // on the disk or volume it is cut from
    std::string base;               // that disk or volume
    Number sector_bytes;            // the one that decided; unknown for unaligned_if_4096
    std::vector<Provenance> evidence;
    std::vector<std::string> missing;  // commands that would settle it
};
/// Is the first byte of the partition on a physical sector boundary of every disk below? Where the fault lies
/// in a component and not in the partition's own start on its volume, the partition is aligned.
SectorVerdict sector_verdict(const RuleContext& context, const Partition& partition);

/// First byte of a component's data on its disk: start of the component plus what its driver reserves.
Number component_data_start(const StorageGraph& graph, const Volume& volume, const Component& component);

/// Changes that move the start up to the next multiple of 1 MiB (of the full stripe on a striped volume, of
/// `grain` where that is larger) and keep the end. Empty when that leaves nothing.
std::vector<Change> move_start(const RuleContext& context, const Partition& partition,
                               std::uint64_t grain = 0);

/// The same for a partition that is a component of a set: changes and note that keep the set's data. False,
/// and nothing said, when it is none.
bool advise_member_move(const RuleContext& context, const Partition& partition, Findings::Report& report);

}  // namespace diskwright
