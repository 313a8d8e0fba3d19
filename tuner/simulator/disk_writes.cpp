// SPDX-License-Identifier: BSD-2-Clause
// Writes of the disk model: to the medium, to the buffer and from there, flushes.
#include <algorithm>

#include "tuner/simulator/disk_model.hpp"

namespace diskwright {

// A drive with larger sectors than it admits reads those that a write does not cover whole; the write goes
// down a turn later.
MediaWrite DiskModel::put_down(std::uint64_t block, std::uint32_t blocks, double from_s, double least_s,
                               const BufferFilling& filling) {
    const std::uint64_t sector = drive_.physical_blocks, end = block + blocks;
    // Where the sector of a block begins; the first one of the disk may be cut short.
    const auto begin_of = [&](std::uint64_t at) {
        const std::uint64_t shift = drive_.physical_first;
        return at < shift ? 0 : (at - shift) / sector * sector + shift;
    };
    const auto end_of = [&](std::uint64_t at) {
        const std::uint64_t begun = begin_of(at);
        return at <= begun ? begun : at < drive_.physical_first ? drive_.physical_first : begun + sector;
    };
    const std::uint64_t first = begin_of(block);
    const std::uint64_t last = std::min<std::uint64_t>(end_of(end), mechanics_.geometry().blocks());
    BufferFilling whole = filling;
    double arm_s = from_s;
    const bool known = (first == block || buffer_.holds(first, std::min(end_of(first + 1), last))) &&
                       (last == end || buffer_.holds(begin_of(last - 1), last));
    if (first != block || last != end) whole.first_s -= double(block - first) * filling.block_s;
    if (!known) {
        reader_.want(last);
        reader_.begin(first, from_s, false);
        while (!reader_.done()) {
            const auto piece = reader_.take();
            arm_s = piece.start_s + double(piece.in_order) * piece.block_s;
        }
    }
    const MediaWrite written = write_medium(mechanics_, first, last - first, arm_s, least_s, whole,
                                            drive_.buffer.zero_latency_write);
    counters_.busy_s += written.done_s - from_s;
    counters_.seek_s += written.settled_s - arm_s;
    counters_.rotation_s += written.begun_s - written.settled_s + (arm_s - from_s);
    counters_.transfer_s += written.done_s - written.begun_s;
    return written;
}

void DiskModel::serve_write(const QueuedRequest& queued, double at_s, bool waited) {
    const DriveRequest& request = queued.request;
    const DriveOverheads& overheads = drive_.overheads;
    const bool fast = drive_.buffer.fast_write != FastWrite::none && !request.through;
    const std::uint64_t end = request.block + request.blocks;
    read_on(at_s);
    const std::uint32_t index = buffer_.for_write(request.block, end, ahead_segment_);
    BufferSegment& segment = buffer_[index];
    const bool extra = overheads.extra_disconnect && !waited && !drive_.bus.never_disconnects &&
                       buffer_.newest(index) && segment.written && request.block != segment.end;
    const double free_s = stop_reading(at_s);
    reader_.want(reader_.next());

    const double preparation_s = over(overheads.data_preparation);
    const double command_s = over(fast ? overheads.write_hit : overheads.write_miss);
    double arm_s = taken_s(at_s) + command_s, bus_s = arm_s + preparation_s;
    if (waited && overheads.one_at_a_time) {
        arm_s = at_s;
        bus_s = queued.bus_ready_s;
    } else if (waited) {
        arm_s = std::max(at_s, queued.ready_s);
        bus_s = std::max(at_s, queued.bus_ready_s) + over(overheads.first_reselect) + preparation_s;
    } else if (extra) {
        arm_s = at_s + over(overheads.extra_command) + over(overheads.extra_seek);
        bus_s = at_s + over(overheads.extra_command) + over(overheads.extra_disconnect_s) +
                overheads.extra_between + over(overheads.first_reselect) + preparation_s;
    }
    BufferFilling filling{bus_s + drive_.bus.write_block_s, drive_.bus.write_block_s, 0};
    // While it waited its data began to be fetched: the arm goes on at once, or it would lose a turn.
    if (waited && overheads.one_at_a_time) filling.first_s = bus_s;
    // Such a drive was seen to gather some blocks first (disksim_diskcache.c, disk_buffer_block_available).
    if (overheads.extra_disconnect)
        filling.least_blocks = request.blocks < 45 ? std::min<std::uint64_t>(request.blocks, 10) : 15;
    const MediaWrite written =
        put_down(request.block, request.blocks, std::max(arm_s, free_s), overheads.least_seek, filling);
    segment.start = segment.end = request.block;
    segment.written = true;
    segment.ahead_end = 0;
    buffer_.extend(segment, end);
    buffer_.use(index);

    const double transferred_s = bus_s + request.blocks * drive_.bus.write_block_s;
    if (fast) {
        const double completed_s = transferred_s + over(overheads.write_done);
        hda_free_s_ = std::max(written.done_s, completed_s);
        destaging_ = true;
        ++extents_;
        dirty_blocks_ += destaging_blocks_ = request.blocks;
        appendable_ = drive_.buffer.combines_writes;
        append_at_ = end;
        append_room_ = drive_.buffer.segment_blocks -
                       std::min<std::uint64_t>(drive_.buffer.segment_blocks, request.blocks);
        return complete(request, completed_s);
    }
    const double left_s = transferred_s + over(extra ? overheads.extra_second : overheads.write_disconnect);
    const double reselect_s = over(extra ? overheads.other_reselect : overheads.first_reselect);
    const double completed_s = std::max(left_s, written.done_s) + reselect_s + over(overheads.write_done);
    hda_free_s_ = drive_.buffer.preseek == 2 ? std::max(at_s, written.done_s) : completed_s;
    counters_.media_written += request.blocks;
    complete(request, completed_s);
}

// Follows what is going down from the same segment.
void DiskModel::append(const DriveRequest& request, double at_s) {
    const double bus_s = at_s + over(drive_.overheads.write_hit) + over(drive_.overheads.data_preparation);
    const BufferFilling filling{bus_s + drive_.bus.write_block_s, drive_.bus.write_block_s, 0};
    const MediaWrite written = put_down(request.block, request.blocks, hda_free_s_, 0, filling);
    hda_free_s_ = std::max(hda_free_s_, written.done_s);
    destaging_blocks_ += request.blocks;
    dirty_blocks_ += request.blocks;
    append_at_ += request.blocks;
    append_room_ -= request.blocks;
    buffer_.forget(request.block, append_at_, DiskBuffer::nobody);
    complete(request, bus_s + request.blocks * drive_.bus.write_block_s + over(drive_.overheads.write_done));
}

// A request larger than all of it passes through an empty one.
bool DiskModel::room_for(const DriveRequest& request) const {
    return extents_ == 0 || (extents_ < drive_.buffer.write_segments &&
                             dirty_blocks_ + request.blocks <= drive_.buffer.write_blocks);
}

void DiskModel::arrive_at_buffer(const DriveRequest& request, double at_s) {
    if (!room_for(request)) return full_buffer_.push_back(request);
    const std::uint64_t end = request.block + request.blocks;
    const double bus_s =
        std::max(taken_s(at_s) + over(drive_.overheads.write_hit) + over(drive_.overheads.data_preparation),
                 link_free_s_);
    link_free_s_ = bus_s + request.blocks * drive_.bus.write_block_s;
    complete(request, link_free_s_ + over(drive_.overheads.write_done));
    read_on(at_s);
    // What is being read of these blocks, or will be, is not what they hold from now on.
    const bool overtakes = ahead_segment_ != DiskBuffer::nobody && request.block < reader_.end() &&
                           buffer_[ahead_segment_].start < end;
    const std::uint32_t index = buffer_.for_write(request.block, end, ahead_segment_);
    if (overtakes || index == ahead_segment_) {
        hda_free_s_ = std::max(hda_free_s_, stop_reading(at_s));
        reader_.want(reader_.next());
    }
    buffer_[index] = {request.block, request.block, 0, true};
    buffer_.extend(buffer_[index], end);
    buffer_.use(index);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        QueuedRequest& other = queue_[i];
        if (!other.extent) continue;
        const std::uint64_t other_end = other.request.block + other.request.blocks;
        if (other.request.block <= request.block && end <= other_end) {
            counters_.overwritten_in_buffer += request.blocks;
            return;
        }
        if (drive_.buffer.combines_writes && request.block == other_end &&
            end - other.request.block <= drive_.buffer.segment_blocks) {
            other.request.blocks += request.blocks;
            dirty_blocks_ += request.blocks;
            return;
        }
    }
    QueuedRequest extent{request, link_free_s_, link_free_s_, true, 0};
    queue_.add(extent);
    ++extents_;
    dirty_blocks_ += request.blocks;
    if (hda_free_s_ < at_s) hda_free_s_ = at_s;
}

