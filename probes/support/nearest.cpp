// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/nearest.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace diskwright {
namespace {

constexpr std::size_t longest_word = 64;  // options, codes and keys are shorter; bounds the time

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

// Optimal string alignment over three rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                current[j] = std::min(current[j], before[j - 2] + 1);
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
    if (word.empty() || word.size() > longest_word) return std::nullopt;
    std::optional<std::string_view> best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        if (candidate.size() > longest_word) continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < least) least = distance, best = candidate;
    }
    return best;
}

}  // namespace diskwright
