// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "probes/support/random.hpp"
#include "tuner/search_space.hpp"

namespace diskwright {

/// Up to this many points a space is enumerated, above it is sampled.
inline constexpr std::uint64_t enumerable_points = 100'000;

inline bool enumerable(const SearchSpace& space) {
    return space.size() && *space.size() <= enumerable_points;
}

/// The points of a space in an order that depends on the seed alone, none twice. An enumerable space is
/// visited whole; a larger one ends when nearly every draw is a repetition, which is after almost all of it.
class ShuffledPoints {
 public:
    /// The space must outlive this.
    ShuffledPoints(const SearchSpace& space, std::uint64_t seed);
    std::optional<Point> next();

 private:
    std::optional<Point> drawn();

    const SearchSpace& space_;
    Random random_;
    std::vector<std::uint32_t> ranks_;  // of an enumerable space, those to come; the last one is next
    std::set<Point> seen_;              // of a larger one
};

}  // namespace diskwright
