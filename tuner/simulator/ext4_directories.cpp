// SPDX-License-Identifier: BSD-2-Clause
// Entries of directories (fs/ext4/namei.c: ext4_add_entry, make_indexed_dir, do_split, ext4_delete_entry).
// The hash of a name is a number drawn for it.
#include <algorithm>
#include <iterator>

#include "tuner/simulator/ext4_model.hpp"

namespace diskwright {
namespace {

constexpr std::uint32_t tail_bytes = 12;

}  // namespace

bool Ext4Model::add_directory_block(Node& of) {
    const std::uint64_t logical = of.size / block_bytes_;
    if (!allocate(of, logical, 1)) return false;
    of.size += block_bytes_;
    const Node::Extent* extent = of.extent_of(logical);
    const std::uint64_t place = extent->place + logical - extent->logical;
    make(place, IoPurpose::directory);
    changed(place, &of);
    return true;
}

Ext4Model::Node::Leaf* Ext4Model::leaf_for(Node& of, std::uint32_t hash) {
    const auto after =
        std::upper_bound(of.leaves.begin(), of.leaves.end(), hash,
                         [](std::uint32_t value, const Node::Leaf& leaf) { return value < leaf.from_hash; });
    return &*std::prev(after);
}

// The block in two, by the hash in the middle. The first split turns block 0 into the index.
bool Ext4Model::split(Node& of, std::uint32_t hash) {
    if (of.leaves.size() == 1) {
        of.leaves.front().block = of.size / block_bytes_;
        if (!add_directory_block(of)) return false;
    }
    const std::uint64_t block = of.size / block_bytes_;
    if (!add_directory_block(of)) return false;
    const auto at = of.leaves.begin() + (leaf_for(of, hash) - of.leaves.data());
    const auto next = std::next(at);
    const std::uint64_t end = next == of.leaves.end() ? std::uint64_t{1} << 32 : next->from_hash;
    const auto middle = static_cast<std::uint32_t>((at->from_hash + end) / 2);
    Node::Leaf upper{middle, at->used / 2, block};
    at->used -= upper.used;
    of.leaves.insert(next, upper);
    const Node::Extent* index = of.extent_of(0);
    use(index->place, IoPurpose::directory);
    changed(index->place, &of);
    return true;
}

bool Ext4Model::enter(Node& parent, Node& child, std::size_t name) {
    child.hash = static_cast<std::uint32_t>(random_.next());
    child.entry_bytes = static_cast<std::uint32_t>((8 + name + 3) / 4 * 4);
    const std::uint32_t room = fs_.block_bytes - (fs_.modern ? tail_bytes : 0);
    Node::Leaf* leaf = leaf_for(parent, child.hash);
    if (leaf->used + child.entry_bytes > room) {
        if (!split(parent, child.hash)) return false;
        leaf = leaf_for(parent, child.hash);
    }
    leaf->used += child.entry_bytes;
    const Node::Extent* extent = parent.extent_of(leaf->block);
    if (parent.leaves.size() > 1) use(parent.extent_of(0)->place, IoPurpose::directory);
    const std::uint64_t place = extent->place + leaf->block - extent->logical;
    use(place, IoPurpose::directory);
    changed(place, &parent);
    inode_changed(parent);
    return true;
}

void Ext4Model::leave(Node& parent, Node& child) {
    Node::Leaf* leaf = leaf_for(parent, child.hash);
    leaf->used -= std::min(leaf->used, child.entry_bytes);
    const Node::Extent* extent = parent.extent_of(leaf->block);
    const std::uint64_t place = extent->place + leaf->block - extent->logical;
    use(place, IoPurpose::directory);
    changed(place, &parent);
    inode_changed(parent);
}

}  // namespace diskwright
