// SPDX-License-Identifier: BSD-2-Clause
// Blocks of files (sys/ufs/ffs/ffs_balloc.c, ffs_realloccg of ffs_alloc.c) and their data
// (sys/ufs/ufs/ufs_readwrite.c, sys/miscfs/genfs/genfs_io.c, sys/uvm/uvm_readahead.c).
#include <algorithm>

#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/ffs_node.hpp"

namespace diskwright {

std::uint32_t FfsModel::frags_at(const Node& of, std::uint64_t logical) const {
    const FfsGeometry& fs = layout_->geometry();
    if (logical >= FfsGeometry::direct || of.size >= (logical + 1) * fs.bsize) return fs.frag;
    return fs.frags_of(of.size - std::min(of.size, logical * fs.bsize));
}

std::uint64_t FfsModel::place_for(const Node& of, std::uint64_t logical) const {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t index =
        logical < FfsGeometry::direct ? logical : (logical - FfsGeometry::direct) % fs.indirect;
    return layout_->preferred(of.inode, logical, index, index == 0 ? 0 : of.blocks[logical - 1]);
}

// The blocks of pointers that this block is the first of. The one nearest to the data is written before what
// points to it.
bool FfsModel::add_pointers(Node& of, std::uint64_t logical) {
    const FfsGeometry& fs = layout_->geometry();
    if (logical < FfsGeometry::direct || (logical - FfsGeometry::direct) % fs.indirect != 0) return true;
    const std::uint64_t level = (logical - FfsGeometry::direct) / fs.indirect;
    if (level > fs.indirect) {
        fail("a file needs more than two levels of indirect blocks, which are not modelled");
        return false;
    }
    for (auto* list : {level == 1 ? &of.upper : nullptr, &of.pointers}) {
        if (!list) continue;
        const std::uint64_t place =
            layout_->allocate(of.inode, layout_->preferred(of.inode, logical, 0, 0), fs.frag);
        if (place == 0) return false;
        list->push_back(place);
        cache_.make(byte_of(place), fs.bsize, IoPurpose::pointers);
        metadata(byte_of(place), Order::first);
        if (soft_) soft_pointers(of, place, list == &of.pointers && level > 0);
    }
    return true;
}

bool FfsModel::add_block(Node& of, std::uint64_t logical, std::uint32_t frags) {
    if (!add_pointers(of, logical)) return false;
    const std::uint64_t place = layout_->allocate(of.inode, place_for(of, logical), frags);
    if (place == 0) return false;
    of.blocks.push_back(place);
    if (logical >= FfsGeometry::direct) {
        const std::uint64_t byte = byte_of(of.pointers.back());
        cache_.read(byte, layout_->geometry().bsize, IoPurpose::pointers);
        metadata(byte, rules_.synchronous_data ? Order::first : Order::later);
    }
    if (soft_) soft_block(of, logical);
    return true;
}

// ffs_realloccg: in place, else into a new block, what is over of it given back (FS_OPTTIME).
bool FfsModel::resize_block(Node& of, std::uint64_t logical, std::uint32_t frags) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint32_t before = frags_at(of, logical);
    const std::uint64_t from = of.blocks[logical];
    if (before >= frags) return true;
    if (layout_->extend(from, before, frags)) {
        if (of.directory) cache_.move(byte_of(from), byte_of(from), frags * fs.fsize);
        if (soft_) soft_block(of, logical);
        return true;
    }
    const std::uint64_t to = layout_->allocate(of.inode, place_for(of, logical), fs.frag);
    if (to == 0) return false;
    if (frags < fs.frag) layout_->free(to + frags, fs.frag - frags);
    if (of.directory)
        cache_.move(byte_of(from), byte_of(to), frags * fs.fsize);
    else if (of.dirty || of.size > logical * fs.bsize) {
        const std::uint64_t start = logical * fs.bsize;
        if (!of.dirty) {
            to_be_written(of);
            of.dirty = true;
            of.dirty_from = of.size;
        }
        if (of.dirty_from > start) {
            dirty_data_ += of.dirty_from - start;
            of.dirty_from = start;
        }
    }
    of.blocks[logical] = to;
    if (soft_)
        soft_move(of, logical, from, before);
    else
        give_up(from, before);
    return true;
}

