// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/landscape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Not the ordered kind: that one takes the square of the number of keys to read an object.
using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t max_rows = 1'000'000;
constexpr std::array<std::string_view, 3> scale_names{"linear", "log2", "choice"};

Error fault(const std::string& path, std::string_view what) {
    return Error{ErrorKind::bad_data, path.empty() ? std::string(what) : fmt::format("{}: {}", path, what)};
}

std::string unknown(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
    std::string message = fmt::format("{} '{}' is not known", what, escaped(word));
    if (const auto near = nearest(word, known))
        message += fmt::format("; did you mean '{}'?", escaped(*near));
    return message;
}

std::optional<Error> fault_of_keys(const Json& object, const std::string& path,
                                   std::span<const std::string_view> known) {
    if (!object.is_object()) return fault(path, "not an object");
    for (const auto& item : object.items())
        if (std::find(known.begin(), known.end(), item.key()) == known.end())
            return fault(path, unknown("key", item.key(), known));
    return std::nullopt;
}

std::optional<Value> value_from_json(const Json& json) {
    if (json.is_string()) return Value{Value::Kind::word, json.get<std::string>()};
    if (json.is_boolean()) return Value{Value::Kind::truth, json.get<bool>() ? "true" : "false"};
    if (json.is_number()) return Value{Value::Kind::number, json.dump(), json.get<double>()};
    return std::nullopt;
}

OrderedJson json_of(const Value& value) {
    if (value.kind == Value::Kind::word) return value.text;
    return OrderedJson::parse(value.text, nullptr, false);
}

const Json& member(const Json& object, std::string_view key) {
    return *object.find(std::string(key));
}

bool has(const Json& object, std::string_view key) {
    return object.find(std::string(key)) != object.end();
}

Result<Parameter> parameter_from_json(const Json& json, const std::string& path) {
    constexpr std::array<std::string_view, 3> keys{"name", "scale", "values"};
    if (auto wrong = fault_of_keys(json, path, keys)) return std::move(*wrong);
    for (const auto key : keys)
        if (!has(json, key)) return fault(path, fmt::format("{} is missing", key));
    if (!json["name"].is_string()) return fault(path + ".name", "not a string");
    if (!json["scale"].is_string()) return fault(path + ".scale", "not a string");
    if (!json["values"].is_array()) return fault(path + ".values", "not a list");

    Parameter parameter;
    parameter.name = json["name"].get<std::string>();
    const auto scale = json["scale"].get<std::string>();
    const auto found = std::find(scale_names.begin(), scale_names.end(), scale);
    if (found == scale_names.end()) return fault(path + ".scale", unknown("scale", scale, scale_names));
    parameter.scale = static_cast<Parameter::Scale>(found - scale_names.begin());
    for (const Json& item : json["values"]) {
        auto value = value_from_json(item);
        if (!value)
            return fault(fmt::format("{}.values[{}]", path, parameter.values.size()),
                         "neither a number, a string nor a boolean");
        parameter.values.push_back(std::move(*value));
    }
    return parameter;
}

Result<SearchSpace> space_from_json(const Json& json) {
    if (!json.is_array()) return fault("parameters", "not a list");
    if (json.size() > SearchSpace::max_parameters)
        return fault("parameters", fmt::format("{} parameters, at most {} can be searched", json.size(),
                                               SearchSpace::max_parameters));
    std::vector<Parameter> parameters;
    for (const Json& item : json) {
        auto parameter = parameter_from_json(item, fmt::format("parameters[{}]", parameters.size()));
        if (!parameter) return parameter.error();
        parameters.push_back(std::move(*parameter));
    }
    auto space = SearchSpace::of(std::move(parameters));
    if (!space) return fault("parameters", space.error().message);
    return space;
}

Result<Objective> objective_from_json(const Json& json, const SearchSpace& space) {
    constexpr std::array<std::string_view, 2> keys{"name", "direction"}, directions{"min", "max"};
    if (auto wrong = fault_of_keys(json, "objective", keys)) return std::move(*wrong);
    for (const auto key : keys) {
        if (!has(json, key)) return fault("objective", fmt::format("{} is missing", key));
        if (!member(json, key).is_string()) return fault(fmt::format("objective.{}", key), "not a string");
    }
    Objective objective{json["name"].get<std::string>(), json["direction"] == "min"};
    const auto direction = json["direction"].get<std::string>();
    if (std::find(directions.begin(), directions.end(), direction) == directions.end())
        return fault("objective.direction", unknown("direction", direction, directions));
    if (objective.name.empty()) return fault("objective.name", "empty");
    for (const Parameter& parameter : space.parameters())
        if (parameter.name == objective.name)
            return fault("objective.name", fmt::format("{} is a parameter already", escaped(objective.name)));
    return objective;
}

