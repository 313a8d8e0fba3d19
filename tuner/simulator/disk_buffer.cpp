// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disk_buffer.hpp"

#include <algorithm>
#include <numeric>

namespace diskwright {

DiskBuffer::DiskBuffer(const DriveBuffer& parameters)
    : segments_(parameters.segments),
      by_use_(parameters.segments),
      segment_blocks_(parameters.segment_blocks),
      caches_(parameters.caches),
      separate_write_segment_(parameters.separate_write_segment),
      read_hits_on_writes_(parameters.read_hits_on_writes) {
    std::iota(by_use_.begin(), by_use_.end(), 0U);
}

void DiskBuffer::use(std::uint32_t segment) {
    const auto at = std::find(by_use_.begin(), by_use_.end(), segment);
    std::rotate(at, at + 1, by_use_.end());
}

BufferChoice DiskBuffer::for_read(std::uint64_t block, std::uint64_t end, std::uint32_t reading) {
    BufferChoice best;
    int best_value = 0;
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
        const BufferSegment& segment = segments_[i];
        if (block - segment.start >= segment.end - segment.start || !readable(i)) continue;
        const BufferHit hit = segment.end >= end ? BufferHit::whole : BufferHit::part;
        const int value = (hit == BufferHit::whole ? 3 : 1) + (i == reading ? 1 : 0);
        if (value > best_value) best = {hit, i};
        best_value = std::max(best_value, value);
    }
    if (best.hit == BufferHit::none) best.segment = given_up(reading, block, block);
    return best;
}

// The segment that is needed least: one that holds nothing, before the least recently used, before the one
// that is being read; and before them all one that holds blocks of what is written.
std::uint32_t DiskBuffer::given_up(std::uint32_t reading, std::uint64_t block, std::uint64_t end) {
    std::uint32_t best = 0;
    int best_value = 0;
    const bool first_will_do = all_full_ && block == end;
    for (const std::uint32_t i : by_use_) {
        if (reserved(i)) continue;
        const BufferSegment& segment = segments_[i];
        const bool overlaps = segment.start < end && block < segment.end;
        const int value = i == reading ? 1 : empty(segment) ? 3 : overlaps ? 4 : 2;
        if (value > best_value) {
            best = i;
            best_value = value;
        }
        if (first_will_do && best_value == 2) return best;
    }
    all_full_ = best_value == 2;
    return best;
}

std::uint32_t DiskBuffer::for_write(std::uint64_t block, std::uint64_t end, std::uint32_t reading) {
    const std::uint32_t best = separate_write_segment_ ? 0 : given_up(reading, block, end);
    forget(block, end, best);
    all_full_ = false;
    return best;
}

bool DiskBuffer::holds(std::uint64_t block, std::uint64_t end) const {
    for (std::uint32_t i = 0; i < segments_.size(); ++i)
        if (segments_[i].start <= block && end <= segments_[i].end && readable(i)) return true;
    return false;
}

void DiskBuffer::forget(std::uint64_t block, std::uint64_t end, std::uint32_t except) {
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
        BufferSegment& segment = segments_[i];
        if (i != except && segment.start < end && block < segment.end) segment.end = segment.start;
    }
    all_full_ = false;
}

void DiskBuffer::extend(BufferSegment& segment, std::uint64_t end) const {
    segment.end = std::max(segment.end, end);
    if (segment.end - segment.start > segment_blocks_) segment.start = segment.end - segment_blocks_;
}

}  // namespace diskwright
