// SPDX-License-Identifier: BSD-2-Clause
// What several rules ask of a file system.
#pragma once

#include "rules/rule.hpp"

namespace diskwright {

bool is_ffs(const Filesystem& fs);
/// FFS with a journal of any kind; unknown when none of the flags is known.
Flag journalled(const Filesystem& fs);
/// The file system's own size, else that of the device below it.
Number size_of_filesystem(const RuleContext& context, const Filesystem& fs);
/// The striped volume it lies on, null when there is none.
const Volume* striped_volume_below(const RuleContext& context, const Filesystem& fs);
/// Bytes of one inode: 128 FFSv1, 256 FFSv2; unknown for FFS of unknown version.
Number inode_bytes(const Filesystem& fs);
/// minfree that newfs of this system sets: 5 NetBSD and OpenBSD, 8 FreeBSD and DragonFly; unknown system:
/// unknown.
Number default_minfree(const RuleContext& context);
/// The command that shows the superblock: "dumpfs -s /dev/rdk0".
std::string superblock_command(const RuleContext& context, const Filesystem& fs);

}  // namespace diskwright
