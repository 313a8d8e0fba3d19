// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "probes/support/progress.hpp"
#include "tuner/journal.hpp"
#include "tuner/search.hpp"

namespace diskwright {

struct TuningLimits {
    std::size_t trials = 30;  // valid ones
    /// So many in a row without a value end the search: nothing more is to be expected.
    std::size_t fruitless = 1000;
    CommandLimits trial;
};

struct TuningResult {
    enum class Stop { trials, exhausted, fruitless, cancelled, failed };
    std::vector<Trial> trials;        // in their order, valid or not
    std::optional<std::size_t> best;  // index of the best, the first of equals; nothing without a valid one
    Stop stop = Stop::trials;
    std::optional<Error> failure;  // of the runner or the journal, when that stopped it; the trials hold
};

/// The loop: propose, run, record.
class TuningSession {
 public:
    /// All must outlive the session. journal may be null.
    TuningSession(Optimizer& optimizer, TrialRunner& runner, Journal* journal, Objective objective)
        : optimizer_(optimizer), runner_(runner), journal_(journal), objective_(std::move(objective)) {}

    /// Tells the method of trials made before, which are not made again. bad_data, naming the trial, when the
    /// method would have proposed another point.
    Result<bool> replay(const std::vector<Trial>& trials);

    /// Until a limit, the end of the space, a failure, or the progress says to stop; a trial that was stopped
    /// in the middle is not recorded. One that the journal failed to take is in the result.
    TuningResult run(const TuningLimits& limits, ProgressMeter& progress);

 private:
    void take(Trial trial);
    TuningResult failed(Error error);
    std::optional<TuningResult::Stop> reached(const TuningLimits& limits) const;

    Optimizer& optimizer_;
    TrialRunner& runner_;
    Journal* journal_;
    Objective objective_;
    TuningResult result_;
    std::size_t valid_ = 0, fruitless_ = 0;
};

}  // namespace diskwright
