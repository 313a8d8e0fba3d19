// SPDX-License-Identifier: BSD-2-Clause
// Data of files in the page cache.
#include <algorithm>
#include <limits>
#include <utility>

#include "tuner/simulator/linux_model.hpp"

namespace diskwright {
namespace {

// MIN_WRITEBACK_PAGES of fs/fs-writeback.c twice: what the flusher writes of a file before the next has its
// turn.
constexpr std::uint64_t turn_bytes = std::uint64_t{8} << 20;
constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void LinuxModel::append(Handle file, std::uint64_t bytes) {
    write(file, nodes_.at(file)->size, bytes);
}

void LinuxModel::write(Handle file, std::uint64_t from, std::uint64_t bytes) {
    if (failure_ || bytes == 0) return;
    background();
    begin();
    Node& of = node(file);
    visit(of);
    read_for_write(of, from, bytes);
    const std::uint64_t first = from / block_bytes_, end = (from + bytes + block_bytes_ - 1) / block_bytes_;
    io_.spend(host_.block_s * static_cast<double>(end - first));
    of.size = std::max(of.size, from + bytes);
    of.changed_since_read = true;
    inode_changed(of);
    if (!delays_allocation() && !place_gaps(of, first, end)) return;
    keep(of, first, end);
    if (logs_data(of, first, end)) return;
    if (of.dirty.empty()) {
        of.dirty_since_s = io_.now_s();
        dirty_files_.push_back({file, of.dirty_since_s});
    }
    dirty_blocks_ += of.dirty.add(first, end);
    limit_dirty_data();
}

// A block that is only partly overwritten is read before.
void LinuxModel::read_for_write(Node& of, std::uint64_t from, std::uint64_t bytes) {
    const auto need = [&](std::uint64_t byte) {
        const std::uint64_t block = byte / block_bytes_;
        if (byte % block_bytes_ == 0 || byte >= of.size || of.cached.covers(block, block + 1)) return;
        read_blocks(of, block, block + 1, true);
        for (const auto& [start, request] : of.reading) io_.wait(request, IoPurpose::data);
        of.reading.clear();
    };
    if (from < of.size) need(from);
    need(from + bytes);
}

void LinuxModel::keep(Node& of, std::uint64_t first, std::uint64_t end) {
    if (of.cached.empty()) cached_nodes_.push_back(of.self);
    cached_blocks_ += of.cached.add(first, end);
    while (cached_blocks_ * block_bytes_ > host_.ram_bytes && cached_nodes_.size() > 1) {
        Node& oldest = node(cached_nodes_.front());
        cached_nodes_.pop_front();
        cached_blocks_ -= oldest.cached.total();
        oldest.cached.clear();
    }
}

void LinuxModel::write_stretch(Node& of, std::uint64_t first, std::uint64_t end, WritePlug& plug) {
    while (first < end) {
        const Node::Extent* extent = of.extent_of(first);
        if (!extent) {
            fail("a dirty block has no place");
            return;
        }
        const std::uint64_t into = first - extent->logical,
                            some = std::min(extent->blocks - into, end - first);
        plug.add((extent->place + into) * block_bytes_, some * block_bytes_, IoPurpose::data, &of.writing);
        data_written_ += some * block_bytes_;
        first += some;
    }
}

// Blocks that have no place yet get one.
bool LinuxModel::place_gaps(Node& of, std::uint64_t first, std::uint64_t end) {
    while (first < end) {
        if (const Node::Extent* extent = of.extent_of(first)) {
            first = extent->logical + extent->blocks;
            continue;
        }
        std::uint64_t gap_end = first + 1;
        while (gap_end < end && !of.extent_of(gap_end)) ++gap_end;
        if (!allocate(of, first, gap_end - first)) return false;
        first = gap_end;
    }
    return true;
}

void LinuxModel::write_data(Node& of, std::uint64_t most_blocks, WritePlug& plug) {
    while (!of.dirty.empty() && most_blocks > 0 && !failure_) {
        const auto [first, stretch_end] = *of.dirty.stretches().begin();
        if (delays_allocation() && !place_gaps(of, first, stretch_end)) return;
        const std::uint64_t end = first + std::min(most_blocks, stretch_end - first);
        write_stretch(of, first, end, plug);
        dirty_blocks_ -= of.dirty.remove(first, end);
        most_blocks -= end - first;
    }
    data_submitted(of);
}

// The files take turns; those written whole leave the list.
void LinuxModel::write_all_data(double changed_by_s) {
    WritePlug plug(io_);
    for (std::size_t left = dirty_files_.size(); left > 0 && !failure_; --left) {
        const DirtyFile next = dirty_files_.front();
        dirty_files_.pop_front();
        if (was_written(next)) continue;
        if (next.since_s <= changed_by_s)
            write_data(node(next.file), all, plug);
        else
            dirty_files_.push_back(next);
    }
    plug.finish();
}

// balance_dirty_pages: the flusher begins above the lower bound; a writer waits above the upper one.
void LinuxModel::limit_dirty_data() {
    WritePlug plug(io_);
    while (dirty_blocks_ * block_bytes_ > host_.dirty_background_bytes && !dirty_files_.empty() &&
           !failure_) {
        const DirtyFile& oldest = dirty_files_.front();
        if (!was_written(oldest)) {
            Node& of = node(oldest.file);
            write_data(of, turn_bytes / block_bytes_, plug);
            if (!of.dirty.empty()) break;
        }
        dirty_files_.pop_front();
    }
    plug.finish();
    const std::uint64_t room = host_.dirty_bytes - std::min(host_.dirty_bytes, host_.dirty_background_bytes);
    const std::uint64_t most = std::max<std::uint64_t>(room / WritePlug::most_data_bytes, 2);
    if (io_.outstanding() > most) io_.wait_until_fewer(most, IoPurpose::data);
}

void LinuxModel::read_blocks(Node& of, std::uint64_t first, std::uint64_t end, bool waited) {
    const std::uint64_t most = std::min(host_.read_ahead_bytes, WritePlug::most_data_bytes) / block_bytes_;
    while (first < end) {
        if (of.cached.covers(first, first + 1)) {
            ++first;
            continue;
        }
        const Node::Extent* extent = of.extent_of(first);
        if (!extent) return;
        const std::uint64_t into = first - extent->logical;
        const std::uint64_t some =
            std::min({extent->blocks - into, end - first, std::max<std::uint64_t>(most, 1)});
        of.reading.emplace_back(
            first * block_bytes_,
            io_.submit(DriveOperation::read, IoPurpose::data, (extent->place + into) * block_bytes_,
                       static_cast<std::uint32_t>(some * block_bytes_), waited));
        keep(of, first, first + some);
        first += some;
    }
}

// page_cache_sync_ra and page_cache_async_ra, from the start of a file or where the last read ended: a window
// is asked for when the one before it is entered. A read from anywhere else asks for its own blocks.
void LinuxModel::read(Handle file, std::uint64_t from, std::uint64_t bytes) {
    if (failure_) return;
    background();
    Node& of = node(file);
    visit(of);
    const std::uint64_t end = std::min(from + bytes, of.size);
    if (from >= end) return;
    io_.spend(host_.block_s * static_cast<double>((end - from + block_bytes_ - 1) / block_bytes_));
    if (std::exchange(of.changed_since_read, false)) {
        begin();
        inode_changed(of);
    }
    const auto blocks = [&](std::uint64_t up_to) { return (up_to + block_bytes_ - 1) / block_bytes_; };
    if (from == 0 || from == of.read_next) {
        if (from == 0) of.read_ahead = 0;
        const std::uint64_t window = host_.read_ahead_bytes;
        while (of.read_ahead < of.size && of.read_ahead < (end - 1) / window * window + 2 * window) {
            const std::uint64_t up_to = std::min(of.size, (of.read_ahead / window + 1) * window);
            read_blocks(of, of.read_ahead / block_bytes_, blocks(up_to), of.read_ahead < end);
            of.read_ahead = up_to;
        }
    } else {
        read_blocks(of, from / block_bytes_, blocks(end), true);
        of.read_ahead = blocks(end) * block_bytes_;
    }
    of.read_next = end;
    std::erase_if(of.reading, [&](const auto& each) {
        if (each.first >= end) return false;
        io_.wait(each.second, IoPurpose::data);
        return true;
    });
}

}  // namespace diskwright
