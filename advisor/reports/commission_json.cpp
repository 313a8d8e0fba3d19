// SPDX-License-Identifier: BSD-2-Clause
#include <nlohmann/json.hpp>

#include "advisor/reports/commission.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/finding_parts.hpp"
#include "advisor/reports/plan_report.hpp"
#include "advisor/reports/tuning.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json texts(const std::vector<std::string>& list) {
    Json out = Json::array();
    for (const std::string& text : list) out.push_back(escaped(text));
    return out;
}

// What the plan settles has no fix of its own: one setting, one recommendation.
Json findings_json(const CommissionReport& report) {
    const StorageGraph graph(report.facts);
    Json out = Json::array();
    for (const Finding& finding : report.judgement.findings) {
        Json one = finding_to_json(graph, finding);
        if (report.settles(finding)) {
            one.erase("fix");
            one["settled_by_plan"] = true;
        }
        out.push_back(std::move(one));
    }
    return out;
}

Json remaining_json(const CommissionReport& report) {
    const StorageGraph graph(report.plan->planned);
    Json out = Json::array();
    for (const Finding& finding : report.remaining) out.push_back(finding_to_json(graph, finding));
    return out;
}

Json repeats_json(const SearchSpace& space, const Repeats& repeats) {
    return Json{{"point", point_json(space, repeats.point)},
                {"median", repeats.median},
                {"spread", repeats.spread},
                {"values", repeats.values}};
}

Json tuning_json(const CommissionReport& report) {
    const TrialSource& source = *report.trials;
    TuningReport tuning{.version = {},
                        .title = source.description,
                        .method = "default",
                        .seed = report.seed,
                        .noise = {},
                        .space = source.space,
                        .objective = source.objective,
                        .default_point = source.default_point,
                        .result = report.tuning,
                        .importance = report.importance,
                        .outlook = {}};
    Json out = tuning_to_json(tuning);
    if (report.verification)
        out["verification"] = {{"best", repeats_json(source.space, report.verification->best)},
                               {"reference", repeats_json(source.space, report.verification->reference)},
                               {"reference_is", report.verification->reference_is},
                               {"differs", report.verification->differs}};
    return out;
}

}  // namespace

std::string commission_json(const CommissionReport& report, const std::vector<std::string>& argv,
                            std::string_view version) {
    Json out{{"format_version", 1}, {"tool", {{"name", "diskwright"}, {"version", version}}}};
    out["argv"] = texts(argv);
    out["subject"] = escaped(report.subject);
    out["interrupted"] = report.interrupted;
    if (report.failure)
        out["error"] = {{"status", exit_status(report.failure->kind)},
                        {"message", escaped(report.failure->message)}};
    out["facts"] = facts_to_json(report.facts, true);
    out["profile"] = profile_to_json(report.profile);
    out["profile_measured"] = report.profile_measured;
    out["findings"] = findings_json(report);
    if (report.plan)
        out["plan"] = plan_to_json(*report.plan);
    else
        out["no_plan"] = escaped(report.no_plan);
    if (report.trials)
        out["tuning"] = tuning_json(report);
    else
        out["no_tuning"] = escaped(report.no_trials);
    if (report.plan) out["remaining"] = remaining_json(report);
    out["notes"] = texts(report.notes);
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> commission_script(const CommissionReport& report) {
    if (!report.plan)
        return Error{ErrorKind::unavailable, "there is no plan to make a script of: " + report.no_plan};
    return plan_script(*report.plan);
}

}  // namespace diskwright
