// SPDX-License-Identifier: BSD-2-Clause
// How the words of a printed command are quoted for a POSIX shell. safe_name() says which names may stand in
// one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "probes/support/safe_name.hpp"

namespace diskwright {

/// One word for sh(1): as it is where nothing in it is special, else in single quotes.
std::string shell_quoted(std::string_view word);
/// The words of a command line, quoted and separated by blanks.
std::string shell_line(std::span<const std::string> argv);

}  // namespace diskwright
