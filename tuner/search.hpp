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

/// A value of a parameter as its file spelt it, so that it leaves as what it came: 8, "softdep", true.
struct Value {
    enum class Kind { number, word, truth };
    Kind kind = Kind::word;
    std::string text;   // a number in JSON's spelling, a word without quotes
    double number = 0;  // of kind number

    /// Numbers are equal by value (8 is 8.0), everything else by text.
    friend bool operator==(const Value& a, const Value& b) {
        return a.kind == b.kind && (a.kind == Kind::number ? a.number == b.number : a.text == b.text);
    }
};

/// One knob: its values in order; a log2 scale is searched by exponent, the values of a choice have no
/// order.
struct Parameter {
    enum class Scale { linear, log2, choice };
    std::string name;
    Scale scale = Scale::linear;
    std::vector<Value> values;
};

/// Which value each parameter has: indices into Parameter::values, in the order of the space's parameters.
using Point = std::vector<std::uint32_t>;

/// Parameter name to the text of its value: what a host is told.
using Configuration = std::map<std::string, std::string>;

struct Objective {
    std::string name;
    bool minimise = true;
};

enum class TrialState { ok, invalid, failed, timeout };

struct Trial {
    Point point;
    TrialState state = TrialState::failed;
    std::optional<double> value;  // absent unless ok; never a penalty number
    std::chrono::nanoseconds cost{};
    std::string note;  // why it is not ok

    friend bool operator==(const Trial&, const Trial&) = default;
};

/// Asks, never runs. Deterministic: the same space, seed and observations give the same proposals.
class Optimizer {
 public:
    virtual ~Optimizer() = default;
    /// A point that was not observed yet; the same one again until observe() was told of it. Nothing more to
    /// try: nullopt.
    virtual std::optional<Point> propose() = 0;
    /// The trial of the point proposed last.
    virtual void observe(const Trial& trial) = 0;
};

/// Runs, never chooses.
class TrialRunner {
 public:
    virtual ~TrialRunner() = default;
    /// A point that cannot be measured is a trial that is not ok; an error is what no further trial can
    /// escape, such as a program that is not there.
    virtual Result<Trial> run(const Point& point, const CommandLimits& limits) = 0;
};

/// Carries out a configuration on a host; implemented by advisor/commands.
class ConfigurationApplier {
 public:
    virtual ~ConfigurationApplier() = default;
    virtual Result<bool> apply(const Configuration& point) = 0;
    virtual Result<bool> restore() = 0;
};

}  // namespace diskwright