// ffs_balloc, block by block up to that size.
bool FfsModel::give_blocks(Node& of, std::uint64_t size) {
    const FfsGeometry& fs = layout_->geometry();
    while (of.size < size) {
        const std::uint64_t logical = of.size / fs.bsize;
        const std::uint64_t end = std::min(size, (logical + 1) * fs.bsize);
        const std::uint32_t frags =
            logical < FfsGeometry::direct ? fs.frags_of(end - logical * fs.bsize) : fs.frag;
        const bool done =
            logical < of.blocks.size() ? resize_block(of, logical, frags) : add_block(of, logical, frags);
        if (!done) {
            fail("the file system is full");
            return false;
        }
        of.size = end;
    }
    return true;
}

// ffs_write: a write that ends a stretch of 64 KiB sends it on its way.
void FfsModel::append(Handle file, std::uint64_t bytes) {
    if (failure_ || bytes == 0) return;
    begin();
    Node& of = node(file);
    visit(of);
    const std::uint64_t before = of.size;
    if (!give_blocks(of, before + bytes)) return;
    if (!of.dirty) {
        to_be_written(of);
        of.dirty = true;
        of.dirty_from = before;
    }
    dirty_data_ += bytes;
    pages_.add(file, before, of.size);
    update(of, Order::later);
    if (rules_.synchronous_data) {
        write_synchronously(of, before);
        return;
    }
    const std::uint64_t whole = of.size / rules_.transfers.most * rules_.transfers.most;
    if (before / rules_.transfers.most != of.size / rules_.transfers.most)
        write_data(of, of.dirty_from, whole);
    count_dirty_data(of);
    limit_dirty_data();
}

// ffs_write with IO_SYNC: the blocks, one after the other unless they are pages, then the inode.
void FfsModel::write_synchronously(Node& of, std::uint64_t from) {
    const std::uint64_t bsize = layout_->geometry().bsize;
    from = std::min(from, of.dirty_from);
    while (from < of.size) {
        const std::uint64_t to =
            rules_.transfers.gathers_synchronous ? of.size : std::min((from / bsize + 1) * bsize, of.size);
        write_data(of, from, to);
        for (const std::uint64_t request : of.writing) io_.wait(request, IoPurpose::data);
        of.writing.clear();
        from = to;
    }
    update(of, Order::first);
}

// What lies together on the disk goes in one request, at most MAXPHYS.
void FfsModel::send(Node& of, std::uint64_t from, std::uint64_t to) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t page = std::max<std::uint64_t>(fs.fsize, rules_.transfers.least_write);
    std::uint64_t at = from / page * page;
    while (at < to) {
        const std::uint64_t place = byte_of(of.blocks[at / fs.bsize]) + at % fs.bsize;
        std::uint64_t end = at;
        for (std::uint64_t next = at / fs.bsize; end < to && end - at < rules_.transfers.most; ++next) {
            if (end > at && byte_of(of.blocks[next]) != place + (end - at)) break;
            const std::uint64_t stored = next * fs.bsize + std::uint64_t{frags_at(of, next)} * fs.fsize;
            end = to < of.size ? std::min(stored, to) : stored;
        }
        const std::uint64_t length = std::min(end - at, rules_.transfers.most);
        const auto bytes = static_cast<std::uint32_t>((length + fs.fsize - 1) / fs.fsize * fs.fsize);
        of.writing.push_back(io_.submit(DriveOperation::write, IoPurpose::data, place, bytes));
        data_written_ += bytes;
        at += length;
        if (soft_) soft_data_out(of, at, of.writing.back());
    }
}

void FfsModel::write_data(Node& of, std::uint64_t from, std::uint64_t to) {
    send(of, from, to);
    const std::uint64_t done = std::min(to, of.size) - std::min(of.dirty_from, to);
    dirty_data_ -= std::min(dirty_data_, done);
    of.dirty_from = to;
    of.dirty = of.size > to;
    count_dirty_data(of);
}

void FfsModel::write_all_data(double due_by_s) {
    std::vector<Handle> left;
    for (const Handle handle : dirty_nodes_) {
        Node& of = node(handle);
        if (of.dirty_since_s + rules_.syncer.file_s <= due_by_s) {
            write_overwritten(of);
            if (of.dirty) write_data(of, of.dirty_from, of.size);
        }
        of.listed = of.dirty || !of.overwritten.empty();
        if (of.listed) left.push_back(handle);
    }
    dirty_nodes_ = std::move(left);
}

// Each buffer holds a block or what there is of one; what was overwritten is taken to lie scattered.
std::uint64_t FfsModel::dirty_buffers(const Node& of) const {
    if (!of.dirty) return of.overwritten.stretches().size();
    const std::uint64_t bsize = layout_->geometry().bsize;
    return of.overwritten.stretches().size() + (of.size + bsize - 1) / bsize - of.dirty_from / bsize;
}

