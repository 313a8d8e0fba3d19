// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/prediction/newfs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright {

std::optional<Refusal> check_block_sizes(std::int64_t block, std::int64_t fragment, std::int64_t sector) {
    if (!power_of_two(static_cast<std::int32_t>(block)))
        return Refusal{16, fmt::format("block size must be a power of 2, not {}", block)};
    if (!power_of_two(static_cast<std::int32_t>(fragment)))
        return Refusal{17, fmt::format("fragment size must be a power of 2, not {}", fragment)};
    if (fragment < sector)
        return Refusal{18, fmt::format("fragment size {} is too small, minimum is {}", fragment, sector)};
    if (block < least_ffs_block)
        return Refusal{19, fmt::format("block size {} is too small, minimum is {}", block, least_ffs_block)};
    if (block > largest_ffs_block)
        return Refusal{19,
                       fmt::format("block size {} is too large, maximum is {}", block, largest_ffs_block)};
    if (block < fragment)
        return Refusal{
            20, fmt::format("block size ({}) cannot be smaller than fragment size ({})", block, fragment)};
    if (block / fragment > most_ffs_fragments)
        return Refusal{21, fmt::format("fragment size {} is too small, minimum with block size {} is {}",
                                       fragment, block, block / most_ffs_fragments)};
    return std::nullopt;
}

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
