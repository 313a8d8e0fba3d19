// SPDX-License-Identifier: BSD-2-Clause
// What a search found, for people and for programs.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "advisor/reports/report.hpp"
#include "tuner/importance.hpp"
#include "tuner/search_space.hpp"
#include "tuner/session.hpp"

namespace diskwright {

struct TuningReport {
    std::string version, title, method;
    std::uint64_t seed = 1;
    std::optional<double> noise;  // of recorded values; nothing when a command measured them
    SearchSpace space;
    Objective objective;
    std::optional<Point> default_point;
    TuningResult result;
    std::optional<std::vector<double>> importance;
    std::optional<Outlook> outlook;
};

/// The value measured at the default point; nothing when it was not tried or is not valid.
std::optional<double> default_value(const TuningReport& report);
/// "trials", "exhausted", "fruitless", "cancelled", "failed".
std::string_view name_of(TuningResult::Stop stop);

/// What the search found, without the head of the file.
nlohmann::ordered_json tuning_to_json(const TuningReport& report);
/// diskwright-tune(8). Ends with a line end.
std::string render_tuning_json(const TuningReport& report);
std::string render_tuning_text(const TuningReport& report, const TextStyle& style);

}  // namespace diskwright
