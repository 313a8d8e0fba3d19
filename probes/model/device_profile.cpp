// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/device_profile.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

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
    if (m.series.size() == 1) out["percentiles"] = percentiles(m.series.front().samples);
    for (const auto& series : m.series)
        out["series"].push_back(Json{{"label", series.label}, {"samples", series.samples}});
    return out;
}

/// Reads one object key by key; the first thing that is wrong stays as the error.
class Fields {
 public:
    Fields(const Json& json, std::string path, std::string_view source)
        : json_(json), path_(std::move(path)), source_(source) {
        if (!json.is_object()) wrong("", "an object");
    }
    std::optional<Error> error;

    const Json* find(const char* key) const {
        if (!json_.is_object()) return nullptr;
        const auto at = json_.find(key);
        return at == json_.end() ? nullptr : &*at;
    }
    std::optional<double> number(const char* key) {
        const Json* value = find(key);
        if (!value) return std::nullopt;
        if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
        wrong(key, "a number");
        return std::nullopt;
    }
    std::optional<std::string> text(const char* key) {
        const Json* value = find(key);
        if (!value) return std::nullopt;
        if (value->is_string()) return value->get<std::string>();
        wrong(key, "a text");
        return std::nullopt;
    }
    void wrong(const char* key, std::string_view wanted) {
        if (!error)
            error = Error{ErrorKind::bad_data,
                          fmt::format("{}: {}{}{}: not {}", source_, path_, *key ? "." : "", key, wanted)};
    }
    std::string path(const char* key, std::size_t index) const {
        return fmt::format("{}.{}[{}]", path_, key, index);
    }

 private:
    const Json& json_;
    std::string path_;
    std::string_view source_;
};

Result<Measurement> measurement_from(const Json& json, const std::string& quantity, std::string_view source) {
    Fields fields(json, quantity, source);
    Measurement m;
    m.unit = fields.text("unit").value_or("");
    m.reason = fields.text("reason").value_or("");
    m.spread = fields.number("spread");
    if (const auto count = fields.number("samples")) {
        if (*count < 0 || *count > 1e15 || std::floor(*count) != *count)
            fields.wrong("samples", "a count");
        else
            m.samples = static_cast<std::uint64_t>(*count);
    }
    const auto confidence = fields.text("confidence");
    if (const auto known = confidence ? from_string<Confidence>(*confidence) : std::nullopt)
        m.confidence = *known;
    else
        fields.wrong("confidence", "one of high, medium, low, inconclusive");
    if (const Json* value = fields.find("value")) {
        if (value->is_string()) {
            m.value = value->get<std::string>();
        } else if (value->is_array()) {
            std::vector<Measurement::Point> curve;
            for (const Json& element : *value) {
                Fields point(element, fields.path("value", curve.size()), source);
                const auto at = point.number("at"), y = point.number("value");
                if (!at || !y) point.wrong("", "a point with at and value");
                const auto spread = point.number("spread");
                if (point.error) return *point.error;
                curve.push_back({*at, *y, spread});
            }
            m.value = std::move(curve);
        } else if (const auto number = fields.number("value")) {
            m.value = *number;
        }
    } else if (m.confidence != Confidence::inconclusive) {
        fields.wrong("value", "there, though the confidence is not inconclusive");
    }
    if (const Json* list = fields.find("series")) {
        if (!list->is_array()) fields.wrong("series", "a list");
        for (const Json& element : list->is_array() ? *list : Json::array()) {
            Fields one(element, fields.path("series", m.series.size()), source);
            Measurement::Series series{one.text("label").value_or(""), {}};
            const Json* samples = one.find("samples");
            if (!samples || !samples->is_array()) one.wrong("samples", "a list");
            if (one.error) return *one.error;
            for (const Json& sample : *samples) {
                if (!sample.is_number()) one.wrong("samples", "a list of numbers");
                if (one.error) return *one.error;
                series.samples.push_back(sample.get<double>());
            }
            m.series.push_back(std::move(series));
        }
    }
    if (fields.error) return *fields.error;
    return m;
}

}  // namespace

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
    if (!json.is_object())
        return Error{ErrorKind::bad_data,
                     fmt::format("{}: a profile is an object keyed by quantity", source)};
    DeviceProfile profile;
    for (const auto& [quantity, value] : json.items()) {
        auto measurement = measurement_from(value, quantity, source);
        if (!measurement) return measurement.error();
        profile.emplace(quantity, std::move(*measurement));
    }
    return profile;
}

}  // namespace diskwright
