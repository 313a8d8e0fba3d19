// SPDX-License-Identifier: BSD-2-Clause
// Cylinder groups of an FFS: a few headers, spread over the file system, and the summary of all of them.
// Layout: freebsd/freebsd-src:sys/ufs/ffs/fs.h (struct cg, struct csum), the same on the other two.
#pragma once

#include "probes/ondisk/ffs_superblock.hpp"

namespace diskwright {

/// Sums over the groups whose headers could be read and are whole.
struct FfsGroupSample {
    std::uint64_t groups = 0;
    std::uint64_t inodes_used = 0;
};

/// At most eight groups, first and last among them, of 168 bytes each; of the first one all, where it carries
/// a check hash. What contradicts the superblock goes to `damage`.
Result<FfsGroupSample> sample_ffs_groups(ByteSource& source, const FfsSuperblock& superblock,
                                         bool check_hashes, std::vector<std::string>& damage);

/// The summary area added up against the totals of the superblock, which agree when the file system is clean.
/// Nothing is said when it is larger than 16 KiB or not there.
Result<bool> check_ffs_summary(ByteSource& source, const FfsSuperblock& superblock,
                               std::vector<std::string>& damage);

}  // namespace diskwright
