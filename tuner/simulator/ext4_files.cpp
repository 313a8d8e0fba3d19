// SPDX-License-Identifier: BSD-2-Clause
// Inodes (fs/ext4/ialloc.c) and blocks (fs/ext4/mballoc.c, balloc.c, indirect.c, extents.c).
#include <algorithm>
#include <bit>
#include <utility>

#include "tuner/simulator/ext4_model.hpp"

namespace diskwright {
namespace {

// MB_DEFAULT_STREAM_THRESHOLD, MB_DEFAULT_GROUP_PREALLOC, and the largest request that
// ext4_mb_normalize_request rounds up to.
constexpr std::uint64_t small_file_blocks = 16, locality_blocks = 512, most_request_bytes = 8U << 20;
constexpr std::uint64_t direct_pointers = 12;  // EXT4_NDIR_BLOCKS
constexpr std::uint64_t extents_in_inode = 4;
constexpr std::uint32_t first_leaf_bytes = 24, tail_bytes = 12;  // "." and ".."; the checksum's entry

}  // namespace

// The first of them with a free inode: inodes are packed at the beginning of a flex group.
std::optional<std::uint64_t> Ext4Model::group_in(std::uint64_t flex) const {
    const std::uint64_t end = std::min<std::uint64_t>((flex + 1) * fs_.flex, groups_.size());
    for (std::uint64_t group = flex * fs_.flex; group < end; ++group)
        if (groups_[group].free_inodes > 0) return group;
    return std::nullopt;
}

// find_group_orlov, by flex groups; their free inodes and directories are summed up here.
std::optional<std::uint64_t> Ext4Model::group_for_directory(const Node& parent) {
    const std::uint64_t count = (groups_.size() + fs_.flex - 1) / fs_.flex;
    const std::uint64_t own = parent.inode / fs_.inodes_per_group / fs_.flex;
    const auto look = [&](std::uint64_t flex) {
        Group sum;
        const std::uint64_t end = std::min<std::uint64_t>((flex + 1) * fs_.flex, groups_.size());
        for (std::uint64_t group = flex * fs_.flex; group < end; ++group) {
            sum.free_inodes += groups_[group].free_inodes;
            sum.directories += groups_[group].directories;
        }
        return sum;
    };
    const std::uint64_t start = parent.top ? random_.below(count) : own;
    const std::uint64_t most_directories =
        directories_ / count + std::uint64_t{fs_.inodes_per_group} * fs_.flex / 16;
    std::optional<std::uint64_t> best;
    std::uint64_t fewest = fs_.inodes_per_group;
    for (std::uint64_t i = 0; i < count && fewest > 0; ++i) {
        const std::uint64_t flex = (start + i) % count;
        const Group sum = look(flex);
        if (sum.free_inodes == 0) continue;
        if (!parent.top) {
            if (sum.directories < most_directories) return group_in(flex);
        } else if (sum.directories < fewest) {
            best = flex;
            fewest = sum.directories;
        }
    }
    if (best) return group_in(*best);
    return group_for_file(parent);
}

// find_group_other: near the parent.
std::optional<std::uint64_t> Ext4Model::group_for_file(const Node& parent) {
    const std::uint64_t count = (groups_.size() + fs_.flex - 1) / fs_.flex;
    const std::uint64_t own = parent.inode / fs_.inodes_per_group / fs_.flex;
    for (std::uint64_t i = 0; i < count; ++i)
        if (const auto group = group_in((own + i) % count)) return group;
    return std::nullopt;
}

bool Ext4Model::new_inode(Node& made) {
    const Node& parent = node(made.parent);
    const auto where = made.directory ? group_for_directory(parent) : group_for_file(parent);
    if (!where) {
        fail("no inode is left");
        return false;
    }
    Group& group = groups_[*where];
    std::uint32_t index = group.next_inode;
    if (group.given_up.empty())
        ++group.next_inode;
    else
        index = group.given_up.extract(group.given_up.begin()).value();
    --group.free_inodes;
    const std::uint64_t bitmap = fs_.inode_bitmap(*where);
    if (std::exchange(group.has_inode_bitmap, true))
        use(bitmap, IoPurpose::group);
    else
        make(bitmap, IoPurpose::group);
    changed(bitmap);
    group_changed(*where);
    made.inode = *where * fs_.inodes_per_group + index;
    use_inode(made.inode, index % (fs_.block_bytes / fs_.inode_bytes) != 0);
    changed(inode_block(made.inode), &made);
    if (made.directory) {
        ++group.directories;
        ++directories_;
        made.leaves.push_back({0, first_leaf_bytes + (fs_.modern ? tail_bytes : 0), 0});
        return add_directory_block(made);
    }
    // ext4_sample_last_mounted: the first open of a mount is noted in the superblock.
    if (!std::exchange(opened_, true)) changed(fs_.first_block);
    return true;
}

// On the list of orphans, whose head the superblock is, until it is gone.
void Ext4Model::free_inode(Node& gone) {
    changed(fs_.first_block);
    inode_changed(gone);
    const std::uint64_t where = gone.inode / fs_.inodes_per_group;
    Group& group = groups_[where];
    group.given_up.insert(static_cast<std::uint32_t>(gone.inode % fs_.inodes_per_group));
    ++group.free_inodes;
    use(fs_.inode_bitmap(where), IoPurpose::group);
    changed(fs_.inode_bitmap(where));
    group_changed(where);
}

void Ext4Model::give_back(Node& gone) {
    for (const Node::Extent& extent : gone.extents) {
        free_.give(extent.place, extent.blocks);
        blocks_changed(extent.place, extent.blocks);
    }
    for (const std::uint64_t byte : gone.pointers) {
        pages_.drop(byte);
        free_.give(byte / block_bytes_, 1);
        blocks_changed(byte / block_bytes_, 1);
        if (journal_) journal_->revoke();
    }
    gone.extents.clear();
    gone.pointers.clear();
    gone.size = 0;
}

// ext4_inode_to_goal_block: behind what is there; else a file's flex group from its second group on, whose
// first is for directories; the colour that keeps processes apart is that of one process.
std::uint64_t Ext4Model::goal_for(const Node& of, std::uint64_t logical) const {
    if (logical > 0)
        if (const Node::Extent* before = of.extent_of(logical - 1))
            return before->place + logical - before->logical;
    std::uint64_t group = of.inode / fs_.inodes_per_group;
    if (fs_.flex > 1) {
        group = group / fs_.flex * fs_.flex;
        if (!of.directory && group + 1 < groups_.size()) ++group;
    }
    return fs_.group_start(group);
}

// ext4_mb_group_or_file: small files come from what the locality group holds; what is a multiple of the
// stripe, as requests are that are rounded up to a power of two, begins with one (ext4_mb_scan_aligned).
std::optional<BlockRun> Ext4Model::find_blocks(const Node& of, std::uint64_t logical, std::uint64_t wanted) {
    const std::uint64_t goal = goal_for(of, logical), stripe = std::max<std::uint64_t>(fs_.stripe_width, 1);
    if (of.directory) return free_.take(goal, wanted);
    const std::uint64_t whole = std::max((of.size + block_bytes_ - 1) / block_bytes_, logical + wanted);
    if (whole <= small_file_blocks) {
        if (small_files_.blocks < wanted) {
            free_.give(small_files_.place, small_files_.blocks);
            const std::uint64_t held = (locality_blocks + stripe - 1) / stripe * stripe;
            small_files_ = free_.take(goal, held, stripe).value_or(BlockRun{});
        }
        if (small_files_.blocks >= wanted) {
            const BlockRun run{small_files_.place, wanted};
            small_files_.place += wanted;
            small_files_.blocks -= wanted;
            return run;
        }
    }
    const std::uint64_t most = most_request_bytes / block_bytes_;
    const std::uint64_t request = std::min(std::bit_ceil(wanted), most);
    const bool follows = logical > 0 && of.extent_of(logical - 1);
    const bool aligned = wanted >= stripe && request % stripe == 0 && !follows;
    return free_.take(goal, wanted, aligned ? stripe : 1);
}

// ext4_ind_map_blocks: the blocks of pointers that this block is the first of.
bool Ext4Model::add_pointers(Node& of, std::uint64_t logical) {
    const std::uint64_t pointers = block_bytes_ / 4;
    if (logical < direct_pointers) return true;
    // A file with a hole may have none before.
    if ((logical - direct_pointers) % pointers != 0 && !of.pointers.empty()) return true;
    const unsigned levels = (logical - direct_pointers) / pointers % pointers == 1 ? 2 : 1;
    for (unsigned level = 0; level < levels; ++level) {
        const auto run = free_.take(goal_for(of, logical), 1);
        if (!run) return false;
        blocks_changed(run->place, 1);
        make(run->place, IoPurpose::pointers);
        of.pointers.push_back(run->place * block_bytes_);
    }
    return true;
}

// Beyond four the extents are in blocks of their own.
void Ext4Model::extents_grew(Node& of) {
    const std::uint64_t in_block = (block_bytes_ - 16) / 12, count = of.extents.size();
    if (count <= extents_in_inode) return;
    if ((count + in_block - 1) / in_block > of.pointers.size()) {
        const auto run = free_.take(fs_.group_start(of.inode / fs_.inodes_per_group), 1);
        if (!run) return;
        blocks_changed(run->place, 1);
        make(run->place, IoPurpose::pointers);
        of.pointers.push_back(run->place * block_bytes_);
    }
    changed(of.pointers.back() / block_bytes_, &of);
}

bool Ext4Model::allocate(Node& of, std::uint64_t logical, std::uint64_t blocks) {
    const std::uint64_t pointers = block_bytes_ / 4;
    while (blocks > 0) {
        std::uint64_t wanted = blocks;
        if (!fs_.modern) {
            const std::uint64_t end = logical < direct_pointers
                                          ? direct_pointers
                                          : logical + pointers - (logical - direct_pointers) % pointers;
            wanted = std::min(wanted, end - logical);
        }
        if (!fs_.modern && !add_pointers(of, logical)) {
            fail("the file system is full");
            return false;
        }
        const auto run = find_blocks(of, logical, wanted);
        if (!run || run->blocks == 0) {
            fail("the file system is full");
            return false;
        }
        blocks_changed(run->place, run->blocks);
        if (of.add_extent({logical, run->place, run->blocks}) > 0 && fs_.modern) extents_grew(of);
        if (!fs_.modern && logical >= direct_pointers) changed(of.pointers.back() / block_bytes_, &of);
        logical += run->blocks;
        blocks -= run->blocks;
    }
    inode_changed(of);
    return true;
}

}  // namespace diskwright
