// SPDX-License-Identifier: BSD-2-Clause
// Reads of the disk model: hits, misses, reading ahead.
#include <algorithm>

#include "tuner/simulator/disk_model.hpp"

namespace diskwright {
namespace {

// A transfer to the host: it begins at begin_s and goes on whenever the next block is there.
struct HostTransfer {
    std::uint64_t blocks, had, mark;  // of the request; in the buffer beforehand; enough to begin
    double block_s;
    double marked_s = 0, media_s = 0, done_s = 0;

    void add(std::uint64_t index, const MediaReader::Piece& piece) {
        const auto there_s = [&](std::uint64_t i) {
            return piece.start_s + double(std::min(i + 1, piece.in_order)) * piece.block_s;
        };
        const auto not_before = [&](std::uint64_t i) {
            done_s = std::max(done_s, there_s(i) + double(blocks - index - i) * block_s);
        };
        not_before(0);
        not_before(piece.in_order - 1);
        not_before(piece.blocks - 1);
        if (mark > index && mark <= index + piece.blocks) marked_s = there_s(mark - index - 1);
        media_s = there_s(piece.blocks - 1);
    }
};

}  // namespace

// How far the drive reads on after a request, with a segment that begins at held_from.
std::uint64_t DiskModel::ahead_end(const DriveRequest& request, std::uint64_t held_from) const {
    const DriveBuffer& buffer = drive_.buffer;
    const DiskGeometry& geometry = mechanics_.geometry();
    const std::uint64_t end = request.block + request.blocks;
    if (buffer.read_ahead == ReadAhead::none || end >= geometry.blocks()) return end;
    if (buffer.read_ahead == ReadAhead::next_track) {
        const TrackBlocks track = geometry.track_of(end);
        if (held_from >= track.first || track.end >= geometry.blocks()) return track.end;
        return geometry.track_of(track.end).end;
    }
    std::uint64_t ahead = end + buffer.segment_blocks;
    if (buffer.most_read_ahead > 0)
        ahead = end + buffer.most_read_ahead;
    else if (!buffer.read_ahead_over_requested)
        ahead = std::max(end, request.block + buffer.segment_blocks);
    if (buffer.read_ahead == ReadAhead::segment_end) return ahead;
    std::uint64_t last = geometry.track_of(end - 1).end;
    if (buffer.read_ahead == ReadAhead::cylinder_end) {
        const std::uint32_t cylinder = geometry.run_at(end - 1).cylinder;
        while (last < std::min(ahead, geometry.blocks()) && geometry.run_at(last).cylinder == cylinder)
            last = geometry.track_of(last).end;
    }
    return std::min(ahead, last);
}

void DiskModel::read_on(double at_s) {
    if (ahead_segment_ == DiskBuffer::nobody) return;
    reader_.advance(at_s);
    buffer_.extend(buffer_[ahead_segment_], reader_.next());
}

// A drive that stays on the track or cylinder does not go there to read ahead.
bool DiskModel::reads_on_from(std::uint64_t block) const {
    const BlockRun run = mechanics_.geometry().run_at(block);
    if (drive_.buffer.read_ahead == ReadAhead::track_end)
        return run.cylinder == mechanics_.cylinder() && run.head == mechanics_.head();
    return drive_.buffer.read_ahead != ReadAhead::cylinder_end || run.cylinder == mechanics_.cylinder();
}

// When the arm is free of reading ahead.
double DiskModel::stop_reading(double at_s) {
    if (ahead_segment_ == DiskBuffer::nobody) return at_s;
    ahead_segment_ = DiskBuffer::nobody;
    return reader_.stopped_s(at_s, drive_.buffer.stops_in_sector);
}

void DiskModel::serve_read(const QueuedRequest& queued, double at_s, bool waited) {
    const DriveRequest& request = queued.request;
    const DriveOverheads& overheads = drive_.overheads;
    const std::uint64_t end = request.block + request.blocks;
    read_on(at_s);
    BufferChoice choice = buffer_.for_read(request.block, end, ahead_segment_);
    if (drive_.buffer.almost_read_hits && choice.hit == BufferHit::none &&
        ahead_segment_ != DiskBuffer::nobody && !reader_.done() && reader_.next() == request.block)
        choice = {BufferHit::part, ahead_segment_};
    BufferSegment& segment = buffer_[choice.segment];
    const bool goes_on = choice.hit != BufferHit::none && choice.segment == ahead_segment_ && !reader_.done();
    double arm_s = waited ? std::max(at_s, queued.ready_s) : at_s + over(overheads.read_miss);
    if (!goes_on) arm_s = std::max(arm_s, stop_reading(at_s));
    if (choice.hit == BufferHit::none) {
        segment.start = segment.end = request.block;
        segment.ahead_end = 0;
        segment.written = false;
    }
    segment.ahead_end = std::max(segment.ahead_end, ahead_end(request, segment.start));

    HostTransfer transfer{request.blocks, choice.hit == BufferHit::none ? 0 : segment.end - request.block,
                          mark(drive_.buffer.high_mark, request.blocks), drive_.bus.read_block_s};
    transfer.had = std::min<std::uint64_t>(transfer.had, request.blocks);
    transfer.media_s = at_s;
    counters_.blocks_from_buffer += transfer.had;
    const bool from_medium = transfer.had < request.blocks;
    if (from_medium) {
        reader_.want(end);
        if (!goes_on) {
            reader_.begin(request.block + transfer.had, arm_s, drive_.buffer.zero_latency_read);
            const Landing& landing = reader_.landing();
            counters_.seek_s += landing.on_track_s - arm_s;
            counters_.rotation_s += landing.start_s - landing.on_track_s;
            if (drive_.buffer.reads_free_blocks && choice.hit == BufferHit::none) {
                const double passed = (landing.start_s - landing.on_track_s) / mechanics_.block_s(landing.run);
                const std::uint64_t on_track = request.block - mechanics_.geometry().track_of(request.block).first;
                segment.start -= std::min({static_cast<std::uint64_t>(passed), on_track, drive_.buffer.segment_blocks});
            }
        }
        for (std::uint64_t index = transfer.had; index < request.blocks;) {
            const auto piece = reader_.take();
            transfer.add(index, piece);
            counters_.transfer_s += double(piece.in_order) * piece.block_s;
            index += piece.blocks;
        }
        counters_.busy_s += transfer.media_s - arm_s;
        buffer_.extend(segment, end);
    } else if (!goes_on && drive_.buffer.read_ahead_on_hit && segment.end < segment.ahead_end &&
               reads_on_from(segment.end)) {
        reader_.want(segment.ahead_end);
        reader_.begin(segment.end, arm_s, drive_.buffer.zero_latency_read);
    } else if (!goes_on) {
        reader_.want(reader_.next());
    }
    buffer_.use(choice.segment);

    const double preparation_s = over(overheads.data_preparation);
    const bool enough = transfer.had > 0 && (drive_.buffer.partial_hit_at_once || transfer.had >= transfer.mark);
    double bus_s = 0;
    if (waited) {
        bus_s = std::max({at_s, queued.bus_ready_s, enough ? 0 : transfer.marked_s}) +
                over(overheads.first_reselect) + preparation_s;
    } else if (enough) {
        bus_s = at_s + over(overheads.read_hit) + preparation_s;
    } else if (drive_.bus.never_disconnects) {
        bus_s = at_s + over(overheads.read_miss) + preparation_s;
    } else {
        const double disconnected_s = at_s + over(overheads.read_miss) + over(overheads.read_disconnect);
        bus_s = std::max(disconnected_s, transfer.marked_s) + over(overheads.first_reselect) + preparation_s;
    }
    double done_s = std::max(transfer.done_s, bus_s + double(request.blocks) * transfer.block_s);
    // A bus that is faster than the medium was left in between, and is taken again for the last of it.
    const bool leaves_bus = !drive_.bus.holds_for_read && !drive_.bus.never_disconnects;
    if (from_medium && leaves_bus)
        done_s = std::max(done_s, transfer.media_s + over(overheads.first_reselect) + preparation_s + transfer.block_s);

    if (reader_.next() < std::max(segment.ahead_end, reader_.end()) && (from_medium || goes_on))
        reader_.want(std::max(segment.ahead_end, reader_.end()));
    ahead_segment_ = reader_.done() ? DiskBuffer::nobody : choice.segment;
    const double completed_s = done_s + over(overheads.read_done);
    hda_free_s_ = drive_.buffer.preseek == 0   ? completed_s
                  : drive_.buffer.preseek == 1 ? done_s
                                               : std::max(at_s, transfer.media_s);
    if (from_medium && drive_.buffer.least_read_ahead > 0)
        hda_free_s_ = std::max(hda_free_s_, transfer.media_s + double(drive_.buffer.least_read_ahead) *
                                                                   mechanics_.block_s(reader_.landing().run));
    complete(request, completed_s);
}

}  // namespace diskwright
