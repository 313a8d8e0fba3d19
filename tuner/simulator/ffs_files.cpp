// SPDX-License-Identifier: BSD-2-Clause
// Blocks of files (sys/ufs/ffs/ffs_balloc.c, ffs_realloccg of ffs_alloc.c) and their data
// (sys/ufs/ufs/ufs_readwrite.c, sys/miscfs/genfs/genfs_io.c, sys/uvm/uvm_readahead.c).
#include <algorithm>

#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/ffs_node.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t most_transfer = 65536;  // MAXPHYS; writes behind are as long

}  // namespace

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
        metadata(byte, Order::later);
    }
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
    const std::uint64_t whole = of.size / most_transfer * most_transfer;
    if (before / most_transfer != of.size / most_transfer) write_data(of, of.dirty_from, whole);
    limit_dirty_data();
}

// What lies together on the disk goes in one request, at most MAXPHYS.
void FfsModel::send(Node& of, std::uint64_t from, std::uint64_t to) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t page = std::max<std::uint64_t>(fs.fsize, 4096);
    std::uint64_t at = from / page * page;
    while (at < to) {
        const std::uint64_t place = byte_of(of.blocks[at / fs.bsize]) + at % fs.bsize;
        std::uint64_t end = at;
        for (std::uint64_t next = at / fs.bsize; end < to && end - at < most_transfer; ++next) {
            if (end > at && byte_of(of.blocks[next]) != place + (end - at)) break;
            const std::uint64_t stored = next * fs.bsize + std::uint64_t{frags_at(of, next)} * fs.fsize;
            end = to < of.size ? std::min(stored, to) : stored;
        }
        const std::uint64_t length = std::min(end - at, most_transfer);
        const auto bytes = static_cast<std::uint32_t>((length + fs.fsize - 1) / fs.fsize * fs.fsize);
        of.writing.push_back(io_.submit(DriveOperation::write, IoPurpose::data, place, bytes));
        data_written_ += bytes;
        at += length;
    }
}

void FfsModel::write_data(Node& of, std::uint64_t from, std::uint64_t to) {
    send(of, from, to);
    const std::uint64_t done = std::min(to, of.size) - std::min(of.dirty_from, to);
    dirty_data_ -= std::min(dirty_data_, done);
    of.dirty_from = to;
    of.dirty = of.size > to;
}

void FfsModel::write_all_data(double older_than_s) {
    std::vector<Handle> left;
    for (const Handle handle : dirty_nodes_) {
        Node& of = node(handle);
        if (of.dirty_since_s <= older_than_s) {
            write_overwritten(of);
            if (of.dirty) write_data(of, of.dirty_from, of.size);
        }
        of.listed = of.dirty || !of.overwritten.empty();
        if (of.listed) left.push_back(handle);
    }
    dirty_nodes_ = std::move(left);
}

// The page daemon holds writers back when memory is full of pages that wait for the disk.
void FfsModel::limit_dirty_data() {
    if (dirty_data_ > rules_.dirty_data_bytes) write_all_data(std::numeric_limits<double>::infinity());
    const std::uint64_t most = std::max<std::uint64_t>(rules_.dirty_data_bytes / most_transfer, 1);
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
    for (const auto* list : {&of.upper, &of.pointers})
        for (const std::uint64_t place : *list) cache_.write_if_dirty(byte_of(place), true);
    // A directory's inode is in its buffer since the entry was made, and is not looked for there.
    if (of.directory) return;
    const FfsGeometry& fs = layout_->geometry();
    cache_.write_if_dirty(byte_of(fs.inode_block(of.inode)), true);
}

}  // namespace diskwright
