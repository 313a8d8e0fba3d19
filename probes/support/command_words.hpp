// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"

namespace diskwright {

/// A command as a user writes it, as argv: words parted by blanks; '...' is literal; in "..." a backslash
/// before " or \ takes its meaning away, outside quotes before anything. Nothing else means anything: no
/// variables, patterns or operators. usage for an open quote, a backslash at the end, or no word at all.
Result<std::vector<std::string>> command_words(std::string_view text);

}  // namespace diskwright
