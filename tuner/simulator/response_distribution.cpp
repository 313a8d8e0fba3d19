// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/response_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace diskwright {

std::optional<double> rms_difference(std::vector<double> measured, std::vector<double> simulated) {
    if (measured.empty() || simulated.empty()) return std::nullopt;
    std::sort(measured.begin(), measured.end());
    std::sort(simulated.begin(), simulated.end());
    // Both curves are steps; between two steps of either the distance stays the same.
    const auto m = static_cast<double>(measured.size()), s = static_cast<double>(simulated.size());
    double squares = 0, share = 0;
    for (std::size_t i = 0, j = 0; i < measured.size() && j < simulated.size();) {
        const double of_measured = double(i + 1) / m, of_simulated = double(j + 1) / s;
        const double next = std::min(of_measured, of_simulated), distance = measured[i] - simulated[j];
        squares += (next - share) * distance * distance;
        share = next;
        if (of_measured <= next) ++i;
        if (of_simulated <= next) ++j;
    }
    return std::sqrt(squares);
}

std::optional<double> mean(const std::vector<double>& values) {
    if (values.empty()) return std::nullopt;
    return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

}  // namespace diskwright