void FfsModel::count_dirty_data(Node& of) {
    const std::uint64_t now = dirty_buffers(of);
    dirty_data_buffers_ += now - of.dirty_buffers;
    of.dirty_buffers = now;
}

std::uint64_t FfsModel::dirty_now() const {
    return rules_.dirty.counts_buffers ? dirty_data_buffers_ + cache_.dirty_count()
                                       : dirty_data_ + cache_.dirty_bytes();
}

// buf_daemon and flushbufqueues of sys/kern/vfs_bio.c: files first, then metadata that can be written whole;
// when that is not enough some of the rest, and again a little later.
void FfsModel::write_oldest() {
    constexpr double pause_s = 0.1;
    constexpr std::uint64_t share = 10;
    if (io_.now_s() < next_flush_s_) return;
    if (soft_) soft_->collect();
    std::vector<Handle> left;
    for (const Handle handle : dirty_nodes_) {
        Node& of = node(handle);
        if (dirty_now() > rules_.dirty.enough) {
            write_overwritten(of);
            if (of.dirty) write_data(of, of.dirty_from, of.size);
        }
        of.listed = of.dirty || !of.overwritten.empty();
        if (of.listed) left.push_back(handle);
    }
    dirty_nodes_ = std::move(left);
    if (dirty_now() > rules_.dirty.enough) write_metadata(false, cache_.dirty_count());
    if (dirty_now() <= rules_.dirty.enough) return;
    write_metadata(true, cache_.dirty_count() / share + 1);
    next_flush_s_ = io_.now_s() + pause_s;
}

void FfsModel::write_metadata(bool held_back_too, std::uint64_t at_most) {
    for (const BufferCache::Dirty& buffer : cache_.dirty()) {
        if (at_most == 0 || dirty_now() <= rules_.dirty.enough) return;
        if (!held_back_too && soft_ && soft_->holds_back(buffer.byte)) continue;
        cache_.write_if_dirty(buffer.byte, false);
        --at_most;
    }
}

// bwillwrite of sys/kern/vfs_bio.c.
void FfsModel::wait_for_buffers() {
    constexpr unsigned most_tries = 16;
    for (unsigned tries = 0; tries < most_tries && dirty_now() > rules_.dirty.most; ++tries) {
        next_flush_s_ = 0;
        write_oldest();
        io_.wait_until_fewer(std::max<std::size_t>(io_.outstanding() / 2, 1), IoPurpose::data);
    }
}

// Writers are held back when memory is full of what waits for the disk.
void FfsModel::limit_dirty_data() {
    const FfsRules::DirtyLimit& limit = rules_.dirty;
    if (limit.start > 0) {
        if (dirty_now() > limit.start) write_oldest();
        if (dirty_now() > limit.most) wait_for_buffers();
        const std::uint64_t most = limit.counts_buffers ? limit.most : limit.most / layout_->geometry().bsize;
        if (io_.outstanding() > most) io_.wait_until_fewer(std::max<std::uint64_t>(most, 1), IoPurpose::data);
        return;
    }
    if (dirty_data_ > rules_.dirty_data_bytes) write_all_data(std::numeric_limits<double>::infinity());
    const std::uint64_t most = std::max<std::uint64_t>(rules_.dirty_data_bytes / rules_.transfers.most, 1);
    if (io_.outstanding() > most) io_.wait_until_fewer(most, IoPurpose::data);
}

void FfsModel::fsync(Handle file) {
    if (failure_) return;
    background();
    Node& of = node(file);
    visit(of);
    write_overwritten(of);
    if (of.dirty) write_data(of, of.dirty_from, of.size);
    for (const std::uint64_t request : of.writing) io_.wait(request, IoPurpose::data);
    of.writing.clear();
    if (log_) {
        log_->flush();
        return;
    }
    if (soft_) {
        soft_fsync(of);
        return;
    }
    for (const auto* list : {&of.upper, &of.pointers})
        for (const std::uint64_t place : *list) cache_.write_if_dirty(byte_of(place), true);
    // A directory's inode is in its buffer since the entry was made, and is not looked for there.
    if (of.directory) return;
    const FfsGeometry& fs = layout_->geometry();
    cache_.write_if_dirty(byte_of(fs.inode_block(of.inode)), true);
}

}  // namespace diskwright
