// SPDX-License-Identifier: BSD-2-Clause
// Reads of the disk model: hits, misses, reading ahead.
#include <algorithm>

#include "tuner/simulator/disk_model.hpp"

namespace diskwright {

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

// What the buffer has of a request, and when the arm is free for the rest.
DiskModel::ReadService DiskModel::look_up(const QueuedRequest& queued, double at_s, bool waited) {
    const DriveRequest& request = queued.request;
    read_on(at_s);
    BufferChoice choice = buffer_.for_read(request.block, request.block + request.blocks, ahead_segment_);
    if (drive_.buffer.almost_read_hits && choice.hit == BufferHit::none &&
        ahead_segment_ != DiskBuffer::nobody && !reader_.done() && reader_.next() == request.block)
        choice = {BufferHit::part, ahead_segment_};
    ReadService service{queued, at_s, 0, waited, false, choice, {}};
    service.goes_on = choice.hit != BufferHit::none && choice.segment == ahead_segment_ && !reader_.done();
    service.arm_s =
        waited ? std::max(at_s, queued.ready_s) : taken_s(at_s) + over(drive_.overheads.read_miss);
    if (!service.goes_on) service.arm_s = std::max(service.arm_s, stop_reading(at_s));

    BufferSegment& segment = buffer_[choice.segment];
    if (choice.hit == BufferHit::none) segment = {request.block, request.block, 0, false};
    segment.ahead_end = std::max(segment.ahead_end, ahead_end(request, segment.start));
    service.transfer.blocks = request.blocks;
    service.transfer.had = std::min<std::uint64_t>(segment.end - request.block, request.blocks);
    service.transfer.mark = mark(drive_.buffer.high_mark, request.blocks);
    service.transfer.block_s = drive_.bus.read_block_s;
    service.transfer.media_s = at_s;
    counters_.blocks_from_buffer += service.transfer.had;
    buffer_.use(choice.segment);
    return service;
}

// The arm goes to the first block that is missing.
void DiskModel::begin_fetch(const ReadService& service) {
    const DriveRequest& request = service.queued.request;
    reader_.begin(request.block + service.transfer.had, service.arm_s, drive_.buffer.zero_latency_read);
    const Landing& landing = reader_.landing();
    const double rotation_s = landing.start_s - landing.on_track_s;
    counters_.seek_s += landing.on_track_s - service.arm_s;
    counters_.rotation_s += rotation_s;
    if (!drive_.buffer.reads_free_blocks || service.choice.hit != BufferHit::none) return;
    const auto passed = static_cast<std::uint64_t>(rotation_s / mechanics_.block_s(landing.run));
    const std::uint64_t on_track = request.block - mechanics_.geometry().track_of(request.block).first;
    buffer_[service.choice.segment].start -= std::min({passed, on_track, drive_.buffer.segment_blocks});
}

// From the medium, what the buffer has not.
void DiskModel::fetch(ReadService& service) {
    const DriveRequest& request = service.queued.request;
    reader_.want(request.block + request.blocks);
    if (!service.goes_on) begin_fetch(service);
    HostTransfer& transfer = service.transfer;
    for (std::uint64_t index = transfer.had; index < request.blocks;) {
        const auto piece = reader_.take();
        transfer.add(index, piece);
        counters_.transfer_s += double(piece.in_order) * piece.block_s;
        index += piece.blocks;
    }
    counters_.busy_s += transfer.media_s - service.arm_s;
    buffer_.extend(buffer_[service.choice.segment], request.block + request.blocks);
}

// When the last block is with the host.
double DiskModel::transferred_s(const ReadService& service) const {
    const DriveOverheads& overheads = drive_.overheads;
    const HostTransfer& transfer = service.transfer;
    const double preparation_s = over(overheads.data_preparation);
    const double reselect_s = over(overheads.first_reselect) + preparation_s;
    const bool enough =
        transfer.had > 0 && (drive_.buffer.partial_hit_at_once || transfer.had >= transfer.mark);
    double bus_s = 0;
    if (service.waited)
        bus_s =
            std::max({service.at_s, service.queued.bus_ready_s, enough ? 0 : transfer.marked_s}) + reselect_s;
    else if (enough)
        bus_s = taken_s(service.at_s) + over(overheads.read_hit) + preparation_s;
    else if (drive_.bus.never_disconnects)
        bus_s = service.at_s + over(overheads.read_miss) + preparation_s;
    else
        bus_s = std::max(service.at_s + over(overheads.read_miss) + over(overheads.read_disconnect),
                         transfer.marked_s) +
                reselect_s;
    const double done_s = std::max(transfer.done_s, bus_s + double(transfer.blocks) * transfer.block_s);
    // A bus that is faster than the medium was left in between, and is taken again for the last of it.
    const bool left =
        transfer.had < transfer.blocks && !drive_.bus.holds_for_read && !drive_.bus.never_disconnects;
    return left ? std::max(done_s, transfer.media_s + reselect_s + transfer.block_s) : done_s;
}

// Reading on after a request; without one nothing of the reader is left.
void DiskModel::begin_reading_on(const ReadService& service, bool from_medium) {
    const BufferSegment& segment = buffer_[service.choice.segment];
    const std::uint64_t end = std::max(segment.ahead_end, reader_.end());
    if (from_medium || service.goes_on) {
        reader_.want(end);
    } else if (drive_.buffer.read_ahead_on_hit && segment.end < segment.ahead_end &&
               reads_on_from(segment.end)) {
        reader_.want(segment.ahead_end);
        reader_.begin(segment.end, service.arm_s, drive_.buffer.zero_latency_read);
    } else {
        reader_.want(reader_.next());
    }
    ahead_segment_ = reader_.done() ? DiskBuffer::nobody : service.choice.segment;
}

void DiskModel::serve_read(const QueuedRequest& queued, double at_s, bool waited) {
    serves_read_ = true;
    ReadService service = look_up(queued, at_s, waited);
    const bool from_medium = service.transfer.had < queued.request.blocks;
    if (from_medium) fetch(service);
    begin_reading_on(service, from_medium);
    const double done_s = transferred_s(service);
    const double completed_s = done_s + over(drive_.overheads.read_done);
    const double media_s = service.transfer.media_s;
    hda_free_s_ = drive_.buffer.preseek == 0   ? completed_s
                  : drive_.buffer.preseek == 1 ? done_s
                                               : std::max(at_s, media_s);
    if (from_medium && drive_.buffer.least_read_ahead > 0)
        hda_free_s_ = std::max(hda_free_s_, media_s + double(drive_.buffer.least_read_ahead) *
                                                          mechanics_.block_s(reader_.landing().run));
    complete(queued.request, completed_s);
}

}  // namespace diskwright