void DiskModel::destage(const QueuedRequest& queued, double at_s) {
    double arm_s = std::max({at_s, queued.ready_s, stop_reading(at_s)});
    reader_.want(reader_.next());
    const MediaWrite written = put_down(queued.request.block, queued.request.blocks, arm_s, 0, {arm_s, 0, 0});
    hda_free_s_ = written.done_s;
    destaging_ = true;
    appendable_ = false;
    destaging_blocks_ = queued.request.blocks;
    destaging_from_ = queued.request.block;
}

// Reads that waited for what just went down.
void DiskModel::answer_from_written() {
    const std::uint64_t end = destaging_from_ + destaging_blocks_;
    for (std::size_t i = 0; i < queue_.size();) {
        const QueuedRequest& queued = queue_.waiting()[i];
        const DriveRequest request = queued.request;
        if (queued.extent || request.operation != DriveOperation::read || request.block < destaging_from_ ||
            request.block + request.blocks > end) {
            ++i;
            continue;
        }
        queue_.take(i);
        link_free_s_ =
            taken_s(hda_free_s_) + over(drive_.overheads.read_hit) + request.blocks * drive_.bus.read_block_s;
        hda_free_s_ = link_free_s_;
        counters_.blocks_from_buffer += request.blocks;
        complete(request, link_free_s_);
    }
}

