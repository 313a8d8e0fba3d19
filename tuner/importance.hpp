// SPDX-License-Identifier: BSD-2-Clause
// What the trials of a search tell beyond the best of them, by the Gaussian process fitted to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/search.hpp"
#include "tuner/search_space.hpp"

namespace diskwright {

/// The share of each parameter in the variance that the parameters explain one by one: the model's mean, with
/// one parameter held and all others free, averaged over the space. Shares add up to 1, in the order of the
/// space. Nothing when there are fewer valid trials than the parameters that can vary and 2 more, at least 5,
/// or when nothing differs.
std::optional<std::vector<double>> parameter_importance(const SearchSpace& space,
                                                        std::span<const Trial> trials, bool minimise);

/// What was not tried.
struct Outlook {
    std::uint64_t untried = 0, promising = 0;  // promising: a chance of at least 1 in 4 to be better
    Point best_guess;                          // of the untried, the likeliest to be better
    double chance = 0;                         // that it is better
};
/// Nothing when the trials are too few to tell, the space too large to look at every point, or all was tried.
std::optional<Outlook> outlook(const SearchSpace& space, std::span<const Trial> trials, bool minimise);

}  // namespace diskwright
