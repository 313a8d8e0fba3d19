// SPDX-License-Identifier: BSD-2-Clause
// Where newfs puts the cylinder groups, inodes and data blocks of an FFS.
#pragma once

#include <cstdint>
#include <optional>

#include "probes/support/result.hpp"

namespace diskwright {

/// Sizes in bytes where the name says so, else in fragments; places in fragments from the start of the file
/// system.
struct FfsGeometry {
    bool ufs2 = true;
    std::uint32_t bsize = 0, fsize = 0;  // bytes
    std::uint32_t frag = 0;              // fragments of a block
    std::uint64_t frags = 0;             // of the file system
    std::uint32_t groups = 0, group_frags = 0, group_inodes = 0, block_inodes = 0;
    std::uint32_t superblock = 0, group_block = 0, inode_blocks = 0, data = 0;  // within a group
    std::uint64_t summary = 0;                                                  // the groups' summary area
    std::uint32_t summary_bytes = 0, group_bytes = 0;
    std::uint32_t superblock_bytes = 0, superblock_offset = 0;  // as sbupdate writes it
    std::uint32_t blocks_per_group_and_file = 0;                // fs_maxbpg
    std::uint32_t indirect = 0;                                 // pointers of an indirect block
    std::uint32_t average_file_bytes = 16384, average_files = 64;

    static constexpr std::uint32_t direct = 12;            // UFS_NDADDR
    static constexpr std::uint32_t directory_chunk = 512;  // DIRBLKSIZ

    std::uint64_t group_start(std::uint64_t group) const { return group * group_frags; }
    std::uint32_t group_of(std::uint64_t place) const {
        return static_cast<std::uint32_t>(place / group_frags);
    }
    std::uint32_t group_of_inode(std::uint64_t inode) const {
        return static_cast<std::uint32_t>(inode / group_inodes);
    }
    /// The block an inode lies in.
    std::uint64_t inode_block(std::uint64_t inode) const;
    std::uint32_t frags_of(std::uint64_t bytes) const {
        return static_cast<std::uint32_t>((bytes + fsize - 1) / fsize);
    }
};

struct FfsOptions {
    std::uint64_t size_bytes = 0;
    std::optional<std::uint64_t> bsize, fsize;
    bool ufs2 = true;
    std::uint32_t frags_per_inode = 4;  // the density that is aimed at (NFPI)
};

/// As NetBSD's newfs lays it out (sbin/newfs/mkfs.c, defaults of newfs.c), 512-byte sectors. bad_data when it
/// would not make one.
Result<FfsGeometry> netbsd_ffs_geometry(const FfsOptions& options);

}  // namespace diskwright
