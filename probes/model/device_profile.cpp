// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/device_profile.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "probes/model/json_object.hpp"
#include "probes/support/statistics.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json percentiles(const std::vector<double>& samples) {
    Json out = Json::object();
    constexpr std::array<std::pair<std::string_view, double>, 4> shares{
        {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1.0}}};
    for (const auto& [name, share] : shares)
        if (const auto value = percentile(samples, share)) out[std::string(name)] = *value;
    return out;
}

Json point_json(const Measurement::Point& point) {
    Json out{{"at", point.at}, {"value", point.value}};
    if (point.spread) out["spread"] = *point.spread;
    return out;
}

Json measurement_json(const Measurement& m) {
    Json out = Json::object();
    if (const auto* number = std::get_if<double>(&m.value)) {
        out["value"] = *number;
    } else if (const auto* word = std::get_if<std::string>(&m.value)) {
        out["value"] = *word;
    } else if (const auto* curve = std::get_if<std::vector<Measurement::Point>>(&m.value)) {
        out["value"] = Json::array();
        for (const auto& point : *curve) out["value"].push_back(point_json(point));
    }
    if (!m.unit.empty()) out["unit"] = m.unit;
    if (m.spread) out["spread"] = *m.spread;
    out["samples"] = m.samples;
    out["confidence"] = to_string(m.confidence);
    if (!m.reason.empty()) out["reason"] = m.reason;
    if (const auto* series = m.distribution()) out["percentiles"] = percentiles(series->samples);
    for (const auto& series : m.series)
        out["series"].push_back(Json{{"label", series.label}, {"samples", series.samples}});
    return out;
}

std::vector<Measurement::Point> curve_from(JsonObject& fields) {
    std::vector<Measurement::Point> curve;
    for (const Json* element : fields.list("value")) {
        JsonObject point = fields.element("value", curve.size(), *element);
        const auto at = point.number("at"), value = point.number("value");
        if (!at || !value) point.fail("", "not a point with at and value");
        curve.push_back({at.value_or(0), value.value_or(0), point.number("spread")});
        point.reject_unknown_keys();
    }
    return curve;
}

std::vector<Measurement::Series> series_from(JsonObject& fields) {
    std::vector<Measurement::Series> out;
    for (const Json* element : fields.list("series")) {
        JsonObject one = fields.element("series", out.size(), *element);
        Measurement::Series series{one.text("label").value_or(""), {}};
        for (const Json* sample : one.list("samples")) {
            if (!sample->is_number()) one.fail("samples", "not a list of numbers");
            series.samples.push_back(sample->is_number() ? sample->get<double>() : 0);
        }
        one.reject_unknown_keys();
        out.push_back(std::move(series));
    }
    return out;
}

Measurement measurement_from(JsonObject fields) {
    Measurement m;
    if (const Json* value = fields.any("value")) {
        if (value->is_array())
            m.value = curve_from(fields);
        else if (value->is_string())
            m.value = value->get<std::string>();
        else if (const auto number = fields.number("value"))
            m.value = *number;
    }
    m.unit = fields.text("unit").value_or("");
    m.spread = fields.number("spread");
    m.samples = fields.count("samples").value_or(0);
    const auto confidence = fields.word("confidence", {"high", "medium", "low", "inconclusive"});
    if (!fields.has("confidence")) fields.fail("confidence", "missing");
    m.confidence = from_string<Confidence>(confidence.value_or("")).value_or(Confidence::inconclusive);
    m.reason = fields.text("reason").value_or("");
    m.series = series_from(fields);
    if (m.confidence != Confidence::inconclusive && !fields.has("value"))
        fields.fail("value", "missing, though the confidence is not inconclusive");
    fields.any("percentiles");  // follow from the samples
    fields.reject_unknown_keys();
    return m;
}

}  // namespace

const Measurement::Series* Measurement::distribution() const {
    const bool one_quantity = series.size() == 1 || std::holds_alternative<double>(value);
    if (!one_quantity || series.empty() || series.front().label.ends_with(", s")) return nullptr;
    return &series.front();
}

Measurement Measurement::inconclusive(std::string_view unit, std::string_view why) {
    Measurement m;
    m.unit = unit;
    m.reason = why;
    return m;
}

Json profile_to_json(const DeviceProfile& profile) {
    Json out = Json::object();
    for (const auto& [quantity, measurement] : profile) out[quantity] = measurement_json(measurement);
    return out;
}

Result<DeviceProfile> profile_from_json(const Json& json, std::string_view source) {
    JsonObject fields(json, source);
    DeviceProfile profile;
    if (json.is_object())
        for (const auto& [quantity, value] : json.items())
            profile.emplace(quantity, measurement_from(*fields.object(quantity)));
    if (fields.error()) return *fields.error();
    return profile;
}

}  // namespace diskwright
