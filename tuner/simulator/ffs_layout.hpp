// SPDX-License-Identifier: BSD-2-Clause
// What is free in an FFS and which of it is taken next. The policy is NetBSD's (sys/ufs/ffs/ffs_alloc.c, the
// functions named below); ground truth are the places in requests of the real code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "probes/support/random.hpp"
#include "tuner/simulator/ffs_geometry.hpp"

namespace diskwright {

class FfsLayout {
 public:
    /// used is called with a group whose block of maps is looked at, before it is; changed with one that was
    /// altered. A new file system: the root directory, and log_bytes for a journal in the middle.
    FfsLayout(const FfsGeometry& geometry, std::uint64_t seed, std::uint64_t log_bytes,
              std::function<void(std::uint32_t)> used, std::function<void(std::uint32_t)> changed);

    static constexpr std::uint64_t root_inode = 2;
    const FfsGeometry& geometry() const { return fs_; }
    std::uint64_t root_block() const { return root_block_; }
    /// Where the journal begins; 0 without one.
    std::uint64_t log_block() const { return log_block_; }
    std::uint64_t free_frags() const { return blocks_free_ * fs_.frag + frags_free_; }

    struct NewInode {
        std::uint64_t inode = 0;
        std::optional<std::uint64_t> initialised;  // the block of inodes that was cleared for the first time
    };
    /// ffs_valloc; nothing when there is no inode left. parent_is_root: ffs_dirpref takes another group then.
    std::optional<NewInode> new_inode(std::uint64_t parent, bool directory);
    void free_inode(std::uint64_t inode, bool directory);

    /// ffs_alloc: a whole block, or so many fragments; 0 when there is no room.
    std::uint64_t allocate(std::uint64_t inode, std::uint64_t preferred, std::uint32_t frags);
    /// ffs_fragextend: whether the fragments after those were free, and are taken now.
    bool extend(std::uint64_t place, std::uint32_t from, std::uint32_t to);
    void free(std::uint64_t place, std::uint32_t frags);
    /// ffs_blkpref for the block `index` of an inode's pointers, or of an indirect block: `before` is where
    /// the one before lies, 0 for none.
    std::uint64_t preferred(std::uint64_t inode, std::uint64_t logical, std::uint64_t index,
                            std::uint64_t before) const;

 private:
    struct Group {
        std::vector<std::uint8_t> free;               // of each block, a bit for each free fragment
        std::vector<std::uint8_t> inodes;             // 8 of them, a bit for each in use
        std::uint32_t runs[9] = {};                   // of so many free fragments (cg_frsum)
        std::uint64_t rotor = 0, fragment_rotor = 0;  // fragments within the group
        std::uint32_t inode_rotor = 0, initialised = 0;
    };
    struct Summary {
        std::uint64_t blocks = 0, frags = 0, inodes = 0, directories = 0, in_a_row = 0;
    };
    Group& group(std::uint32_t index);
    std::uint64_t group_length(std::uint32_t index) const;
    void count_all();
    std::uint32_t directory_group(std::uint64_t parent) const;
    std::uint32_t group_of_first_level() const;
    std::optional<NewInode> inode_of(std::uint32_t index, std::uint64_t wanted, bool directory);
    std::uint64_t place_in(std::uint32_t index, std::uint64_t preferred, std::uint32_t frags);
    std::optional<std::uint64_t> block_in(std::uint32_t index, std::uint64_t preferred);
    std::optional<std::uint64_t> search(std::uint32_t index, std::uint64_t preferred, std::uint32_t frags);
    void take(std::uint32_t index, std::uint64_t place, std::uint32_t frags);     // place within the group
    void release(std::uint32_t index, std::uint64_t place, std::uint32_t frags);  // likewise
    void count_free(std::uint32_t index, std::uint8_t before, std::uint8_t after);
    void count_runs(Group& of, std::uint8_t block, int by) const;
    void reserve_log(std::uint64_t bytes);

    FfsGeometry fs_;
    mutable Random random_;
    std::function<void(std::uint32_t)> used_, changed_;
    std::vector<Group> groups_;
    std::vector<Summary> summaries_;
    std::uint64_t blocks_free_ = 0, frags_free_ = 0, inodes_free_ = 0, directories_ = 0;
    std::uint64_t root_block_ = 0, log_block_ = 0;
};

}  // namespace diskwright
