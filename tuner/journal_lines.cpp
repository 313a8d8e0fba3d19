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

Error fault(std::string what) {
    return Error{ErrorKind::bad_data, std::move(what)};
}

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

Result<Trial> trial_from_json(const SearchSpace& space, const Json& json, std::uint64_t number) {
    constexpr std::array<std::string_view, 6> keys{"trial", "point", "state", "value", "seconds", "note"};
    if (!json.is_object()) return fault("not a JSON object");
    for (const auto& item : json.items())
        if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
            return fault(fmt::format("key '{}' is not known", escaped(item.key())));
    for (const char* key : {"trial", "point", "state", "seconds"})
        if (!json.contains(key)) return fault(fmt::format("{} is missing", key));
    if (json["trial"] != number)
        return fault(fmt::format("trial is {}, not {}", shown(json["trial"]), number));

    Trial trial;
    auto point = point_from_json(space, json["point"]);
    if (!point) return fault("point: " + point.error().message);
    trial.point = std::move(*point);
    const auto state = std::find(state_names.begin(), state_names.end(),
                                 json["state"].is_string() ? json["state"].get<std::string>() : "");
    if (state == state_names.end()) return fault(fmt::format("state: {} is none", shown(json["state"])));
    trial.state = static_cast<TrialState>(state - state_names.begin());
    if (json.contains("value") != (trial.state == TrialState::ok))
        return fault("value: a trial has one if and only if it is ok");
    if (trial.state == TrialState::ok) {
        if (!json["value"].is_number()) return fault("value: not a number");
        trial.value = json["value"].get<double>();
    }
    const double seconds = json["seconds"].is_number() ? json["seconds"].get<double>() : -1;
    if (!(seconds >= 0 && seconds <= longest_trial_s)) return fault("seconds: not a time");
    trial.cost = std::chrono::nanoseconds(std::llround(seconds * 1e9));
    if (json.contains("note")) {
        if (!json["note"].is_string()) return fault("note: not a string");
        trial.note = json["note"].get<std::string>();
    }
    return trial;
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

Result<Trial> trial_from_line(const SearchSpace& space, std::string_view line, std::uint64_t number) {
    return trial_from_json(space, Json::parse(line, nullptr, false), number);
}

std::optional<std::string> header_difference(std::string_view found, std::string_view wanted) {
    const Json there = Json::parse(found, nullptr, false), here = Json::parse(wanted, nullptr, false);
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
