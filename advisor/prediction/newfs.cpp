// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/prediction/newfs.hpp"

#include <algorithm>

namespace diskwright {

unsigned shift_of(std::uint64_t number) {
    unsigned shift = 0;
    while (number > 1) number >>= 1, ++shift;
    return shift;
}

std::uint64_t free_ffs_blocks(const PredictedSuperblock& fs, std::uint64_t sblkno, std::uint64_t dblkno,
                              std::uint64_t summary_frags) {
    const std::uint64_t frag = fs.bsize / fs.fsize;
    const std::uint64_t taken = sblkno + fs.groups * (dblkno - sblkno);
    const std::uint64_t blocks = fs.frags > taken ? (fs.frags - taken) / frag : 0;
    const std::uint64_t summary = (summary_frags + frag - 1) / frag;
    return blocks > summary ? blocks - summary : 0;
}

std::uint64_t free_blocks_of_first_group(const PredictedSuperblock& fs, std::uint64_t dblkno,
                                         std::uint64_t summary_frags) {
    const std::uint64_t frag = fs.bsize / fs.fsize;
    const std::uint64_t used = (dblkno + summary_frags + frag - 1) / frag * frag;
    const std::uint64_t end = std::min<std::uint64_t>(fs.group_frags, fs.frags);
    return end > used ? (end - used) / frag : 0;
}

}  // namespace diskwright
