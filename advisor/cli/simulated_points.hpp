// SPDX-License-Identifier: BSD-2-Clause
// The configurations that simulate is asked for: a file, the lines of one, and what --vary makes of them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "advisor/cli/simulate_server.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

struct SimulatedPoint {
    std::string varied;  // "sectPerSU=8 bsize=16384"
    std::string source;  // FILE, or FILE:LINE
    nlohmann::ordered_json json;
    std::optional<Error> error;  // with its source; then there is no json
};

/// In the order of the file, the values of the last --vary next to each other. An error is of the whole file
/// or of the command line; what is wrong with one line is in its point.
Result<std::vector<SimulatedPoint>> simulated_points(const ServerOptions& options);

}  // namespace diskwright
