// SPDX-License-Identifier: BSD-2-Clause
// What FreeBSD's newfs does once it knows the options.
#pragma once

#include "advisor/prediction/prediction.hpp"

namespace diskwright {

/// Bytes but where named; the types are those of the tool, whose sums overflow at the same places.
struct FreebsdMkfs {
    bool ufs2 = true;
    std::int64_t size = 0;  // blocks of 512 bytes
    std::int32_t sector_bytes = 0, real_sector_bytes = 0;
    std::int32_t bsize = 0, fsize = 0, extent = 0, density = 0;
    std::int32_t most_group_frags = 0x7fffffff;  // -c
    std::int32_t maxcontig = 0, maxbpg = 0, minfree = 8, metaspace = 0;
    std::int32_t avgfilesize = 16384, avgfpdir = 64;
    std::int32_t most_transfer = 1 << 20, density_frags = 2;
    bool space = false, print_only = false, softupdates = false, su_journal = false, gjournal = false,
         multilabel = false, trim = false, snapshot_folder = true;
    std::string label;
    std::uint64_t medium_bytes = 0;
};
Prediction predict_freebsd_mkfs(FreebsdMkfs wanted, std::vector<std::string> warnings);

/// As tunefs -j makes the journal (sbin/tunefs/tunefs.c, journal_alloc): blocks that it and its index take,
/// for a size of 0 as many bytes as tunefs chooses.
struct FreebsdJournal {
    std::uint64_t bytes = 0, blocks = 0;
};
FreebsdJournal freebsd_journal(std::uint64_t bsize, std::uint64_t fsize, std::uint64_t frags,
                               std::uint64_t group_frags, bool ufs2, std::uint64_t bytes);

}  // namespace diskwright
