// SPDX-License-Identifier: BSD-2-Clause
// The labels of iostat's reports with one row a device, of all systems.
#pragma once

#include <string_view>

#include "probes/parsers/io_sampling.hpp"

namespace diskwright {

/// What the column of that label means; null when it is none of iostat's.
const IoColumn* iostat_column(std::string_view label);

}  // namespace diskwright
