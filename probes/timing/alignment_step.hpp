// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace diskwright {

/// How much longer a read across multiples of `align` takes than those beside it, and the standard error.
struct AlignmentRow {
    std::uint64_t align = 0;
    double extra_s = 0, error_s = 0;
};

/// The smallest power of two whose multiples still cost what those of the largest do; nothing when the
/// largest cost nothing, or all cost the same.
std::optional<std::uint64_t> step_of(std::span<const AlignmentRow> rows);

}  // namespace diskwright
