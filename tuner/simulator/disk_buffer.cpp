// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disk_buffer.hpp"

#include <algorithm>

namespace diskwright {

DiskBuffer::DiskBuffer(const DriveBuffer& parameters)
    : segments_(parameters.segments),
      segment_blocks_(parameters.segment_blocks),
      caches_(parameters.caches),
      separate_write_segment_(parameters.separate_write_segment),
      read_hits_on_writes_(parameters.read_hits_on_writes) {}

BufferChoice DiskBuffer::for_read(std::uint64_t block, std::uint64_t end, std::uint32_t reading) const {
    BufferChoice best;
    int best_value = -1;
    std::uint64_t oldest = 0;
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
        if (reserved(i)) continue;
        const BufferSegment& segment = segments_[i];
        int value = 0;
        BufferHit hit = BufferHit::none;
        if (readable(i) && segment.start <= block && block < segment.end) {
            hit = segment.end >= end ? BufferHit::whole : BufferHit::part;
            value = (hit == BufferHit::whole ? 8 : 4) + (i == reading ? 1 : 0);
        } else if (i == reading) {
            value = 1;
        } else {
            value = empty(segment) ? 3 : 2;
        }
        // The least recently used of equals.
        if (value > best_value || (value == best_value && segment.used < oldest)) {
            best = {hit, i};
            best_value = value;
            oldest = segment.used;
        }
    }
    return best;
}

std::uint32_t DiskBuffer::for_write(std::uint64_t block, std::uint64_t end, std::uint32_t reading) {
    std::uint32_t best = 0;
    if (!separate_write_segment_) {
        int best_value = -1;
        for (std::uint32_t i = 0; i < segments_.size(); ++i) {
            const BufferSegment& segment = segments_[i];
            const bool overlaps = segment.start < end && block < segment.end;
            const int value = i == reading ? 1 : empty(segment) ? 3 : overlaps ? 4 : 2;
            if (value > best_value || (value == best_value && segment.used < segments_[best].used)) {
                best = i;
                best_value = value;
            }
        }
    }
    forget(block, end, best);
    return best;
}

bool DiskBuffer::holds(std::uint64_t block, std::uint64_t end) const {
    for (std::uint32_t i = 0; i < segments_.size(); ++i)
        if (readable(i) && segments_[i].start <= block && end <= segments_[i].end) return true;
    return false;
}

void DiskBuffer::forget(std::uint64_t block, std::uint64_t end, std::uint32_t except) {
    for (std::uint32_t i = 0; i < segments_.size(); ++i) {
        BufferSegment& segment = segments_[i];
        if (i != except && segment.start < end && block < segment.end) segment.end = segment.start;
    }
}

void DiskBuffer::extend(BufferSegment& segment, std::uint64_t end) const {
    segment.end = std::max(segment.end, end);
    if (segment.end - segment.start > segment_blocks_) segment.start = segment.end - segment_blocks_;
}

}  // namespace diskwright
