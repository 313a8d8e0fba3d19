// SPDX-License-Identifier: BSD-2-Clause
// The one place that decides which words may stand in a printed command, and how they are quoted for a POSIX
// shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace diskwright {

/// [A-Za-z0-9_./:@+=,-]+ and no leading '-': a name from the input that may become an operand.
bool safe_name(std::string_view name);
/// One word for sh(1): as it is where nothing in it is special, else in single quotes.
std::string shell_quoted(std::string_view word);
/// The words of a command line, quoted and separated by blanks.
std::string shell_line(std::span<const std::string> argv);

}  // namespace diskwright
