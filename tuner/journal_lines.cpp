// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/journal_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int format_version = 1;
constexpr std::array<std::string_view, 4> state_names{"ok", "invalid", "failed", "timeout"};
constexpr double longest_trial_s = 9e9;  // what nanoseconds in 64 bits hold

std::string shown(const Json& value) {
    if (value.is_structured()) return "a list or an object";
    return escaped(value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 80));
}

// The first place where two values part: "space[1].values[0]: ...".
std::optional<std::string> difference(const Json& found, const Json& wanted, const std::string& path) {
    if (found == wanted) return std::nullopt;
    if (found.is_array() && wanted.is_array()) {
        for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i)
            if (auto part = difference(found[i], wanted[i], fmt::format("{}[{}]", path, i))) return part;
        return fmt::format("{}: the journal has {}, this search {} of them", path, found.size(),
                           wanted.size());
    }
    return fmt::format("{}: the journal has {}, this search {}", path, shown(found), shown(wanted));
}

std::optional<std::string> parameter_difference(const Json& found, const Json& wanted) {
    if (!found.is_array() || found.size() != wanted.size()) return difference(found, wanted, "space");
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (const char* key : {"name", "scale", "values"}) {
            const Json there = found[i].is_object() ? found[i].value(key, Json()) : Json();
            if (auto part = difference(there, wanted[i][key], fmt::format("space[{}].{}", i, key)))
                return part;
        }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(TrialState state) {
    return state_names[static_cast<std::size_t>(state)];
}

std::string JournalHeader::line(const SearchSpace& space) const {
    OrderedJson json{
        {"format", "diskwright-tune-journal"},
        {"format_version", format_version},
        {"method", method},
        {"seed", seed},
        {"source", escaped(source)},
        {"objective", {{"name", objective.name}, {"direction", objective.minimise ? "min" : "max"}}},
        {"default", nullptr},
        {"space", space_json(space)}};
    if (default_point) json["default"] = point_json(space, *default_point);
    return json.dump() + "\n";
}

std::string trial_line(const SearchSpace& space, const Trial& trial, std::uint64_t number) {
    OrderedJson json{{"trial", number},
                     {"point", point_json(space, trial.point)},
                     {"state", std::string(name_of(trial.state))}};
    if (trial.value) json["value"] = *trial.value;
    json["seconds"] = std::chrono::duration<double>(trial.cost).count();
    if (!trial.note.empty()) json["note"] = trial.note;
    return json.dump() + "\n";
}

Result<Trial> trial_from_line(const SearchSpace& space, std::string_view line, std::uint64_t number,
                              std::string_view source) {
    const auto json = parse_json(line, source);
    if (!json) return json.error();
    JsonObject object(*json, source);
    Trial trial;
    const auto counted = object.count("trial");
    auto point = object.object("point");
    const auto state = object.word("state", {state_names.begin(), state_names.end()});
    trial.value = object.number("value");
    const auto seconds = object.number("seconds");
    trial.note = object.text("note").value_or("");
    object.reject_unknown_keys();
    for (const auto* key : {"trial", "point", "state", "seconds"})
        if (!object.has(key)) object.fail(key, "missing");
    if (counted && *counted != number) object.fail("trial", fmt::format("{}, not {}", *counted, number));
    if (point) trial.point = read_point(space, *point);
    if (state)
        trial.state = static_cast<TrialState>(std::find(state_names.begin(), state_names.end(), *state) -
                                              state_names.begin());
    if (object.has("value") != (trial.state == TrialState::ok))
        object.fail("value", "a trial has one if and only if it is ok");
    if (seconds && *seconds >= 0 && *seconds <= longest_trial_s)
        trial.cost = std::chrono::nanoseconds(std::llround(*seconds * 1e9));
    else
        object.fail("seconds", "not a time");
    if (object.error()) return *object.error();
    return trial;
}

std::optional<std::string> header_difference(std::string_view found, std::string_view wanted) {
    const auto parsed = parse_json(found, "");
    const Json there = parsed ? Json(*parsed) : Json(), here = Json::parse(wanted);
    if (!there.is_object() || there.value("format", Json()) != here["format"])
        return "line 1: not the header of a journal";
    for (const char* key : {"format_version", "method", "seed", "source"})
        if (auto part = difference(there.value(key, Json()), here[key], key)) return part;
    for (const char* key : {"name", "direction"}) {
        const Json objective = there.value("objective", Json());
        const Json value = objective.is_object() ? objective.value(key, Json()) : Json();
        if (auto part = difference(value, here["objective"][key], fmt::format("objective.{}", key)))
            return part;
    }
    if (auto part = parameter_difference(there.value("space", Json()), here["space"])) return part;
    return difference(there.value("default", Json()), here["default"], "default");
}

}  // namespace diskwright
