// SPDX-License-Identifier: BSD-2-Clause
// The drive's buffer: segments, each of which holds one row of blocks. Which segment a request gets and what
// it hits is DiskSim's order of preference (kaikai-sk/disksim-4.0: src/disksim_diskcache.c,
// disk_buffer_select_read_segment and disk_buffer_select_write_segment).
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/simulator/drive_parameters.hpp"

namespace diskwright {

struct BufferSegment {
    std::uint64_t start = 0, end = 0;  // blocks held; the same when none
    std::uint64_t ahead_end = 0;       // how far reading on was asked for
    bool written = false;              // holds what was written
};

enum class BufferHit : std::uint8_t { none, part, whole };

struct BufferChoice {
    BufferHit hit = BufferHit::none;
    std::uint32_t segment = 0;
};

class DiskBuffer {
 public:
    static constexpr std::uint32_t nobody = UINT32_MAX;

    explicit DiskBuffer(const DriveBuffer& parameters);

    BufferSegment& operator[](std::uint32_t index) { return segments_[index]; }
    /// reading: the segment read ahead into, the last one to be given up; nobody when there is none.
    BufferChoice for_read(std::uint64_t block, std::uint64_t end, std::uint32_t reading);
    /// The segment for what is written; what others hold of it is forgotten.
    std::uint32_t for_write(std::uint64_t block, std::uint64_t end, std::uint32_t reading);
    void use(std::uint32_t segment);
    /// The segment used last.
    bool newest(std::uint32_t segment) const { return by_use_.back() == segment; }
    /// Reads may hit it all.
    bool holds(std::uint64_t block, std::uint64_t end) const;
    /// Whatever was read of these blocks is forgotten.
    void forget(std::uint64_t block, std::uint64_t end, std::uint32_t except);
    /// Holds blocks up to there; the oldest make room.
    void extend(BufferSegment& segment, std::uint64_t end) const;
    bool reserved(std::uint32_t segment) const { return separate_write_segment_ && segment == 0; }

 private:
    // Nothing that a read could use.
    bool empty(const BufferSegment& segment) const {
        return segment.end == segment.start || (segment.written && !read_hits_on_writes_);
    }
    std::uint32_t given_up(std::uint32_t reading, std::uint64_t block, std::uint64_t end);
    bool readable(std::uint32_t index) const {
        const BufferSegment& segment = segments_[index];
        return caches_ && !reserved(index) && !empty(segment);
    }
    std::vector<BufferSegment> segments_;
    std::vector<std::uint32_t> by_use_;  // the least recently used first
    std::uint64_t segment_blocks_;
    bool all_full_ = false;  // no segment is empty, as far as is known
    bool caches_, separate_write_segment_, read_hits_on_writes_;
};

}  // namespace diskwright
