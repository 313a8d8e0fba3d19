// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/simulated_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "probes/capture/document.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/nearest.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_file_bytes = std::size_t{32} << 20, most_points = 100'000;
constexpr std::uint64_t most_amount = std::uint64_t{1} << 50;

// What may be varied: its word, where it lies, and how many bytes one is; 0 for a name.
struct Varied {
    std::string_view word;
    const char* object;
    const char* key;
    std::uint64_t unit;
};
constexpr Varied varied[] = {{"sectPerSU", "volume", "stripe_unit_bytes", 512},
                             {"stripe_unit_bytes", "volume", "stripe_unit_bytes", 1},
                             {"bsize", "filesystem", "bsize", 1},
                             {"fsize", "filesystem", "fsize", 1},
                             {"partition_start_bytes", nullptr, "partition_start_bytes", 1},
                             {"fs_offset", nullptr, "partition_start_bytes", 512},
                             {"level", "volume", "level", 0},
                             {"layout", "volume", "layout", 0},
                             {"journal", "filesystem", "journal", 0}};

Error usage(std::string what) {
    return Error{ErrorKind::usage, std::move(what)};
}

std::optional<std::uint64_t> amount_of(std::string_view word) {
    if (word.empty()) return std::nullopt;
    const std::uint64_t unit = word.back() == 'k' ? 1024 : word.back() == 'm' ? 1048576 : 1;
    if (unit > 1) word.remove_suffix(1);
    std::uint64_t value = 0;
    for (const char digit : word) {
        if (digit < '0' || digit > '9' || value > most_amount) return std::nullopt;
        value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    // Doubled, or in sectors, it must not overflow.
    if (word.empty() || value > most_amount / unit) return std::nullopt;
    return value * unit;
}

// FROM:TO by doubling; a list separated by commas.
Result<std::vector<Json>> values_of(std::string_view text, std::uint64_t unit, std::string_view whole) {
    const auto wrong = [&] { return usage(fmt::format("--vary {}: KEY=FROM:TO or KEY=VALUE,VALUE", whole)); };
    std::vector<Json> values;
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        const auto from = amount_of(text.substr(0, colon)), to = amount_of(text.substr(colon + 1));
        if (unit == 0 || !from || !to || *from == 0 || *from > *to) return wrong();
        for (std::uint64_t value = *from; value <= *to; value *= 2) values.emplace_back(value);
        return values;
    }
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, comma);
        const auto value = amount_of(word);
        if (unit == 0 ? word.empty() : !value) return wrong();
        values.push_back(unit == 0 ? Json(word) : Json(*value));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    if (values.empty()) return wrong();
    return values;
}

Result<const Varied*> varied_by(std::string_view key) {
    const auto* row =
        std::find_if(std::begin(varied), std::end(varied), [&](const Varied& of) { return of.word == key; });
    if (row != std::end(varied)) return row;
    std::vector<std::string_view> words;
    for (const Varied& of : varied) words.push_back(of.word);
    const auto near = nearest(key, words);
    return usage(fmt::format("--vary: '{}' is not varied{}", key,
                             near ? fmt::format("; did you mean {}?", *near) : ""));
}

SimulatedPoint with_value(SimulatedPoint point, const Varied& by, const Json& value) {
    point.varied += fmt::format("{}{}={}", point.varied.empty() ? "" : " ", by.word,
                                value.is_string() ? value.get<std::string>() : value.dump());
    Json& object = by.object ? point.json[by.object] : point.json;
    object[by.key] = by.unit == 0 ? value : Json(value.get<std::uint64_t>() * by.unit);
    return point;
}

// Why there is nothing to put the value in.
std::optional<Error> no_place(const SimulatedPoint& point, const Varied& by) {
    if (!point.json.is_object())
        return Error{ErrorKind::bad_data, fmt::format("{}: not an object", point.source)};
    if (!by.object || (point.json.contains(by.object) && point.json[by.object].is_object()))
        return std::nullopt;
    return Error{ErrorKind::bad_data,
                 fmt::format("{}: {}: no object to vary {} in", point.source, by.object, by.word)};
}

Result<std::vector<SimulatedPoint>> multiplied(std::vector<SimulatedPoint> points, const std::string& vary) {
    const auto equals = vary.find('=');
    if (equals == std::string::npos)
        return usage(fmt::format("--vary {}: KEY=FROM:TO or KEY=VALUE,VALUE", vary));
    const auto row = varied_by(std::string_view(vary).substr(0, equals));
    if (!row) return row.error();
    const Varied& by = **row;
    const auto values = values_of(std::string_view(vary).substr(equals + 1), by.unit, vary);
    if (!values) return values.error();
    if (points.size() * values->size() > most_points)
        return usage(fmt::format("more than {} configurations", most_points));
    std::vector<SimulatedPoint> result;
    for (SimulatedPoint& point : points) {
        if (!point.error) point.error = no_place(point, by);
        if (point.error)
            result.push_back(std::move(point));
        else
            for (const Json& value : *values) result.push_back(with_value(point, by, value));
    }
    return result;
}

SimulatedPoint point_from(std::string_view text, std::string source) {
    auto json = parse_json(text, source);
    if (!json) return {"", std::move(source), {}, json.error()};
    return {"", std::move(source), std::move(*json), std::nullopt};
}

Result<std::vector<SimulatedPoint>> points_of_lines(std::string_view text, const std::string& path) {
    std::vector<SimulatedPoint> points;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        points.push_back(point_from(one, fmt::format("{}:{}", path, line)));
        if (points.size() > most_points)
            return usage(fmt::format("more than {} configurations", most_points));
    }
    if (points.empty()) return Error{ErrorKind::bad_data, path + ": no configuration"};
    return points;
}

}  // namespace

Result<std::vector<SimulatedPoint>> simulated_points(const ServerOptions& options) {
    const std::string& path = options.config.empty() ? options.configs : options.config;
    LoadLimits limits;
    limits.bytes = limits.document_bytes = max_file_bytes;
    const auto text = load_file(path, limits);
    if (!text) return text.error();
    std::vector<SimulatedPoint> points;
    if (!options.config.empty()) {
        points.push_back(point_from(*text, path));
    } else {
        auto lines = points_of_lines(*text, path);
        if (!lines) return lines.error();
        points = std::move(*lines);
    }
    for (const std::string& vary : options.vary) {
        auto more = multiplied(std::move(points), vary);
        if (!more) return more.error();
        points = std::move(*more);
    }
    return points;
}

}  // namespace diskwright
