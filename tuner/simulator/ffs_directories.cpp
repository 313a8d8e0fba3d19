// SPDX-License-Identifier: BSD-2-Clause
// Entries of directories (sys/ufs/ufs/ufs_lookup.c: ufs_direnter, ufs_dirremove; UFS_DIRSIZ of
// sys/ufs/ufs/dir.h).
#include <algorithm>

#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/ffs_node.hpp"

namespace diskwright {

void FfsModel::enter(Node& parent, Node& child, std::size_t name) {
    const auto bytes = static_cast<std::uint16_t>(8 + (name + 4) / 4 * 4);
    std::size_t chunk = parent.first_room;
    while (chunk < parent.room.size() && parent.room[chunk] < bytes) ++chunk;
    const bool grown = chunk == parent.room.size();
    if (grown && !grow_directory(parent)) return;
    parent.room[chunk] = static_cast<std::uint16_t>(parent.room[chunk] - bytes);
    parent.first_room = chunk;
    child.chunk = chunk;
    child.entry_bytes = bytes;
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t logical = chunk * FfsGeometry::directory_chunk / fs.bsize;
    metadata(byte_of(parent.blocks[logical]), Order::first);
    update(parent, grown ? Order::first : Order::later);
    if (soft_) soft_entry(parent, child, byte_of(parent.blocks[logical]));
}

void FfsModel::leave(Node& parent, const Node& child) {
    parent.room[child.chunk] = static_cast<std::uint16_t>(parent.room[child.chunk] + child.entry_bytes);
    parent.first_room = std::min(parent.first_room, child.chunk);
    const std::uint64_t logical = child.chunk * FfsGeometry::directory_chunk / layout_->geometry().bsize;
    metadata(byte_of(parent.blocks[logical]), Order::first);
    update(parent, Order::later);
}

// The entry at the new place first, then the old one goes (ufs_rename.c).
void FfsModel::rename(Handle moved, Handle parent, std::size_t name) {
    if (failure_) return;
    begin();
    Node& child = node(moved);
    Node& from = node(child.parent);
    Node& to = node(parent);
    visit(from);
    visit(to);
    const std::size_t old_chunk = child.chunk;
    const std::uint16_t old_bytes = child.entry_bytes;
    update(child, Order::first);
    enter(to, child, name);
    if (failure_) return;
    Node before;
    before.chunk = old_chunk;
    before.entry_bytes = old_bytes;
    leave(from, before);
    if (soft_)
        soft_->in_buffer(
            byte_of(from.blocks[old_chunk * FfsGeometry::directory_chunk / layout_->geometry().bsize]),
            {child.entry, record()});
    child.parent = parent;
}

bool FfsModel::grow_directory(Node& of) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t logical = of.size / fs.bsize;
    if (!give_blocks(of, of.size + FfsGeometry::directory_chunk)) return false;
    if (of.size - FfsGeometry::directory_chunk == logical * fs.bsize)
        cache_.make(byte_of(of.blocks[logical]), frags_at(of, logical) * fs.fsize, IoPurpose::directory);
    of.room.push_back(FfsGeometry::directory_chunk);
    return true;
}

}  // namespace diskwright
