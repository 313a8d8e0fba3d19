// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <functional>

#include "probes/support/command_runner.hpp"

namespace diskwright {

/// Real processes of this host, each in a process group of its own. When the command ends or its time is up,
/// the whole group is killed: nothing that it began in the background runs on. A command that cannot be
/// killed, since the kernel waits for a device, is left behind. Several threads may run commands at once.
class ProcessRunner final : public CommandRunner {
 public:
    Result<CommandOutcome> run(const std::vector<std::string>& argv, const CommandLimits& limits) override;
    bool installed(const std::string& program) const override;
};

/// The same for a command of the user's own. `stop` is asked many times a second while it runs: true ends it
/// as if its time were up.
class UserProcessRunner final : public UserCommandRunner {
 public:
    explicit UserProcessRunner(std::function<bool()> stop = {}) : stop_(std::move(stop)) {}
    Result<CommandOutcome> run(const std::vector<std::string>& argv, std::string_view input,
                               const CommandLimits& limits) override;

 private:
    std::function<bool()> stop_;
};

}  // namespace diskwright
