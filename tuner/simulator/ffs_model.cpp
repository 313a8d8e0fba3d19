// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ffs_model.hpp"

#include <algorithm>

#include "tuner/simulator/ffs_node.hpp"

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::uint64_t least_log = std::uint64_t{1} << 20, most_log = std::uint64_t{64} << 20,
                        log_share = 1024;

}  // namespace

std::uint64_t FfsModel::log_bytes(const FfsGeometry& geometry) {
    return std::clamp(geometry.frags * geometry.fsize / log_share, least_log, most_log);
}

FfsModel::FfsModel(VirtualIo& io, const FfsGeometry& geometry, const FfsRules& rules)
    : io_(io),
      rules_(rules),
      cache_(io, rules.cache_bytes),
      pages_(rules.page_cache_bytes),
      next_file_system_sync_s_(rules.syncer.file_system_s) {
    const bool logs = rules.metadata == FfsRules::Metadata::wapbl;
    const std::uint64_t bytes = log_bytes(geometry);
    layout_ = std::make_unique<FfsLayout>(
        geometry, rules.seed, logs ? bytes : rules.journal_bytes,
        [this](std::uint32_t group) { use_group(group); },
        [this](std::uint32_t group) { change_group(group); });
    if (logs)
        log_ = std::make_unique<WapblModel>(io, cache_, byte_of(layout_->log_block()), bytes, rules.log,
                                            [this] { before_flush(); });
    if (rules.metadata == FfsRules::Metadata::soft_updates) soft_ = std::make_unique<SoftUpdates>(io, cache_);
    if (soft_ && rules.journal_bytes > 0)
        journal_ = std::make_unique<SoftJournal>(io, *soft_, byte_of(layout_->log_block()),
                                                 rules.journal_bytes, geometry.bsize);
    cache_.set_copies_groups(rules.copies_groups);
    auto top = std::make_unique<Node>();
    top->inode = FfsLayout::root_inode;
    top->directory = true;
    top->size = FfsGeometry::directory_chunk;
    top->blocks.push_back(layout_->root_block());
    top->room.push_back(FfsGeometry::directory_chunk - 24);  // "." and ".."
    nodes_.push_back(std::move(top));
}

FfsModel::~FfsModel() = default;

FfsModel::Node& FfsModel::node(Handle handle) {
    return *nodes_.at(handle);
}

void FfsModel::fail(std::string why) {
    if (!failure_) failure_ = std::move(why);
}

std::uint64_t FfsModel::size(Handle file) const {
    return nodes_.at(file)->size;
}

void FfsModel::use_group(std::uint32_t group) {
    const FfsGeometry& fs = layout_->geometry();
    cache_.read(byte_of(fs.group_start(group) + fs.group_block), fs.group_bytes, IoPurpose::group);
}

void FfsModel::change_group(std::uint32_t group) {
    const FfsGeometry& fs = layout_->geometry();
    modified_ = true;
    metadata(byte_of(fs.group_start(group) + fs.group_block), Order::later);
}

void FfsModel::metadata(std::uint64_t byte, Order order) {
    switch (rules_.metadata) {
        case FfsRules::Metadata::wapbl:
            cache_.add_to_log(byte);
            return;
        case FfsRules::Metadata::synchronous:
            if (order == Order::first) {
                cache_.write(byte, true);
                return;
            }
            break;
        case FfsRules::Metadata::asynchronous:
        case FfsRules::Metadata::soft_updates:
            break;
    }
    cache_.delay(byte);
}

// ffs_update
void FfsModel::update(Node& of, Order order) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t byte = byte_of(fs.inode_block(of.inode));
    cache_.read(byte, fs.bsize, IoPurpose::inode);
    metadata(byte, order);
}

void FfsModel::begin() {
    background();
    if (log_) log_->begin();
    if (soft_) soft_begin();
}

// The first use of a file or directory since it was mounted: its inode and what is above it.
void FfsModel::visit(Node& of) {
    const FfsGeometry& fs = layout_->geometry();
    if (of.visited != mounts_) {
        of.visited = mounts_;
        if (&of != nodes_.front().get()) visit(node(of.parent));
        cache_.read(byte_of(fs.inode_block(of.inode)), fs.bsize, IoPurpose::inode);
    }
    if (!of.directory) return;
    for (std::uint64_t logical = 0; logical < of.blocks.size(); ++logical)
        cache_.read(byte_of(of.blocks[logical]), frags_at(of, logical) * fs.fsize, IoPurpose::directory);
}

