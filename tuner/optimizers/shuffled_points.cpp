// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/optimizers/shuffled_points.hpp"

#include <numeric>

namespace diskwright {
namespace {

constexpr int max_repetitions = 10'000;

}  // namespace

ShuffledPoints::ShuffledPoints(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {
    if (!enumerable(space)) return;
    ranks_.resize(static_cast<std::size_t>(*space.size()));
    std::iota(ranks_.begin(), ranks_.end(), 0U);
    random_.shuffle(ranks_);
}

std::optional<Point> ShuffledPoints::next() {
    if (!enumerable(space_)) return drawn();
    if (ranks_.empty()) return std::nullopt;
    const std::uint32_t rank = ranks_.back();
    ranks_.pop_back();
    return space_.at(rank);
}

std::optional<Point> ShuffledPoints::drawn() {
    for (int tries = 0; tries < max_repetitions; ++tries) {
        Point point;
        for (const Parameter& parameter : space_.parameters())
            point.push_back(static_cast<std::uint32_t>(random_.below(parameter.values.size())));
        if (seen_.insert(point).second) return point;
    }
    return std::nullopt;
}

}  // namespace diskwright
