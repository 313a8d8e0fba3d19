// SPDX-License-Identifier: BSD-2-Clause
// Words that tell nothing of whose host it is.
#pragma once

#include <string_view>

namespace diskwright {

/// Whether a label, name or folder is made only of words that every other host has.
bool is_common_name(std::string_view name);

}  // namespace diskwright
