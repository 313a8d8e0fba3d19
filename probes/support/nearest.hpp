// SPDX-License-Identifier: BSD-2-Clause
// "Did you mean": the known word nearest to a mistyped one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace diskwright {

/// Insertions, deletions, changes and swaps of neighbours that turn one into the other; ASCII case does not
/// count.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest candidate, the first of equals; nothing when none is near enough to be what was meant (more
/// than a third of the word differs).
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace diskwright
