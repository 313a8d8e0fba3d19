// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disk_model.hpp"

#include <algorithm>

namespace diskwright {
DiskModel::DiskModel(const DriveParameters& drive)
    : drive_(drive),
      mechanics_(drive_),
      buffer_(drive_.buffer),
      reader_(mechanics_),
      queue_(drive_.order, mechanics_) {}

double DiskModel::arrival_s() const {
    const bool arrives = !host_.empty() && in_drive_ < drive_.queue_depth;
    return arrives ? std::max(host_.front().arrival_s, slot_free_s_) : never;
}

double DiskModel::next_event_s() const {
    return std::min({arrival_s(), arm_event_s(), done_.next_s()});
}

std::optional<DriveCompletion> DiskModel::next(double until_s) {
    for (;;) {
        const double event_s = next_event_s();
        if (event_s == never || event_s > until_s) return std::nullopt;
        if (done_.next_s() == event_s) {
            const DriveCompletion completion = done_.pop();
            --in_drive_;
            slot_free_s_ = completion.done_s;
            return completion;
        }
        if (destaging_ && arm_event_s() == event_s) {
            finish_destaging();
        } else if (arrival_s() == event_s) {
            const DriveRequest request = host_.front();
            host_.pop_front();
            ++in_drive_;
            arrive(request, event_s + over(drive_.overheads.request));
        } else {
            serve_next(event_s);
        }
    }
}

void DiskModel::complete(const DriveRequest& request, double done_s) {
    done_.push({request.id, request.arrival_s, done_s});
    if (request.operation == DriveOperation::flush) return;
    last_was_write_ = request.operation == DriveOperation::write;
    ++(last_was_write_ ? counters_.writes : counters_.reads);
    (last_was_write_ ? counters_.blocks_written : counters_.blocks_read) += request.blocks;
}

void DiskModel::arrive(const DriveRequest& request, double at_s) {
    if (request.operation == DriveOperation::flush) return flush(request, at_s);
    const bool write = request.operation == DriveOperation::write;
    const bool fast = drive_.buffer.fast_write != FastWrite::none && !request.through;
    QueuedRequest queued{request, at_s, at_s, false, 0};
    if (write && fast && drive_.buffer.write_prebuffering) {
        if (!reads_now(at_s)) return arrive_at_buffer(request, at_s);
        return queue_.add(queued);
    }
    if (may_begin(at_s) && !destaging_)
        return write ? serve_write(queued, at_s, false) : serve_read(queued, at_s, false);
    if (write && fast && appendable_ && queue_.empty() && request.block == append_at_ &&
        request.blocks <= append_room_)
        return append(request, at_s);
    if (!write && buffered_hit(request, at_s)) return;
    const DriveOverheads& overheads = drive_.overheads;
    if (overheads.one_at_a_time) return queue_.add(queued);
    queued.ready_s += over(!write ? overheads.read_miss : fast ? overheads.write_hit : overheads.write_miss);
    queued.bus_ready_s =
        queued.ready_s + (write ? over(overheads.write_disconnect) : over(overheads.read_disconnect));
    queue_.add(queued);
}

// A hit that passes by what the arm does.
bool DiskModel::buffered_hit(const DriveRequest& request, double at_s) {
    const std::uint64_t end = request.block + request.blocks;
    if (!drive_.buffer.sneaky_full_hits) return false;
    const bool being_read = ahead_segment_ != DiskBuffer::nobody && at_s < hda_free_s_ &&
                            buffer_[ahead_segment_].start <= request.block &&
                            request.block < buffer_[ahead_segment_].end;
    if (being_read || !(buffer_.holds(request.block, end) || holds_written(request.block, end))) return false;
    const double begin_s =
        std::max(taken_s(at_s) + over(drive_.overheads.read_hit) + over(drive_.overheads.data_preparation),
                 link_free_s_);
    link_free_s_ = begin_s + request.blocks * drive_.bus.read_block_s;
    counters_.blocks_from_buffer += request.blocks;
    complete(request, link_free_s_ + over(drive_.overheads.read_done));
    return true;
}

bool DiskModel::holds_written(std::uint64_t block, std::uint64_t end) const {
    if (!drive_.buffer.read_hits_on_writes) return false;
    for (const QueuedRequest& queued : queue_.waiting())
        if (queued.extent && queued.request.block <= block &&
            end <= queued.request.block + queued.request.blocks)
            return true;
    return false;
}

// A read has the drive, or waits for it: whoever comes then waits, too.
bool DiskModel::reads_now(double at_s) const {
    if (!drive_.overheads.one_at_a_time) return false;
    return waiting_requests() > 0 || (serves_read_ && hda_free_s_ >= at_s - same_instant_s);
}

// Of the writes that wait for the drive to take them, the one that came first: they need no arm.
std::size_t DiskModel::first_to_take() const {
    std::size_t best = queue_.size();
    if (!drive_.buffer.write_prebuffering) return best;
    for (std::size_t i = 0; i < queue_.size(); ++i)
        if (!queue_.waiting()[i].extent && queue_.waiting()[i].request.operation == DriveOperation::write &&
            !queue_.waiting()[i].request.through &&
            (best == queue_.size() || queue_.waiting()[i].order < queue_.waiting()[best].order))
            best = i;
    return best;
}

// What waits in the buffer of the blocks of a read goes down before it: such a drive reads from the medium
// alone.
std::size_t DiskModel::written_first(std::size_t index) const {
    const QueuedRequest& read = queue_.waiting()[index];
    if (read.extent || read.request.operation != DriveOperation::read) return index;
    const std::uint64_t end = read.request.block + read.request.blocks;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const QueuedRequest& other = queue_.waiting()[i];
        if (other.extent && other.request.block < end &&
            read.request.block < other.request.block + other.request.blocks)
            return i;
    }
    return index;
}