// ffs_valloc and VFS_VGET. A group that gets a new block of inodes is written before that block is.
FfsModel::Handle FfsModel::new_node(Handle parent, bool directory) {
    const FfsGeometry& fs = layout_->geometry();
    const auto made = layout_->new_inode(node(parent).inode, directory);
    if (!made) {
        fail("no inode is left");
        return root;
    }
    if (made->initialised) {
        const std::uint64_t byte = byte_of(*made->initialised);
        const std::uint32_t group = fs.group_of_inode(made->inode);
        metadata(byte_of(fs.group_start(group) + fs.group_block), Order::first);
        cache_.make(byte, fs.bsize, IoPurpose::inode);
        if (rules_.metadata == FfsRules::Metadata::wapbl)
            cache_.add_to_log(byte);
        else
            cache_.write(byte, false);
    }
    auto fresh = std::make_unique<Node>();
    fresh->self = static_cast<Handle>(nodes_.size());
    fresh->parent = parent;
    fresh->inode = made->inode;
    fresh->directory = directory;
    fresh->visited = mounts_;
    nodes_.push_back(std::move(fresh));
    cache_.read(byte_of(fs.inode_block(made->inode)), fs.bsize, IoPurpose::inode);
    if (soft_) soft_inode(*nodes_.back());
    return nodes_.back()->self;
}

// ufs_mkdir
FfsModel::Handle FfsModel::make_directory(Handle parent, std::size_t name) {
    if (failure_) return root;
    begin();
    visit(node(parent));
    const Handle made = new_node(parent, true);
    if (failure_) return root;
    Node& fresh = node(made);
    Node& above = node(parent);
    update(above, Order::first);
    const FfsGeometry& fs = layout_->geometry();
    if (!give_blocks(fresh, FfsGeometry::directory_chunk)) return root;
    fresh.room.push_back(FfsGeometry::directory_chunk - 24);
    const std::uint64_t byte = byte_of(fresh.blocks.front());
    cache_.make(byte, frags_at(fresh, 0) * fs.fsize, IoPurpose::directory);
    metadata(byte, Order::first);
    update(fresh, Order::first);
    if (soft_) {
        fresh.body = soft_->in_buffer(byte, {});
        fresh.link = soft_->in_buffer(byte_of(fs.inode_block(above.inode)), {above.in_map});
    }
    enter(above, fresh, name);
    return made;
}

// ufs_makeinode
FfsModel::Handle FfsModel::create(Handle parent, std::size_t name) {
    if (failure_) return root;
    begin();
    visit(node(parent));
    const Handle made = new_node(parent, false);
    if (failure_) return root;
    update(node(made), Order::first);
    enter(node(parent), node(made), name);
    return made;
}

// ufs_remove, then ufs_inactive and ffs_truncate.
void FfsModel::unlink(Handle file) {
    if (failure_) return;
    begin();
    Node& gone = node(file);
    Node& above = node(gone.parent);
    visit(above);
    visit(gone);
    leave(above, gone);
    if (soft_) {
        soft_unlink(above, gone);
        return;
    }
    truncate(gone);
    layout_->free_inode(gone.inode, gone.directory);
    gone.removed = true;
}

void FfsModel::forget_data(Node& of) {
    forget_overwritten(of);
    pages_.drop(of.self, of.size);
    if (!of.dirty) return;
    const std::uint64_t gone = of.size - of.dirty_from;
    dirty_data_ -= std::min(dirty_data_, gone);
    of.dirty = false;
    count_dirty_data(of);
}

void FfsModel::truncate(Node& of) {
    forget_data(of);
    update(of, of.blocks.empty() ? Order::later : Order::first);
    release_blocks(of);
}

void FfsModel::release_blocks(Node& of) {
    const auto drop = [&](std::uint64_t place) {
        cache_.drop(byte_of(place));
        if (soft_) soft_->drop(byte_of(place));
    };
    for (std::uint64_t logical = of.blocks.size(); logical-- > 0;) {
        if (of.directory) drop(of.blocks[logical]);
        give_up(of.blocks[logical], frags_at(of, logical));
    }
    for (const auto* list : {&of.pointers, &of.upper})
        for (const std::uint64_t place : *list) {
            drop(place);
            give_up(place, layout_->geometry().frag);
        }
    of.blocks.clear();
    of.pointers.clear();
    of.upper.clear();
    of.size = 0;
}

