// SPDX-License-Identifier: BSD-2-Clause
// Writing to the medium: a block goes down when its place comes by and it is in the buffer by then; else the
// platters turn once more.
#pragma once

#include <cstdint>

#include "tuner/simulator/disk_mechanics.hpp"

namespace diskwright {

/// Block i of what is written is in the buffer at first_s + i block_s, and nothing goes down before
/// least_blocks are.
struct BufferFilling {
    double first_s = 0, block_s = 0;
    std::uint64_t least_blocks = 0;
    double there_s(std::uint64_t i) const { return first_s + double(i) * block_s; }
};

struct MediaWrite {
    double begun_s = 0, done_s = 0;  // begun: the first block passes
    double settled_s = 0;            // seek done
};

/// Begins to seek at from_s, for least_s at the least.
MediaWrite write_medium(DiskMechanics& mechanics, std::uint64_t block, std::uint64_t blocks, double from_s,
                        double least_s, const BufferFilling& filling, bool zero_latency);

}  // namespace diskwright
