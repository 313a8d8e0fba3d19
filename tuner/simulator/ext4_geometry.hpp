// SPDX-License-Identifier: BSD-2-Clause
// Where mke2fs(8) of e2fsprogs 1.47 puts things (tytso/e2fsprogs:misc/mke2fs.c, misc/mke2fs.conf.in,
// lib/ext2fs/initialize.c, alloc_tables.c, mkjournal.c).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/free_blocks.hpp"

namespace diskwright {

struct Ext4Options {
    std::uint64_t size_bytes = 0;
    std::optional<std::uint64_t> block_bytes;
    bool modern = true;   // ext4: flex_bg, extents, metadata_csum; without it ext2 or ext3
    bool journal = true;  // has_journal
    std::uint64_t stride = 0, stripe_width = 0;  // in bytes, of the set below; 0 where there is none
};

struct Ext4Geometry {
    std::uint32_t block_bytes = 4096, inode_bytes = 256;
    std::uint64_t blocks = 0, groups = 0;
    std::uint32_t blocks_per_group = 0, inodes_per_group = 0, table_blocks = 0;  // of a group's inodes
    std::uint32_t flex = 1;                                                      // groups that share a place
    std::uint64_t descriptor_blocks = 0, reserved_descriptor_blocks = 0;
    std::uint32_t descriptor_bytes = 32;
    std::uint32_t first_block = 0;   // that of the superblock
    std::uint64_t stripe_width = 0;  // in blocks; 0: none
    std::vector<BlockRun> journal;   // in one piece but where groups have tables of their own
    std::uint64_t journal_blocks() const;
    bool modern = true;

    std::uint64_t group_start(std::uint64_t group) const { return first_block + group * blocks_per_group; }
    std::uint64_t group_of(std::uint64_t block) const { return (block - first_block) / blocks_per_group; }
    std::uint64_t block_bitmap(std::uint64_t group) const;
    std::uint64_t inode_bitmap(std::uint64_t group) const;
    std::uint64_t inode_table(std::uint64_t group) const;
    std::uint64_t descriptor_block(std::uint64_t group) const {
        return first_block + 1 + group * descriptor_bytes / block_bytes;
    }
    bool has_backup(std::uint64_t group) const;  // sparse_super
    /// What mke2fs leaves free but for the root directory.
    FreeBlocks free_blocks() const;
    /// Its bitmap of blocks is on the disk: something of the file system lies in it.
    bool initialised(std::uint64_t group) const;

 private:
    std::uint64_t head_blocks(std::uint64_t group) const;  // superblock, descriptors, room for more
    std::uint64_t tables_start(std::uint64_t group) const;
    std::uint64_t flex_size(std::uint64_t group) const;
};

/// bad_data, "size_bytes: ...": a size that mke2fs refuses or the model can't hold.
Result<Ext4Geometry> ext4_geometry(const Ext4Options& options);

}  // namespace diskwright
