// SPDX-License-Identifier: BSD-2-Clause
// One reading of a newfs command line per system; what they share.
#pragma once

#include "advisor/prediction/option_reader.hpp"
#include "advisor/prediction/prediction.hpp"

namespace diskwright {

Prediction predict_netbsd_newfs(const ToolRelease& release, const Medium& medium,
                                const std::vector<std::string>& args);
Prediction predict_freebsd_newfs(const ToolRelease& release, const Medium& medium,
                                 const std::vector<std::string>& args);
Prediction predict_openbsd_newfs(const ToolRelease& release, const Medium& medium,
                                 const std::vector<std::string>& args);

inline constexpr std::int32_t least_ffs_block = 4096, largest_ffs_block = 65536, most_ffs_fragments = 8;
inline constexpr std::int32_t usual_avgfilesize = 16384, usual_avgfpdir = 64;

/// 0 counts as one, and so does the lowest number: num & (num - 1) is 0.
inline bool power_of_two(std::int32_t number) {
    const auto bits = static_cast<std::uint32_t>(number);
    return (bits & (bits - 1)) == 0;
}
/// Rounded up.
inline std::int64_t parts(std::int64_t whole, std::int64_t part) {
    return (whole + part - 1) / part;
}
inline std::int64_t up(std::int64_t value, std::int64_t multiple) {
    return parts(value, multiple) * multiple;
}
/// What mkfs of NetBSD and of OpenBSD check alike, in their order.
std::optional<Refusal> check_block_sizes(std::int64_t block, std::int64_t fragment, std::int64_t sector);
/// Of a power of two.
unsigned shift_of(std::uint64_t number);

/// Free whole blocks once the groups are made and before anything is stored; what the first group has of
/// them.
std::uint64_t free_ffs_blocks(const PredictedSuperblock& fs, std::uint64_t sblkno, std::uint64_t dblkno,
                              std::uint64_t summary_frags);
std::uint64_t free_blocks_of_first_group(const PredictedSuperblock& fs, std::uint64_t dblkno,
                                         std::uint64_t summary_frags);

}  // namespace diskwright
