// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <array>
#include <chrono>

#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/tuning.hpp"
#include "probes/support/text.hpp"
#include "tuner/landscape.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json trial_json(const SearchSpace& space, const Trial& trial) {
    Json json{{"point", point_json(space, trial.point)}};
    if (trial.value)
        json["value"] = *trial.value;
    else
        json["state"] = std::string(name_of(trial.state));
    json["seconds"] = std::chrono::duration<double>(trial.cost).count();
    if (!trial.note.empty()) json["note"] = trial.note;
    return json;
}

}  // namespace

std::string_view name_of(TuningResult::Stop stop) {
    constexpr std::array<std::string_view, 5> names{"trials", "exhausted", "fruitless", "cancelled",
                                                    "failed"};
    return names[static_cast<std::size_t>(stop)];
}

std::optional<double> default_value(const TuningReport& report) {
    if (!report.default_point) return std::nullopt;
    const auto& trials = report.result.trials;
    const auto found = std::find_if(trials.begin(), trials.end(),
                                    [&](const Trial& trial) { return trial.point == *report.default_point; });
    return found == trials.end() ? std::nullopt : found->value;
}

Json tuning_to_json(const TuningReport& report) {
    const auto& trials = report.result.trials;
    Json json = Json::object();
    if (!report.title.empty()) json["title"] = report.title;
    json["method"] = report.method;
    json["seed"] = report.seed;
    json["objective"] = {{"name", report.objective.name},
                         {"direction", report.objective.minimise ? "min" : "max"}};
    json["stopped"] = std::string(name_of(report.result.stop));
    if (const auto& failure = report.result.failure)
        json["error"] = {{"status", exit_status(failure->kind)}, {"message", escaped(failure->message)}};
    if (report.default_point) json["default"] = point_json(report.space, *report.default_point);
    if (const auto value = default_value(report)) json["default_value"] = *value;
    if (report.result.best) {
        const Trial& best = trials[*report.result.best];
        json["best"] = point_json(report.space, best.point);
        json["best_value"] = *best.value;
    }
    json["trials"] = Json::array();
    for (const Trial& trial : trials) json["trials"].push_back(trial_json(report.space, trial));
    if (report.importance) {
        json["importance"] = Json::object();
        for (std::size_t i = 0; i < report.importance->size(); ++i)
            json["importance"][report.space.parameters()[i].name] = (*report.importance)[i];
    }
    return json;
}

std::string render_tuning_json(const TuningReport& report) {
    Json json{{"format_version", 1}, {"tool", {{"name", "diskwright"}, {"version", report.version}}}};
    json.update(tuning_to_json(report));
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diskwright
