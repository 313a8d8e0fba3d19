// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "probes/support/command_runner.hpp"

namespace diskwright {

/// Real processes of this host, each in a process group of its own that is killed when its time is up.
class ProcessRunner final : public CommandRunner {
 public:
    Result<CommandOutcome> run(const std::vector<std::string>& argv, const CommandLimits& limits) override;
};

}  // namespace diskwright
