// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/landscape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_rows = 1'000'000;
constexpr std::array<std::string_view, 3> scale_names{"linear", "log2", "choice"};

std::string required_text(JsonObject& json, std::string_view key) {
    if (!json.has(key)) json.fail(key, "missing");
    return json.text(key).value_or("");
}

std::optional<Value> value_from_json(const Json& json) {
    if (json.is_string()) return Value{Value::Kind::word, json.get<std::string>()};
    if (json.is_boolean()) return Value{Value::Kind::truth, json.get<bool>() ? "true" : "false"};
    if (json.is_number()) return Value{Value::Kind::number, json.dump(), json.get<double>()};
    return std::nullopt;
}

Json json_of(const Value& value) {
    if (value.kind == Value::Kind::word) return value.text;
    return Json::parse(value.text, nullptr, false);
}

Parameter read_parameter(JsonObject json) {
    Parameter parameter;
    parameter.name = required_text(json, "name");
    required_text(json, "scale");
    if (const auto scale = json.word("scale", {scale_names.begin(), scale_names.end()}))
        parameter.scale = static_cast<Parameter::Scale>(
            std::find(scale_names.begin(), scale_names.end(), *scale) - scale_names.begin());
    if (!json.has("values")) json.fail("values", "missing");
    for (const Json* item : json.list("values")) {
        auto value = value_from_json(*item);
        if (!value)
            json.fail(fmt::format("values[{}]", parameter.values.size()),
                      "neither a number, a string nor a boolean");
        parameter.values.push_back(value.value_or(Value{}));
    }
    json.reject_unknown_keys();
    return parameter;
}

Result<SearchSpace> read_space(JsonObject& top) {
    const auto list = top.list("parameters");
    if (list.size() > SearchSpace::max_parameters)
        top.fail("parameters", fmt::format("{} parameters, at most {} can be searched", list.size(),
                                           SearchSpace::max_parameters));
    std::vector<Parameter> parameters;
    for (const Json* item : list) {
        if (top.error()) break;
        parameters.push_back(read_parameter(top.element("parameters", parameters.size(), *item)));
    }
    if (top.error()) return *top.error();
    auto space = SearchSpace::of(std::move(parameters));
    if (!space) top.fail("parameters", space.error().message);
    return space;
}

Objective read_objective(JsonObject& top, const SearchSpace& space) {
    Objective objective;
    auto json = top.object("objective");
    if (!json) return objective;
    objective.name = required_text(*json, "name");
    required_text(*json, "direction");
    objective.minimise = json->word("direction", {"min", "max"}) == "min";
    json->reject_unknown_keys();
    if (objective.name.empty()) json->fail("name", "empty");
    for (const Parameter& parameter : space.parameters())
        if (parameter.name == objective.name)
            json->fail("name", fmt::format("{} is a parameter already", objective.name));
    return objective;
}

void read_rows(JsonObject& top, Landscape& landscape) {
    const auto list = top.list("rows");
    if (list.empty()) top.fail("rows", "empty");
    if (list.size() > max_rows) top.fail("rows", fmt::format("more than {}", max_rows));
    for (std::size_t i = 0; i < list.size() && !top.error(); ++i) {
        JsonObject row = top.element("rows", i, *list[i]);
        const auto value = row.number(landscape.objective.name);
        Point point = read_point(landscape.space, row);
        if (!value) row.fail(landscape.objective.name, "missing");
        if (!landscape.rows.emplace(std::move(point), value.value_or(0)).second)
            row.fail("", "this point was there before");
    }
}

Result<Landscape> landscape_of(JsonObject top, Rows rows) {
    const std::string title = top.text("title").value_or(""), source = top.text("source").value_or("");
    if (top.has("context")) top.object("context");
    const Json* default_point = top.any("default");
    for (const auto key : {"parameters", "objective", "rows", "context"}) top.any(key);
    top.reject_unknown_keys();
    for (const auto key : {"parameters", "objective"})
        if (!top.has(key)) top.fail(key, "missing");
    if (rows == Rows::wanted && !top.has("rows")) top.fail("rows", "missing");
    auto space = read_space(top);
    if (!space || top.error()) return *top.error();
    Objective objective = read_objective(top, *space);
    Landscape landscape{title, source, std::move(*space), std::move(objective), std::nullopt, {}};
    if (default_point) {
        JsonObject json = *top.object("default");
        landscape.default_point = read_point(landscape.space, json);
    }
    if (rows == Rows::wanted && !top.error()) read_rows(top, landscape);
    if (top.error()) return *top.error();
    return landscape;
}

}  // namespace

std::string_view name_of(Parameter::Scale scale) {
    return scale_names[static_cast<std::size_t>(scale)];
}

Result<Landscape> landscape_from_json(std::string_view text, const std::string& name, Rows rows) {
    const auto json = parse_json(text, name);
    if (!json) return json.error();
    return landscape_of(JsonObject(*json, name), rows);
}

Json point_json(const SearchSpace& space, const Point& point) {
    Json json = Json::object();
    for (std::size_t i = 0; i < point.size(); ++i)
        json[space.parameters()[i].name] = json_of(space.value(point, i));
    return json;
}

Point read_point(const SearchSpace& space, JsonObject& json) {
    std::vector<const Json*> found;
    for (const Parameter& parameter : space.parameters()) found.push_back(json.any(parameter.name));
    json.reject_unknown_keys();
    Point point;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::string& name = space.parameters()[i].name;
        const auto value = found[i] ? value_from_json(*found[i]) : std::nullopt;
        const auto index = value ? space.index_of(i, *value) : std::nullopt;
        if (!found[i])
            json.fail(name, "missing");
        else if (!index)
            json.fail(name, fmt::format("{} is none of its values",
                                        value ? value->text.substr(0, 80) : found[i]->type_name()));
        point.push_back(index.value_or(0));
    }
    return point;
}

Json space_json(const SearchSpace& space) {
    Json list = Json::array();
    for (const Parameter& parameter : space.parameters()) {
        Json values = Json::array();
        for (const Value& value : parameter.values) values.push_back(json_of(value));
        list.push_back({{"name", parameter.name},
                        {"scale", std::string(name_of(parameter.scale))},
                        {"values", std::move(values)}});
    }
    return list;
}

}  // namespace diskwright
