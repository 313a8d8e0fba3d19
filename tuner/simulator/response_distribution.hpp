// SPDX-License-Identifier: BSD-2-Clause
// How far a simulated distribution of response times is from a measured one.
#pragma once

#include <optional>
#include <vector>

namespace diskwright {

/// The root of the mean square of the horizontal distance between the two cumulative curves, over all shares
/// of the requests (Ruemmler and Wilkes, "An introduction to disk drive modeling", 1994: the demerit figure),
/// in the unit of the values. Nothing when one of them is empty.
std::optional<double> rms_difference(std::vector<double> measured, std::vector<double> simulated);

std::optional<double> mean(const std::vector<double>& values);

}  // namespace diskwright
