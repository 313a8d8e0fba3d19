// SPDX-License-Identifier: BSD-2-Clause
// Inodes (libxfs/xfs_ialloc.c), blocks (xfs_alloc.c, xfs_bmap.c) and directories (xfs_dir2*.c) of XfsModel.
#include <algorithm>
#include <iterator>

#include "tuner/simulator/xfs_model.hpp"

namespace diskwright {
namespace {

constexpr std::uint32_t short_form_head = 6;  // xfs_dir2_sf_hdr
constexpr std::uint32_t block_head = 64;      // xfs_dir3_data_hdr, xfs_dir3_leaf_hdr
constexpr std::uint32_t leaf_entry = 8;       // xfs_dir2_leaf_entry

}  // namespace

bool XfsModel::add_chunk(std::uint64_t group) {
    constexpr std::uint64_t bytes = XfsGeometry::inodes_in_chunk * XfsGeometry::inode_bytes;
    const std::uint64_t blocks = bytes / block_bytes_;
    Group& of = groups_[group];
    const auto run = of.free.take(of.chunk_goal, blocks, blocks);
    if (!run) return false;
    if (run->blocks < blocks) {
        of.free.give(run->place, run->blocks);
        return false;
    }
    of.chunk_goal = run->place + blocks;
    space_changed(group);
    constexpr std::uint32_t cluster = XfsGeometry::inodes_in_cluster * XfsGeometry::inode_bytes;
    const std::uint64_t start = (fs_.group_start(group) + run->place) * block_bytes_;
    for (std::uint64_t byte = start; byte < start + bytes; byte += cluster)
        pages_.make(byte, cluster, IoPurpose::inode);
    for (std::uint64_t i = 0; i < XfsGeometry::inodes_in_chunk; ++i)
        of.inodes.insert(start / XfsGeometry::inode_bytes + i);
    return true;
}

// xfs_dialloc: directories go round the groups, files to their directory's.
bool XfsModel::new_inode(Node& made) {
    const std::uint64_t first =
        made.directory ? rotor_++ % groups_.size() : group_of_inode(node(made.parent).inode);
    for (std::uint64_t i = 0; i < groups_.size(); ++i) {
        const std::uint64_t group = (first + i) % groups_.size();
        auto& free = groups_[group].inodes;
        if (free.empty() && !add_chunk(group)) continue;
        made.inode = free.extract(free.begin()).value();
        inodes_changed(group);
        inode_changed(made);
        return true;
    }
    fail("no inode is left");
    return false;
}

void XfsModel::free_inode(Node& gone) {
    const std::uint64_t group = group_of_inode(gone.inode);
    inode_changed(gone);
    inodes_changed(group);
    groups_[group].inodes.insert(gone.inode);
    give_back_chunk(group, gone.inode);
}

// xfs_difree_inobt: a chunk whose inodes are all free is free itself, and never written.
void XfsModel::give_back_chunk(std::uint64_t group, std::uint64_t inode) {
    constexpr std::uint64_t count = XfsGeometry::inodes_in_chunk;
    auto& free = groups_[group].inodes;
    const std::uint64_t start = fs_.group_start(group) * block_bytes_ / XfsGeometry::inode_bytes;
    const std::uint64_t first = start + (inode - start) / count * count;
    const auto begin = free.lower_bound(first), end = free.lower_bound(first + count);
    if (static_cast<std::uint64_t>(std::distance(begin, end)) < count) return;
    free.erase(begin, end);
    constexpr std::uint64_t cluster = XfsGeometry::inodes_in_cluster;
    for (std::uint64_t each = first; each < first + count; each += cluster) pages_.drop(cluster_byte(each));
    const std::uint64_t blocks = count * XfsGeometry::inode_bytes / block_bytes_;
    groups_[group].free.give((first - start) * XfsGeometry::inode_bytes / block_bytes_, blocks);
    space_changed(group);
}

void XfsModel::give_back(Node& gone) {
    for (const Node::Extent& extent : gone.extents) {
        const std::uint64_t group = fs_.group_of(extent.place);
        groups_[group].free.give(extent.place - fs_.group_start(group), extent.blocks);
        space_changed(group);
    }
    gone.extents.clear();
    gone.size = 0;
}

std::optional<BlockRun> XfsModel::take(std::uint64_t group, std::uint64_t goal, std::uint64_t wanted,
                                       std::uint64_t unit) {
    const auto run = groups_[group].free.take(goal, wanted, unit);
    if (!run || run->blocks == 0) return std::nullopt;
    space_changed(group);
    return BlockRun{fs_.group_start(group) + run->place, run->blocks};
}

// xfs_bmap_btalloc: behind the last extent, else near the inode; a file of a stripe unit or more begins with
// one.
bool XfsModel::allocate(Node& of, std::uint64_t logical, std::uint64_t blocks) {
    while (blocks > 0) {
        const Node::Extent* before = logical > 0 ? of.extent_of(logical - 1) : nullptr;
        const std::uint64_t goal = before ? before->place + logical - before->logical
                                          : of.inode * XfsGeometry::inode_bytes / block_bytes_;
        const std::uint64_t first = std::min(fs_.group_of(goal), groups_.size() - 1);
        const std::uint64_t unit = !before && fs_.unit > 0 && blocks >= fs_.unit ? fs_.unit : 1;
        std::optional<BlockRun> run;
        for (std::uint64_t i = 0; i < groups_.size() && !run; ++i) {
            const std::uint64_t group = (first + i) % groups_.size();
            run = take(group, i == 0 ? goal - fs_.group_start(group) : 0, blocks, unit);
        }
        if (!run) {
            fail("the file system is full");
            return false;
        }
        of.add_extent({logical, run->place, run->blocks});
        logical += run->blocks;
        blocks -= run->blocks;
    }
    inode_changed(of);
    return true;
}

std::optional<std::uint64_t> XfsModel::add_directory_block(Node& of) {
    std::uint64_t logical = 0;
    if (!of.extents.empty()) logical = of.extents.back().logical + of.extents.back().blocks;
    if (!allocate(of, logical, 1)) return std::nullopt;
    const Node::Extent* extent = of.extent_of(logical);
    const std::uint64_t byte = (extent->place + logical - extent->logical) * block_bytes_;
    pages_.make(byte, fs_.block_bytes, IoPurpose::directory);
    of.pointers.push_back(byte);
    return byte;
}

// Entries in the inode (short form), then in blocks, whose hashes are in blocks of their own. Here a
// directory's block of entries is a leaf with the index of its page in `block`.
bool XfsModel::leave_short_form(Node& of) {
    if (!add_directory_block(of)) return false;
    of.leaves.push_back({0, static_cast<std::uint32_t>(block_head + 2 * of.size), of.pointers.size() - 1});
    return true;
}

bool XfsModel::enter(Node& parent, Node& child, std::size_t name) {
    child.entry_bytes = static_cast<std::uint32_t>((12 + name + 7) / 8 * 8);
    const auto in_inode = static_cast<std::uint32_t>(name + 8);
    ++parent.entries;
    if (is_short(parent)) {
        if (short_form_head + parent.size + in_inode <= XfsGeometry::fork_bytes) {
            child.entry_bytes = in_inode;
            parent.size += in_inode;
            inode_changed(parent);
            return true;
        }
        if (!leave_short_form(parent)) return false;
    }
    const std::uint64_t hashes = (fs_.block_bytes - block_head) / leaf_entry;
    const bool one_block = parent.leaves.size() == 1;
    const std::uint64_t room =
        fs_.block_bytes -
        (one_block ? std::min<std::uint64_t>(parent.entries * leaf_entry, fs_.block_bytes / 2) : 0);
    if (parent.leaves.back().used + child.entry_bytes > room) {
        if (!add_directory_block(parent)) return false;
        parent.leaves.push_back({0, block_head, parent.pointers.size() - 1});
    }
    const std::uint64_t leaves = parent.leaves.size() > 1 ? (parent.entries + hashes - 1) / hashes : 0;
    while (parent.pointers.size() < parent.leaves.size() + leaves)
        if (!add_directory_block(parent)) return false;
    parent.leaves.back().used += child.entry_bytes;
    child.hash = static_cast<std::uint32_t>(parent.leaves.back().block);
    page_changed(parent.pointers[child.hash], fs_.block_bytes, IoPurpose::directory, child.entry_bytes);
    page_changed(parent.pointers[random_.below(parent.pointers.size())], fs_.block_bytes,
                 IoPurpose::directory, leaf_entry);
    inode_changed(parent);
    return true;
}

void XfsModel::leave(Node& parent, Node& child) {
    if (parent.entries > 0) --parent.entries;
    if (is_short(parent)) {
        parent.size -= std::min<std::uint64_t>(parent.size, child.entry_bytes);
    } else {
        page_changed(parent.pointers[std::min<std::size_t>(child.hash, parent.pointers.size() - 1)],
                     fs_.block_bytes, IoPurpose::directory, child.entry_bytes);
        page_changed(parent.pointers[random_.below(parent.pointers.size())], fs_.block_bytes,
                     IoPurpose::directory, leaf_entry);
    }
    inode_changed(parent);
}

}  // namespace diskwright