void DiskModel::take_into_buffer(const DriveRequest& request, double at_s) {
    arrive_at_buffer(request, at_s);
    hda_free_s_ = std::max(at_s, link_free_s_);
}

void DiskModel::serve_next(double at_s) {
    serves_read_ = false;
    read_on(at_s);
    RequestQueue::Wanted wanted;
    // Who reads waits for somebody; what is written waits until the buffer fills, or nobody reads. Drives
    // that take one command at a time were not seen to prefer either.
    wanted.extents = drive_.overheads.one_at_a_time || waiting_requests() == 0 || !flushes_.empty() ||
                     2 * extents_ >= drive_.buffer.write_segments;
    if (!flushes_.empty()) wanted.extents_up_to = flushes_.front().block;
    std::size_t index = drive_.overheads.one_at_a_time ? first_to_take() : queue_.size();
    // What goes on with the read-ahead needs no choice.
    if (index == queue_.size() && ahead_segment_ != DiskBuffer::nobody &&
        drive_.order == QueueOrder::shortest_positioning)
        index = queue_.read_within(buffer_[ahead_segment_].start, reader_.next());
    if (index == queue_.size()) index = queue_.choose(at_s, wanted);
    if (index == queue_.size()) index = queue_.choose(at_s, {});
    if (!drive_.buffer.read_hits_on_writes) index = written_first(index);
    const QueuedRequest queued = queue_.take(index);
    if (queued.extent)
        destage(queued, at_s);
    else if (queued.request.operation == DriveOperation::write && drive_.buffer.write_prebuffering &&
             !queued.request.through)
        take_into_buffer(queued.request, at_s);
    else if (queued.request.operation == DriveOperation::write)
        serve_write(queued, at_s, true);
    else
        serve_read(queued, at_s, true);
}

std::uint64_t DiskModel::mark(double fraction, std::uint64_t blocks) const {
    const auto of =
        static_cast<double>(drive_.buffer.marks_of_request ? std::min(blocks, drive_.buffer.segment_blocks)
                                                           : drive_.buffer.segment_blocks);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(of * fraction), 1, blocks);
}

}  // namespace diskwright
