// SPDX-License-Identifier: BSD-2-Clause
// Where mkfs.xfs(8) of xfsprogs 6.1 puts things (kernelorg-mirror/fs_xfs_xfsprogs-dev:mkfs/xfs_mkfs.c,
// calculate_log_size and calc_stripe_factors; libfrog/topology.c, calc_default_ag_geometry).
#pragma once

#include <cstdint>
#include <optional>

#include "probes/support/result.hpp"
#include "tuner/simulator/free_blocks.hpp"

namespace diskwright {

struct XfsOptions {
    std::uint64_t size_bytes = 0, sector_bytes = 512;
    std::optional<std::uint64_t> block_bytes;
    std::uint64_t unit_bytes = 0, width_bytes = 0;  // of the set below; 0 where there is none
};

struct XfsGeometry {
    std::uint32_t block_bytes = 4096, sector_bytes = 512;
    std::uint64_t blocks = 0, group_blocks = 0, groups = 0;  // allocation groups
    std::uint64_t unit = 0, width = 0;                       // sunit and swidth in blocks
    std::uint64_t log_block = 0, log_bytes = 0, log_unit_bytes = 0;

    std::uint64_t group_start(std::uint64_t group) const { return group * group_blocks; }
    std::uint64_t group_of(std::uint64_t block) const { return block / group_blocks; }
    /// AGF, AGI and AGFL, in sectors 1 to 3; the roots of the trees of free space by place and by size, of
    /// inodes and of free inodes, in blocks 1 to 4.
    std::uint64_t header_byte(std::uint64_t group, unsigned sector) const {
        return group_start(group) * block_bytes + std::uint64_t{sector} * sector_bytes;
    }
    std::uint64_t tree_byte(std::uint64_t group, unsigned block) const {
        return (group_start(group) + block) * block_bytes;
    }
    /// Of one group, counted from its start.
    FreeBlocks free_blocks(std::uint64_t group) const;
    static constexpr std::uint64_t head_blocks = 7;
    static constexpr std::uint32_t inode_bytes = 512, inodes_in_chunk = 64, inodes_in_cluster = 32;
    static constexpr std::uint32_t fork_bytes = inode_bytes - 176;  // behind struct xfs_dinode
};

/// bad_data: too small for mkfs.xfs or too large for the model.
Result<XfsGeometry> xfs_geometry(const XfsOptions& options);

}  // namespace diskwright
