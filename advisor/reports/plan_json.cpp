// SPDX-License-Identifier: BSD-2-Clause
#include <nlohmann/json.hpp>

#include "advisor/reports/plan_report.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

void put_text(Json& object, const char* key, std::string_view text) {
    if (!text.empty()) object[key] = escaped(text);
}

Json layout_json(const Layout& l) {
    Json out = Json::object();
    if (l.unit) out["stripe_unit_bytes"] = *l.unit;
    if (l.full_stripe) out["full_stripe_bytes"] = *l.full_stripe, out["data_disks"] = l.data_disks;
    out["logical_sector_bytes"] = l.logical;
    if (l.physical_known) out["physical_sector_bytes"] = l.physical;
    out["alignment_bytes"] = l.alignment;
    out["start_bytes"] = l.start;
    if (l.size != 0) out["size_bytes"] = l.size;
    out["bsize"] = l.bsize, out["fsize"] = l.fsize;
    if (l.block_components) out["components_per_block"] = *l.block_components;
    if (l.density) out["bytes_per_inode"] = *l.density;
    if (l.inodes) out["inodes"] = *l.inodes;
    return out;
}

Json value_json(const SettingValue& value) {
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return *number;
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    return escaped(std::get<std::string>(value));
}

Json step_json(const Step& step) {
    Json out = Json::object();
    out["kind"] = to_string(step.kind);
    out["commands"] = Json::array();
    Json inputs = Json::array();
    bool any_input = false;
    for (const SetupCommand& command : step.commands) {
        Json argv = Json::array();
        for (const std::string& word : command.argv) argv.push_back(escaped(word));
        out["commands"].push_back(std::move(argv));
        any_input = any_input || !command.input.empty();
        inputs.push_back(command.input.empty() ? Json(nullptr) : Json(command.input));
    }
    // One for each command: the text of its standard input, or null.
    if (any_input) out["inputs"] = std::move(inputs);
    out["settings"] = Json::array();
    for (const Change& change : step.changes)
        out["settings"].push_back(Json{{"name", info(change.setting).name},
                                       {"subject", escaped(change.subject)},
                                       {"value", value_json(change.value)}});
    put_text(out, "reason", step.reason);
    put_text(out, "cost", step.cost);
    out["risk"] = to_string(step.risk);
    put_text(out, "precondition", step.precondition);
    put_text(out, "undo", step.undo);
    return out;
}

}  // namespace

Json plan_to_json(const Plan& plan) {
    Json out = Json::object();
    out["os"] = to_string(plan.os);
    if (plan.planned.os.release) out["release"] = escaped(*plan.planned.os.release);
    out["subject"] = escaped(plan.subject);
    out["device"] = escaped(plan.device);
    out["layout"] = layout_json(plan.layout);
    out["steps"] = Json::array();
    for (const Step& step : plan.steps) out["steps"].push_back(step_json(step));
    out["notes"] = Json::array();
    for (const std::string& note : plan.notes) out["notes"].push_back(escaped(note));
    out["planned"] = facts_to_json(plan.planned, false);
    return out;
}

std::string plan_json(const Plan& plan) {
    return plan_to_json(plan).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diskwright
