// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/free_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace diskwright {
namespace {

constexpr unsigned most_looked_at = 2048;  // stretches; a search that finds nothing better takes the longest

}  // namespace

std::optional<BlockRun> FreeBlocks::find(std::uint64_t from, std::uint64_t end, std::uint64_t wanted,
                                         std::uint64_t unit, BlockRun& longest) const {
    const auto& stretches = free_.stretches();
    auto at = stretches.upper_bound(from);
    if (at != stretches.begin() && std::prev(at)->second > from) --at;
    for (unsigned count = 0; at != stretches.end() && at->first < end && count < most_looked_at;
         ++at, ++count) {
        const std::uint64_t start = std::max(at->first, from);
        if (at->second - start > longest.blocks) longest = {start, at->second - start};
        const std::uint64_t aligned = (start + unit - 1) / unit * unit;
        if (aligned + wanted <= at->second) return BlockRun{aligned, wanted};
    }
    return std::nullopt;
}

std::optional<BlockRun> FreeBlocks::take(std::uint64_t goal, std::uint64_t wanted, std::uint64_t unit) {
    if (free_.empty()) return std::nullopt;
    constexpr auto last = std::numeric_limits<std::uint64_t>::max();
    BlockRun longest;
    auto found = find(goal, last, wanted, unit, longest);
    if (!found) found = find(0, goal, wanted, unit, longest);
    if (!found && longest.blocks == 0) {
        const auto& [first, end] = *free_.stretches().begin();
        longest = {first, end - first};
    }
    const BlockRun run = found.value_or(BlockRun{longest.place, std::min(longest.blocks, wanted)});
    reserve(run.place, run.blocks);
    return run;
}

std::optional<BlockRun> FreeBlocks::take_next(std::uint64_t from, std::uint64_t most) {
    const auto& stretches = free_.stretches();
    auto at = stretches.upper_bound(from);
    if (at != stretches.begin() && std::prev(at)->second > from) --at;
    if (at == stretches.end()) return std::nullopt;
    const std::uint64_t start = std::max(at->first, from);
    const BlockRun run{start, std::min(most, at->second - start)};
    reserve(run.place, run.blocks);
    return run;
}

}  // namespace diskwright
