// SPDX-License-Identifier: BSD-2-Clause
// Trials answered from a table of measured values.
#pragma once

#include "tuner/landscape.hpp"
#include "tuner/search.hpp"

namespace diskwright {

class RecordedRunner final : public TrialRunner {
 public:
    /// noise: relative spread of a log-normal factor on each value, 0 for none; it depends on the seed and
    /// the point alone. The landscape must outlive this.
    RecordedRunner(const Landscape& landscape, double noise, std::uint64_t seed)
        : landscape_(landscape), noise_(noise), seed_(seed) {}

    /// A point without a row is invalid. The cost is what the trial would have taken: the value itself when
    /// the objective is a time in seconds (its name ends in _s), else nothing.
    Result<Trial> run(const Point& point, const CommandLimits& limits) override;

 private:
    double disturbed(double value, const Point& point) const;

    const Landscape& landscape_;
    double noise_;
    std::uint64_t seed_;
};

}  // namespace diskwright
