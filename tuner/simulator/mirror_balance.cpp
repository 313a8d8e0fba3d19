// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/mirror_balance.hpp"

#include <algorithm>

namespace diskwright {
namespace {

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : b - a;
}

}  // namespace

std::size_t MirrorReader::choose(std::span<const ComponentPlace> copies, std::uint64_t offset,
                                 std::uint32_t blocks, const ArrayServices& array) {
    if (copies.size() == 1) return 0;
    switch (balance_) {
        case MirrorBalance::shorter_queue:
            return by_queue(copies, offset, array);
        case MirrorBalance::load:
            return by_load(copies, offset, blocks, array);
        case MirrorBalance::split:
        case MirrorBalance::round_robin:
            return turn_++ % copies.size();
        case MirrorBalance::prefer:
            return 0;
        case MirrorBalance::nearest:
            return by_distance(copies, offset, array);
        case MirrorBalance::lowest:
            return static_cast<std::size_t>(
                std::min_element(copies.begin(), copies.end(),
                                 [](const auto& a, const auto& b) { return a.block < b.block; }) -
                copies.begin());
    }
    return 0;
}

std::size_t MirrorReader::by_queue(std::span<const ComponentPlace> copies, std::uint64_t offset,
                                   const ArrayServices& array) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < copies.size(); ++i) {
        const std::size_t load = array.load(copies[i].column), least = array.load(copies[best].column);
        const auto away = [&](std::size_t copy) {
            return distance(copies[copy].block + offset, array.last_block(copies[copy].column));
        };
        if (load < least || (load == least && away(i) < away(best))) best = i;
    }
    return best;
}

std::size_t MirrorReader::by_load(std::span<const ComponentPlace> copies, std::uint64_t offset,
                                  std::uint32_t blocks, const ArrayServices& array) {
    constexpr std::int64_t scale = 256;
    constexpr std::uint64_t track_blocks = 2048;
    std::size_t best = 0;
    std::int64_t least = INT64_MAX;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const std::uint32_t at = copies[i].column;
        const std::uint64_t away = distance(last_end_[at], copies[i].block + offset);
        std::int64_t costs = loads_[at];
        if (away == 0)
            costs -= 2 * scale;
        else if (away < track_blocks)
            costs -= scale;
        if (costs > least) continue;
        least = costs;
        best = i;
    }
    const std::uint32_t chosen = copies[best].column;
    last_end_[chosen] = copies[best].block + offset + blocks;
    for (const ComponentPlace& copy : copies) {
        const auto at_it =
            static_cast<std::int64_t>(array.load(copy.column)) + (copy.column == chosen ? 1 : 0);
        loads_[copy.column] = (at_it * scale + loads_[copy.column] * 7) / 8;
    }
    return best;
}

std::size_t MirrorReader::by_distance(std::span<const ComponentPlace> copies, std::uint64_t offset,
                                      const ArrayServices& array) const {
    std::size_t idlest = 0, nearest = 0;
    std::uint64_t least = UINT64_MAX;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const std::uint64_t away = distance(copies[i].block + offset, array.last_block(copies[i].column));
        if (away == 0) return i;
        if (array.load(copies[i].column) < array.load(copies[idlest].column)) idlest = i;
        if (away < least) {
            least = away;
            nearest = i;
        }
    }
    return array.load(copies[idlest].column) == 0 ? idlest : nearest;
}

}  // namespace diskwright
