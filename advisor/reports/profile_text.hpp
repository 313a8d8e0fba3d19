// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string>
#include <string_view>

#include "probes/model/device_profile.hpp"

namespace diskwright {

/// A line for each quantity: value in units for people, spread, number of samples, confidence and the reason;
/// below it the points of a curve, or the percentiles. head: a first line; "" for none.
std::string render_profile_text(const DeviceProfile& profile, std::string_view head);

}  // namespace diskwright
