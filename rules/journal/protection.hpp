// SPDX-License-Identifier: BSD-2-Clause
// What the journal, cache and mount rules share: what keeps a file system consistent, and on what it lies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/model/mount_options.hpp"
#include "rules/release.hpp"
#include "rules/rule.hpp"

namespace diskwright {

/// ffs, ufs and their versions, as mount(8), fstab and superblocks name them.
bool is_ffs(std::string_view type);
/// ext2 ext3 ext4.
bool is_ext(std::string_view type);
/// A file system on a local disk that takes part in crash consistency: FFS, LFS, ext, XFS, JFS, Btrfs, F2FS.
bool on_local_disk(std::string_view type);

bool read_only(const Mount& mount);
/// md(4) of the BSDs: a disk in memory. Linux md is RAID.
bool is_memory_disk(const RuleContext& context, std::string_view device);
const Mount* mount_at(const HostFacts& host, std::string_view point);
const FstabEntry* fstab_at(const HostFacts& host, std::string_view point);

/// NetBSD's log, soft updates with or without journal, or gjournal: known to be in force.
bool has_log(const RuleContext& context, const Mount& mount);
bool has_softupdates(const RuleContext& context, const Mount& mount);
bool has_gjournal(const RuleContext& context, const Mount& mount);

/// A mounted or recorded FFS with a NetBSD journal.
struct Journalled {
    std::string device, point;  // point may be unknown: empty
    const Filesystem* filesystem = nullptr;
    const Mount* mount = nullptr;
    Provenance from;
};
std::vector<Journalled> wapbl_filesystems(const RuleContext& context);

/// The nearest volume below the device, through crypto layers and sets, of which `wanted` holds; null when
/// none is known.
const Volume* volume_below(const StorageGraph& graph, std::string_view device, bool (*wanted)(const Volume&));

/// The nearest RAID 3, 4, 5 or 6 below the device, through crypto layers and sets; null when none is known.
const Volume* parity_below(const RuleContext& context, std::string_view device);

/// Adds what makes the file system consistent after a crash on this system, so that a fix leaves nothing to
/// JRNL001. False when the system offers nothing.
bool add_journal(const RuleContext& context, const Mount& mount, Findings::Report& report);

}  // namespace diskwright