// With a journal what is given up is free only when the transaction is written out (ffs_wapbl.c,
// ffs_wapbl_sync_mp and wapbl_register_deallocation).
void FfsModel::give_up(std::uint64_t place, std::uint32_t frags) {
    if (!log_) {
        layout_->free(place, frags);
        return;
    }
    given_up_.push_back({place, frags});
    log_->revoke();
}

void FfsModel::before_flush() {
    for (const GivenUp& piece : given_up_) layout_->free(piece.place, piece.frags);
    given_up_.clear();
    write_summary(false);
}

// ffs_cgupdate and ffs_sbupdate
void FfsModel::write_summary(bool waits) {
    if (!modified_) return;
    modified_ = false;
    const FfsGeometry& fs = layout_->geometry();
    const auto put = [&](std::uint64_t byte, std::uint32_t bytes) {
        cache_.make(byte, bytes, IoPurpose::summary);
        if (log_)
            cache_.add_to_log(byte);
        else
            cache_.write(byte, waits);
    };
    for (std::uint32_t at = 0; at < fs.summary_bytes; at += fs.bsize)
        put(byte_of(fs.summary) + at, std::min(fs.bsize, fs.summary_bytes - at));
    put(fs.superblock_offset, fs.superblock_bytes);
}

void FfsModel::sync() {
    if (failure_) return;
    write_all_data(never);
    if (soft_) {
        soft_sync();
        return;
    }
    if (log_) {
        log_->flush();
        return;
    }
    cache_.write_dirty(BufferCache::Part::all);
    write_summary(false);
}

void FfsModel::background() {
    if (soft_) {
        soft_background();
        return;
    }
    const double now = io_.now_s();
    if (now < next_look_s_) return;
    // What is changed from now on is due later than that.
    next_look_s_ = std::min({next_background_s(), next_file_system_sync_s_, now + rules_.syncer.metadata_s});
    if (now < next_look_s_) return;
    next_look_s_ = 0;
    write_all_data(now);
    const auto due = [&](BufferCache::Part part, double delay_s) {
        const auto since = cache_.dirty_since(part);
        if (since && *since + delay_s <= now) cache_.write_dirty(part);
    };
    due(BufferCache::Part::others, rules_.syncer.metadata_s);
    due(BufferCache::Part::directories, rules_.syncer.directory_s);
    if (now < next_file_system_sync_s_) return;
    while (next_file_system_sync_s_ <= now) next_file_system_sync_s_ += rules_.syncer.file_system_s;
    if (log_)
        log_->flush();
    else
        write_summary(false);
}

double FfsModel::next_background_s() const {
    if (soft_) return soft_next_s();
    double next_s =
        modified_ || cache_.logged_count() > 0 || !given_up_.empty() ? next_file_system_sync_s_ : never;
    for (const Handle handle : dirty_nodes_)
        if (nodes_[handle]->dirty || !nodes_[handle]->overwritten.empty())
            next_s = std::min(next_s, nodes_[handle]->dirty_since_s + rules_.syncer.file_s);
    if (const auto since = cache_.dirty_since(BufferCache::Part::others))
        next_s = std::min(next_s, *since + rules_.syncer.metadata_s);
    if (const auto since = cache_.dirty_since(BufferCache::Part::directories))
        next_s = std::min(next_s, *since + rules_.syncer.directory_s);
    return next_s;
}

void FfsModel::remount() {
    if (soft_)
        soft_unmount();
    else
        sync();
    io_.wait_for_all();
    // Clean, and again in use: ffs_unmount and ffs_mountfs.
    const FfsGeometry& fs = layout_->geometry();
    for (int i = 0; i < 2; ++i)
        io_.perform(DriveOperation::write, IoPurpose::summary, fs.superblock_offset, fs.superblock_bytes);
    cache_.forget();
    pages_.forget();
    ++mounts_;
    next_file_system_sync_s_ = io_.now_s() + rules_.syncer.file_system_s;
}

}  // namespace diskwright
