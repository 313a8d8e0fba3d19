// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <optional>
#include <span>

namespace diskwright {

/// Mean of the middle two for an even count; nothing for no values.
std::optional<double> median(std::span<const double> values);
/// Median of the distances from the median, not scaled.
std::optional<double> median_absolute_deviation(std::span<const double> values);
/// share in 0..1, linear between the two nearest ranks; nothing for no values or a share outside.
std::optional<double> percentile(std::span<const double> values, double share);

}  // namespace diskwright
