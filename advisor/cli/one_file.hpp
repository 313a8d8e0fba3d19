// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstddef>
#include <string>

#include "probes/support/result.hpp"

namespace diskwright {

/// What a file that an option names holds, "-" being the standard input. Errors of load_input(); bad_data
/// also for a folder or an archive of several.
Result<std::string> one_file(const std::string& path, std::size_t max_bytes);

}  // namespace diskwright
