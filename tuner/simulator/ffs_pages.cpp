// SPDX-License-Identifier: BSD-2-Clause
// Pages of files in memory: what is read for them and ahead of them (sys/uvm/uvm_readahead.c, genfs_getpages
// of sys/miscfs/genfs/genfs_io.c), and what is overwritten there, to be written later (WRITE of
// sys/ufs/ufs/ufs_readwrite.c).
#include <algorithm>

#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/ffs_node.hpp"

namespace diskwright {

void FfsModel::to_be_written(Node& of) {
    if (of.listed) return;
    of.listed = true;
    of.dirty_since_s = io_.now_s();
    dirty_nodes_.push_back(of.self);
}

// In whole pages.
void FfsModel::overwrite(Node& of, std::uint64_t from, std::uint64_t to) {
    from = from / PageCache::page_bytes * PageCache::page_bytes;
    to = std::min((to + PageCache::page_bytes - 1) / PageCache::page_bytes * PageCache::page_bytes,
                  of.dirty ? of.dirty_from : of.size);
    if (from >= to) return;
    dirty_data_ += of.overwritten.add(from, to);
    to_be_written(of);
    count_dirty_data(of);
}

void FfsModel::forget_overwritten(Node& of) {
    dirty_data_ -= std::min(dirty_data_, of.overwritten.total());
    of.overwritten.clear();
    count_dirty_data(of);
}

void FfsModel::write_overwritten(Node& of) {
    for (const auto& [from, to] : of.overwritten.stretches()) send(of, from, std::min(to, of.size));
    forget_overwritten(of);
}

// A page that is overwritten in part only is read first.
void FfsModel::write(Handle file, std::uint64_t from, std::uint64_t bytes) {
    if (failure_ || bytes == 0) return;
    begin();
    Node& of = node(file);
    visit(of);
    const std::uint64_t end = std::min(from + bytes, of.size);
    if (from < end) {
        for (const std::uint64_t edge : {from, end})
            if (edge % PageCache::page_bytes != 0 && edge < of.size) {
                const std::uint64_t page = edge / PageCache::page_bytes * PageCache::page_bytes;
                read_around(of, page, std::min(page + PageCache::page_bytes, of.size));
            }
        overwrite(of, from, end);
        pages_.add(file, from, end);
        if (rules_.synchronous_data) {
            write_overwritten(of);
            for (const std::uint64_t request : of.writing) io_.wait(request, IoPurpose::data);
            of.writing.clear();
        }
        update(of, rules_.synchronous_data ? Order::first : Order::later);
        limit_dirty_data();
    }
    if (from + bytes > of.size) append(file, from + bytes - of.size);
}

// What lies together is asked for in one request, from what was asked for before up to that byte.
void FfsModel::ask_for(Node& of, std::uint64_t end) {
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t most_transfer = rules_.transfers.most;
    const std::uint64_t stored_end = (of.size + fs.fsize - 1) / fs.fsize * fs.fsize;
    while (of.read_ahead < end) {
        const std::uint64_t logical = of.read_ahead / fs.bsize;
        if (logical >= FfsGeometry::direct)
            cache_.read(byte_of(of.pointers[(logical - FfsGeometry::direct) / fs.indirect]), fs.bsize,
                        IoPurpose::pointers);
        const std::uint64_t place = byte_of(of.blocks[logical]) + of.read_ahead % fs.bsize;
        std::uint64_t length = (logical + 1) * fs.bsize - of.read_ahead;
        for (std::uint64_t next = logical + 1;
             length < most_transfer && next < of.blocks.size() && byte_of(of.blocks[next]) == place + length;
             ++next)
            length += std::uint64_t{frags_at(of, next)} * fs.fsize;
        length =
            std::min({length, most_transfer - of.read_ahead % most_transfer, stored_end - of.read_ahead});
        of.reading.push_back({of.read_ahead, of.read_ahead + length,
                              io_.submit(DriveOperation::read, IoPurpose::data, place,
                                         static_cast<std::uint32_t>(length), of.read_ahead < of.read_up_to)});
        of.read_ahead += length;
    }
}

void FfsModel::wait_for_reads(Node& of, std::uint64_t end) {
    while (!of.reading.empty()) {
        const Node::Reading first = of.reading.front();
        of.reading.pop_front();
        io_.wait(first.request, IoPurpose::data);
        pages_.add(of.self, first.from, first.to);
        if (first.to >= end) return;
    }
}

// Not where the last one ended: the whole blocks, nothing ahead of them.
void FfsModel::read_around(Node& of, std::uint64_t from, std::uint64_t to) {
    if (pages_.contains(of.self, from, to)) return;
    const FfsGeometry& fs = layout_->geometry();
    const std::uint64_t end = std::min((to + fs.bsize - 1) / fs.bsize * fs.bsize, of.size);
    of.reading.clear();
    of.read_ahead = from / fs.bsize * fs.bsize;
    ask_for(of, end);
    wait_for_reads(of, end);
}

// Reads of 64 KiB up to the end of the window are under way before they are needed.
void FfsModel::read(Handle file, std::uint64_t from, std::uint64_t bytes) {
    if (failure_) return;
    background();
    Node& of = node(file);
    visit(of);
    const std::uint64_t end = std::min(from + bytes, of.size);
    if (from >= end) return;
    const bool goes_on = from == of.read_up_to || from == 0;
    of.read_up_to = end;
    if (pages_.contains(file, from, end)) return;
    if (!goes_on) {
        read_around(of, from, end);
        return;
    }
    if (of.read_ahead < from || from == 0) {
        of.reading.clear();
        of.read_ahead = from;
    }
    ask_for(of, std::min(end + (from == 0 ? rules_.transfers.most : rules_.transfers.read_ahead), of.size));
    wait_for_reads(of, end);
}

}  // namespace diskwright
