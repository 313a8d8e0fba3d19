// SPDX-License-Identifier: BSD-2-Clause
// What must be on the disk before what (softdep_setup_* and handle_workitem_* of freebsd/freebsd-src
// sys/ufs/ffs/ffs_softdep.c; NetBSD/src up to 5 and openbsd/src up to 7.3 had the same).
#include <algorithm>

#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/ffs_node.hpp"

namespace diskwright {

using Change = SoftUpdates::Change;

Change FfsModel::record(std::uint32_t count) {
    return journal_ ? journal_->record(count) : SoftUpdates::none;
}

// A map may not be written before the record of what was taken (jaddref, jnewblk).
Change FfsModel::map_change(std::uint64_t place, Change record) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t group = fs.group_start(fs.group_of(place)) + fs.group_block;
    const Change change = soft_->in_buffer(byte_of(group), {record});
    if (journal_) journal_->keep_until(change);
    return change;
}

// An inode is written as free until it is in the map: softdep_setup_inomapdep. Records are for the entry, and
// for "." and "..".
void FfsModel::soft_inode(Node& of) {
    const FfsGeometry& fs = layout_->geometry();
    of.record = record(of.directory ? 3 : 1);
    of.in_map = map_change(fs.group_start(fs.group_of_inode(of.inode)), of.record);
    of.made = soft_->in_buffer(byte_of(fs.inode_block(of.inode)), {of.in_map});
    ++inode_updates_;
    soft_->then({of.made}, [this] { --inode_updates_; });
}

// The pointer to a block waits for the map and for what is in the block: softdep_setup_allocdirect and
// softdep_setup_allocindir_page.
Change FfsModel::soft_block(Node& of, std::uint64_t logical) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t place = of.blocks[logical];
    const Change map = map_change(place, record());
    Change contents;
    if (of.directory) {
        contents = soft_->in_buffer(byte_of(place), {});
    } else {
        contents = soft_->elsewhere();
        of.unwritten.emplace_back(logical, contents);
    }
    const std::uint64_t from = logical < FfsGeometry::direct
                                   ? fs.inode_block(of.inode)
                                   : of.pointers[(logical - FfsGeometry::direct) / fs.indirect];
    const Change pointer = soft_->in_buffer(byte_of(from), {map, contents, of.in_map});
    constexpr std::size_t few = 64;
    if (of.pointing.size() >= few && of.pointing.size() % few == 0)
        std::erase_if(of.pointing, [&](Change change) { return soft_->on_disk(change); });
    of.pointing.push_back(pointer);
    return pointer;
}

// A block of pointers is written before it is pointed to: softdep_setup_allocindir_meta.
void FfsModel::soft_pointers(Node& of, std::uint64_t place, bool below_another) {
    const Change map = map_change(place, record());
    const Change contents = soft_->in_buffer(byte_of(place), {});
    const std::uint64_t from =
        below_another && !of.upper.empty() ? of.upper.back() : layout_->geometry().inode_block(of.inode);
    of.pointing.push_back(soft_->in_buffer(byte_of(from), {map, contents, of.in_map}));
}

// The old fragments are free when the pointer to the new ones is on the disk: handle_workitem_freefrag.
void FfsModel::soft_move(Node& of, std::uint64_t logical, std::uint64_t from, std::uint32_t frags) {
    if (of.directory) soft_->move(byte_of(from), byte_of(of.blocks[logical]));
    const Change pointer = soft_block(of, logical);
    soft_->then({pointer, record()}, [this, from, frags] { layout_->free(from, frags); });
}

// softdep_setup_directory_add; MKDIR_BODY and MKDIR_PARENT.
void FfsModel::soft_entry(Node& parent, Node& child, std::uint64_t block) {
    const Change added = child.entry == SoftUpdates::none ? child.record : record();
    child.entry = soft_->in_buffer(block, {child.made, child.body, child.link, added});
    if (journal_) journal_->keep_until(child.entry);
    if (parent.pointing.empty()) return;
    std::erase_if(parent.pointing, [&](Change change) { return soft_->on_disk(change); });
}

// softdep_setup_remove: an entry that never came to the disk is gone at once, else the rest follows when the
// block without it has been written.
void FfsModel::soft_unlink(Node& parent, Node& gone) {
    soft_->collect();
    gone.removed = true;
    const Change removal = record();
    if (soft_->in_memory(gone.entry)) {
        soft_->cancel(gone.entry);
        soft_reclaim(gone);
        return;
    }
    const std::uint64_t logical = gone.chunk * FfsGeometry::directory_chunk / layout_->geometry().bsize;
    const Change erased = soft_->in_buffer(byte_of(parent.blocks[logical]), {removal});
    if (journal_) journal_->keep_until(erased);
    ++removals_;
    soft_->then({erased}, [this, handle = gone.self] {
        --removals_;
        soft_reclaim(node(handle));
    });
}

// handle_workitem_remove, then ufs_inactive: softdep_setup_freeblocks and softdep_freefile. What an inode
// held that never came to the disk is free at once.
void FfsModel::soft_reclaim(Node& gone) {
    const FfsGeometry& fs = layout_->geometry();
    forget_data(gone);
    gone.unwritten.clear();
    for (const Change change : gone.pointing)
        if (soft_->in_memory(change)) soft_->cancel(change);
    gone.pointing.clear();
    const bool was_on_disk = !soft_->in_memory(gone.in_map);
    update(gone, Order::later);
    const auto blocks = static_cast<std::uint32_t>(gone.blocks.size());
    const auto release = [this, handle = gone.self] {
        Node& of = node(handle);
        release_blocks(of);
        layout_->free_inode(of.inode, of.directory);
    };
    if (!was_on_disk) {
        if (soft_->in_memory(gone.made)) soft_->cancel(gone.made);
        release();
        return;
    }
    const Change freed = blocks > 0 ? record(std::min(blocks, FfsGeometry::direct + 3)) : SoftUpdates::none;
    const Change cleared = soft_->in_buffer(byte_of(fs.inode_block(gone.inode)), {});
    soft_->then({cleared, freed}, release);
}

void FfsModel::soft_data_out(Node& of, std::uint64_t until, std::uint64_t request) {
    const std::uint64_t bsize = layout_->geometry().bsize;
    for (; !of.unwritten.empty() && of.unwritten.front().first * bsize < until; of.unwritten.pop_front())
        soft_->goes_out(of.unwritten.front().second, request);
}

// ffs_fsync with MNT_WAIT, softdep_sync_metadata and softdep_fsync: what the file consists of, its entry, and
// those of the directories above that are new as well.
void FfsModel::soft_fsync(Node& of) {
    const auto force = [this](Change) {
        if (journal_) journal_->flush();
    };
    const auto durable = [&](Change change) { soft_->make_durable(change, force); };
    for (const Change change : of.pointing) durable(change);
    of.pointing.clear();
    durable(of.made);
    cache_.write_if_dirty(byte_of(layout_->geometry().inode_block(of.inode)), true);
    for (Node* at = &of; at != nodes_.front().get(); at = &node(at->parent)) {
        if (soft_->on_disk(at->entry)) break;
        for (const Change change : at->pointing) durable(change);
        durable(at->entry);
    }
}

}  // namespace diskwright
