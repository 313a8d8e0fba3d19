// SPDX-License-Identifier: BSD-2-Clause
// Which command a timing belongs to.
#pragma once

#include <cstddef>
#include <string>

#include "probes/parsers/command.hpp"

namespace diskwright {

/// The command timed at that line: the one at the prompt, or the one that the nearest introducing text names.
/// Text that names none, or only refers back ("as above", "as in 4)", "the same", "vs."), goes on with the
/// command before; a loop that ran beside it keeps its own. "?" when the input shows none. Looks a bounded
/// number of lines back.
std::string timed_command(const Output& out, std::size_t at);

}  // namespace diskwright
