// SPDX-License-Identifier: BSD-2-Clause
// The free blocks of a file system, or of a part of it, as stretches.
#pragma once

#include <cstdint>
#include <optional>

#include "tuner/simulator/page_ranges.hpp"

namespace diskwright {

struct BlockRun {
    std::uint64_t place = 0, blocks = 0;
};

class FreeBlocks {
 public:
    void give(std::uint64_t place, std::uint64_t blocks) { free_.add(place, place + blocks); }
    void reserve(std::uint64_t place, std::uint64_t blocks) { free_.remove(place, place + blocks); }
    std::uint64_t blocks() const { return free_.total(); }
    bool has(std::uint64_t place, std::uint64_t blocks) const { return free_.covers(place, place + blocks); }

    /// So many together, the first such place from the goal on, then from the start; where no stretch near is
    /// as long, the longest there is. A multiple of `unit` is where it begins unless nothing fits so.
    std::optional<BlockRun> take(std::uint64_t goal, std::uint64_t wanted, std::uint64_t unit = 1);

    /// The next that are free from there on, at most so many; none behind the last.
    std::optional<BlockRun> take_next(std::uint64_t from, std::uint64_t most);

 private:
    std::optional<BlockRun> find(std::uint64_t from, std::uint64_t end, std::uint64_t wanted,
                                 std::uint64_t unit, BlockRun& longest) const;
    PageRanges free_;
};

}  // namespace diskwright
