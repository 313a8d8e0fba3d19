// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/session.hpp"

#include <fmt/format.h>

namespace diskwright {

void TuningSession::take(Trial trial) {
    optimizer_.observe(trial);
    if (trial.value) {
        ++valid_;
        fruitless_ = 0;
        const auto better = [&](double than) {
            return objective_.minimise ? *trial.value < than : *trial.value > than;
        };
        if (!result_.best || better(*result_.trials[*result_.best].value))
            result_.best = result_.trials.size();
    } else {
        ++fruitless_;
    }
    result_.trials.push_back(std::move(trial));
}

Result<bool> TuningSession::replay(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) {
        const auto proposed = optimizer_.propose();
        if (!proposed || *proposed != trial.point)
            return Error{ErrorKind::bad_data,
                         fmt::format("trial {} is not what this method proposes after the ones before it",
                                     result_.trials.size() + 1)};
        take(trial);
    }
    return true;
}

std::optional<TuningResult::Stop> TuningSession::reached(const TuningLimits& limits) const {
    if (valid_ >= limits.trials) return TuningResult::Stop::trials;
    if (fruitless_ >= limits.fruitless) return TuningResult::Stop::fruitless;
    return std::nullopt;
}

TuningResult TuningSession::failed(Error error) {
    result_.stop = TuningResult::Stop::failed;
    result_.failure = std::move(error);
    return result_;
}

TuningResult TuningSession::run(const TuningLimits& limits, ProgressMeter& progress) {
    for (;;) {
        const auto stop = reached(limits);
        result_.stop = stop.value_or(TuningResult::Stop::cancelled);
        if (stop || progress.cancelled()) return result_;
        progress.at("trials", static_cast<double>(valid_), static_cast<double>(limits.trials));
        const auto point = optimizer_.propose();
        if (!point) {
            result_.stop = TuningResult::Stop::exhausted;
            return result_;
        }
        auto trial = runner_.run(*point, limits.trial);
        if (!trial) return failed(trial.error());
        if (!trial->value && progress.cancelled()) return result_;
        const auto written = journal_ ? journal_->append(*trial) : Result<bool>(true);
        take(std::move(*trial));
        if (!written) return failed(written.error());
    }
}

}  // namespace diskwright