void DiskModel::finish_destaging() {
    destaging_ = appendable_ = false;
    --extents_;
    dirty_blocks_ -= destaging_blocks_;
    counters_.media_written += destaging_blocks_;
    if (!drive_.buffer.read_hits_on_writes && drive_.buffer.write_prebuffering) answer_from_written();
    destaging_blocks_ = 0;
    while (!full_buffer_.empty() && room_for(full_buffer_.front())) {
        const DriveRequest request = full_buffer_.front();
        full_buffer_.pop_front();
        arrive_at_buffer(request, hda_free_s_);
    }
    for (std::size_t i = 0; i < flushes_.size();) {
        const auto before = [&](const QueuedRequest& queued) {
            return queued.extent && queued.order <= flushes_[i].block;
        };
        if (std::any_of(queue_.waiting().begin(), queue_.waiting().end(), before)) {
            ++i;
            continue;
        }
        complete(flushes_[i],
                 std::max(hda_free_s_, flushes_[i].arrival_s) + over(drive_.overheads.write_done));
        flushes_.erase(flushes_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void DiskModel::flush(const DriveRequest& request, double at_s) {
    ++counters_.flushes;
    if (dirty_blocks_ == 0 || drive_.ignores_flush)
        return complete(request, at_s + over(drive_.overheads.write_hit) + over(drive_.overheads.write_done));
    DriveRequest waiting = request;
    waiting.block = queue_.last_order();
    flushes_.push_back(waiting);
}

}  // namespace diskwright
