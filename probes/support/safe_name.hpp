// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string_view>

namespace diskwright {

/// [A-Za-z0-9_./:@+=,-]: characters that mean nothing to a shell.
bool is_plain_character(char c);
/// Plain characters only and no leading '-': a name from the input that may become an operand.
bool safe_name(std::string_view name);

}  // namespace diskwright
