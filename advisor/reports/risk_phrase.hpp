// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string_view>

#include "probes/model/setting.hpp"

namespace diskwright {

/// What a risk means to the one who takes it: "remounts", "destroys data".
std::string_view risk_phrase(Risk risk);

}  // namespace diskwright
