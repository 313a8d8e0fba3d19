// SPDX-License-Identifier: BSD-2-Clause
// Files of machine configurations (CONTRACT section 5).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "probes/support/result.hpp"

namespace diskwright {

inline constexpr std::size_t most_configurations = 100'000;

/// One configuration, or with `lines` one a line, empty lines left out. bad_data names the file and line.
Result<std::vector<nlohmann::ordered_json>> configurations_in(const std::string& path, bool lines);

}  // namespace diskwright
