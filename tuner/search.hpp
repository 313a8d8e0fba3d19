// SPDX-License-Identifier: BSD-2-Clause
// The three-way tuner: a method proposes, a runner measures, a journal remembers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probes/support/command_runner.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// One knob: its values in order; a log2 scale is searched by exponent.
struct Parameter {
    enum class Scale { linear, log2, choice };
    std::string name;
    Scale scale = Scale::linear;
    std::vector<std::string> values;
};

/// Parameter name to one of its values.
using Configuration = std::map<std::string, std::string>;

struct SearchSpace {
    std::vector<Parameter> parameters;
};

struct Objective {
    std::string name;
    bool minimise = true;
};

enum class TrialState { ok, invalid, failed, timeout };

struct Trial {
    Configuration point;
    TrialState state = TrialState::failed;
    std::optional<double> value;  // absent unless ok; never a penalty number
    std::chrono::nanoseconds cost{};
    std::string note;
};

/// Asks, never runs.
class Optimizer {
 public:
    virtual ~Optimizer() = default;
    /// Nothing more to try: nullopt.
    virtual std::optional<Configuration> propose() = 0;
    virtual void observe(const Trial& trial) = 0;
};

/// Runs, never chooses.
class TrialRunner {
 public:
    virtual ~TrialRunner() = default;
    virtual Trial run(const Configuration& point, const CommandLimits& limits) = 0;
};

/// Carries out a configuration on a host; implemented by advisor/commands.
class ConfigurationApplier {
 public:
    virtual ~ConfigurationApplier() = default;
    virtual Result<bool> apply(const Configuration& point) = 0;
    virtual Result<bool> restore() = 0;
};

}  // namespace diskwright
