// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace diskwright {

std::optional<double> percentile(std::span<const double> values, double share) {
    if (values.empty() || !(share >= 0 && share <= 1)) return std::nullopt;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double rank = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(rank);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (rank - static_cast<double>(below));
}

std::optional<double> median(std::span<const double> values) {
    return percentile(values, 0.5);
}

std::optional<double> median_absolute_deviation(std::span<const double> values) {
    const auto middle = median(values);
    if (!middle) return std::nullopt;
    std::vector<double> distances;
    distances.reserve(values.size());
    for (const double v : values) distances.push_back(std::abs(v - *middle));
    return median(distances);
}

}  // namespace diskwright
