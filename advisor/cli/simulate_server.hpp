// SPDX-License-Identifier: BSD-2-Clause
// simulate --config, --configs and --vary.
#pragma once

#include <string>
#include <vector>

#include "advisor/cli/subcommand.hpp"

namespace diskwright {

struct ServerOptions {
    std::string config, configs;
    std::vector<std::string> vary;  // KEY=FROM:TO or KEY=VALUE,VALUE
    bool explains = false;
};

/// The exit status; results go where out says, one line a configuration with --configs or --vary.
int run_servers(const ServerOptions& options, const OutputOptions& out, bool quiet);

}  // namespace diskwright