// A row: the point, and the objective's value.
Result<std::pair<Point, double>> row_from_json(const Json& json, const Landscape& landscape) {
    if (!json.is_object()) return fault("", "not an object");
    const auto found = json.find(landscape.objective.name);
    if (found == json.end())
        return fault("", fmt::format("{} is missing", escaped(landscape.objective.name)));
    if (!found->is_number()) return fault(escaped(landscape.objective.name), "not a number");
    const double value = found->get<double>();
    if (!std::isfinite(value)) return fault(escaped(landscape.objective.name), "not a finite number");
    Json rest = json;
    rest.erase(landscape.objective.name);
    auto point = point_from_json(landscape.space, rest);
    if (!point) return point.error();
    return std::pair{std::move(*point), value};
}

std::optional<Error> read_rows(const Json& json, Landscape& landscape) {
    if (!json.is_array()) return fault("rows", "not a list");
    if (json.empty()) return fault("rows", "empty");
    if (json.size() > max_rows) return fault("rows", fmt::format("more than {}", max_rows));
    std::size_t index = 0;
    for (const Json& item : json) {
        const std::string path = fmt::format("rows[{}]", index++);
        auto row = row_from_json(item, landscape);
        if (!row) return fault(path, row.error().message);
        if (!landscape.rows.insert(std::move(*row)).second) return fault(path, "this point was there before");
    }
    return std::nullopt;
}

std::optional<Error> read_default(const Json& json, Landscape& landscape) {
    auto point = point_from_json(landscape.space, json);
    if (!point) return fault("default", point.error().message);
    landscape.default_point = std::move(*point);
    return std::nullopt;
}

Result<Landscape> landscape_of(const Json& json, Rows rows) {
    constexpr std::array<std::string_view, 7> keys{"title",   "source", "parameters", "objective",
                                                   "default", "rows",   "context"};
    if (auto wrong = fault_of_keys(json, "", keys)) return std::move(*wrong);
    for (const auto key : {"title", "source"})
        if (json.contains(key) && !json[key].is_string()) return fault(key, "not a string");
    if (json.contains("context") && !json["context"].is_object()) return fault("context", "not an object");
    for (const auto key : {"parameters", "objective"})
        if (!json.contains(key)) return fault(key, "missing");
    if (rows == Rows::wanted && !json.contains("rows")) return fault("rows", "missing");

    auto space = space_from_json(json["parameters"]);
    if (!space) return space.error();
    auto objective = objective_from_json(json["objective"], *space);
    if (!objective) return objective.error();
    Landscape landscape{json.value("title", ""),
                        json.value("source", ""),
                        std::move(*space),
                        std::move(*objective),
                        std::nullopt,
                        {}};
    if (json.contains("default"))
        if (auto wrong = read_default(json["default"], landscape)) return std::move(*wrong);
    if (rows == Rows::wanted)
        if (auto wrong = read_rows(json["rows"], landscape)) return std::move(*wrong);
    return landscape;
}

// Where JSON that does not parse breaks off.
std::size_t broken_line(std::string_view text) {
    try {
        [[maybe_unused]] const Json whole = Json::parse(text);
    } catch (const Json::parse_error& broken) {
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(broken.byte, text.size()));
        return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
    } catch (const Json::exception&) {  // a number that does not fit carries no place
    }
    return 1;
}

}  // namespace

std::string_view name_of(Parameter::Scale scale) {
    return scale_names[static_cast<std::size_t>(scale)];
}

Result<Landscape> landscape_from_json(std::string_view text, const std::string& name, Rows rows) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        return Error{ErrorKind::bad_data, fmt::format("{}:{}: not JSON", escaped(name), broken_line(text))};
    auto landscape = landscape_of(json, rows);
    if (!landscape)
        return Error{ErrorKind::bad_data, fmt::format("{}: {}", escaped(name), landscape.error().message)};
    return landscape;
}

OrderedJson point_json(const SearchSpace& space, const Point& point) {
    OrderedJson json = OrderedJson::object();
    for (std::size_t i = 0; i < point.size(); ++i)
        json[space.parameters()[i].name] = json_of(space.value(point, i));
    return json;
}

Result<Point> point_from_json(const SearchSpace& space, const Json& json) {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name);
    if (auto wrong = fault_of_keys(json, "", names)) return std::move(*wrong);
    Point point;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = json.find(std::string(names[i]));
        if (found == json.end()) return fault("", fmt::format("{} is missing", escaped(names[i])));
        const auto value = value_from_json(*found);
        const auto index = value ? space.index_of(i, *value) : std::nullopt;
        if (!index)
            return fault(escaped(names[i]),
                         fmt::format("{} is none of its values",
                                     value ? escaped(value->text.substr(0, 80)) : found->type_name()));
        point.push_back(*index);
    }
    return point;
}

OrderedJson space_json(const SearchSpace& space) {
    OrderedJson list = OrderedJson::array();
    for (const Parameter& parameter : space.parameters()) {
        OrderedJson values = OrderedJson::array();
        for (const Value& value : parameter.values) values.push_back(json_of(value));
        list.push_back({{"name", parameter.name},
                        {"scale", std::string(name_of(parameter.scale))},
                        {"values", std::move(values)}});
    }
    return list;
}

}  // namespace diskwright
