// SPDX-License-Identifier: BSD-2-Clause
// Cylinder groups of an FFS: a few headers, spread over the file system, and the summary of all of them.
// Layout: freebsd/freebsd-src:sys/ufs/ffs/fs.h (struct cg, struct csum), the same on the other two.
#pragma once

#include <string>
#include <vector>

#include "probes/ondisk/ffs_superblock.hpp"

namespace diskwright {

/// Sums over the groups whose headers could be read and are whole.
struct FfsGroupSample {
    std::uint64_t groups = 0;
    std::uint64_t inodes = 0, inodes_used = 0;
    std::uint64_t fragments = 0, free_fragments = 0;  // free ones beside the free blocks: broken blocks

    /// "8 of 480 cylinder groups: 3.1 % of their space lies in free fragments, 12.0 % of their inodes are
    /// used"; empty when none was read.
    std::string text(std::uint64_t of_groups) const;
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
