// SPDX-License-Identifier: BSD-2-Clause
// Checks of options that take a number. The conversions of CLI11 alone take nan for a time and wrap -1
// around.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace diskwright {

CLI::Validator whole_number(std::uint64_t least = 0,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
CLI::Validator number_between(double least, double most);

}  // namespace diskwright
