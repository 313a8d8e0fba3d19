// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/simulate_server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/server_simulation.hpp"
#include "probes/capture/document.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/configuration.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_file_bytes = std::size_t{32} << 20, most_points = 100'000;

// What may be varied: its word, where it lies, and how many bytes one is.
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
                             {"fs_offset", nullptr, "partition_start_bytes", 512}};

struct Point {
    std::string text;
    Json json;
};

Error usage(std::string what) {
    return Error{ErrorKind::usage, std::move(what)};
}

std::optional<std::uint64_t> amount_of(std::string_view word) {
    if (word.empty()) return std::nullopt;
    const std::uint64_t unit = word.back() == 'k' ? 1024 : word.back() == 'm' ? 1048576 : 1;
    if (unit > 1) word.remove_suffix(1);
    std::uint64_t value = 0;
    for (const char digit : word) {
        if (digit < '0' || digit > '9' || value > (std::uint64_t{1} << 40)) return std::nullopt;
        value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return word.empty() ? std::nullopt : std::optional(value * unit);
}

// FROM:TO by doubling; a list separated by commas.
Result<std::vector<std::uint64_t>> values_of(std::string_view text, std::string_view whole) {
    const auto wrong = [&] { return usage(fmt::format("--vary {}: KEY=FROM:TO or KEY=VALUE,VALUE", whole)); };
    std::vector<std::uint64_t> values;
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        const auto from = amount_of(text.substr(0, colon)), to = amount_of(text.substr(colon + 1));
        if (!from || !to || *from == 0 || *from > *to) return wrong();
        for (std::uint64_t value = *from; value <= *to; value *= 2) values.push_back(value);
        return values;
    }
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        const auto value = amount_of(text.substr(0, comma));
        if (!value) return wrong();
        values.push_back(*value);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    if (values.empty()) return wrong();
    return values;
}

Result<std::vector<Point>> multiplied(const std::vector<Point>& points, const std::string& vary) {
    const auto equals = vary.find('=');
    if (equals == std::string::npos)
        return usage(fmt::format("--vary {}: KEY=FROM:TO or KEY=VALUE,VALUE", vary));
    const std::string key = vary.substr(0, equals);
    const auto* row =
        std::find_if(std::begin(varied), std::end(varied), [&](const Varied& of) { return of.word == key; });
    if (row == std::end(varied)) {
        std::vector<std::string_view> words;
        for (const Varied& of : varied) words.push_back(of.word);
        const auto near = nearest(key, words);
        return usage(fmt::format("--vary: '{}' is not varied{}", key,
                                 near ? fmt::format("; did you mean {}?", *near) : ""));
    }
    const auto values = values_of(std::string_view(vary).substr(equals + 1), vary);
    if (!values) return values.error();
    if (points.size() * values->size() > most_points)
        return usage(fmt::format("more than {} configurations", most_points));
    std::vector<Point> result;
    for (const Point& point : points)
        for (const std::uint64_t value : *values) {
            Point next = point;
            next.text += fmt::format("{}{}={}", next.text.empty() ? "" : " ", key, value);
            Json& object = row->object ? next.json[row->object] : next.json;
            if (!object.is_object())
                return Error{ErrorKind::bad_data,
                             fmt::format("{}: no object to vary {} in", row->object, key)};
            object[row->key] = value * row->unit;
            result.push_back(std::move(next));
        }
    return result;
}

Result<std::vector<Point>> points_of(const ServerOptions& options) {
    const std::string& path = options.config.empty() ? options.configs : options.config;
    LoadLimits limits;
    limits.bytes = limits.document_bytes = max_file_bytes;
    const auto text = load_file(path, limits);
    if (!text) return text.error();
    std::vector<Point> points;
    if (!options.config.empty()) {
        auto json = parse_json(*text, path);
        if (!json) return json.error();
        points.push_back({"", std::move(*json)});
    } else {
        std::size_t line = 0;
        for (std::string_view rest = *text; !rest.empty();) {
            const auto end = std::min(rest.find('\n'), rest.size());
            const std::string_view one = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            ++line;
            if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
            auto json = parse_json(one, fmt::format("{}:{}", path, line));
            if (!json) return json.error();
            points.push_back({"", std::move(*json)});
            if (points.size() > most_points)
                return usage(fmt::format("more than {} configurations", most_points));
        }
        if (points.empty()) return Error{ErrorKind::bad_data, path + ": no configuration"};
    }
    for (const std::string& vary : options.vary) {
        auto more = multiplied(points, vary);
        if (!more) return more.error();
        points = std::move(*more);
    }
    return points;
}

DriveCounters since(DriveCounters now, const DriveCounters& then) {
    now.reads -= then.reads;
    now.writes -= then.writes;
    now.flushes -= then.flushes;
    now.blocks_read -= then.blocks_read;
    now.blocks_written -= then.blocks_written;
    now.busy_s -= then.busy_s;
    now.seek_s -= then.seek_s;
    now.rotation_s -= then.rotation_s;
    now.transfer_s -= then.transfer_s;
    return now;
}

Result<ServerSimulation> simulated(const Point& point, std::string_view source,
                                   const std::function<bool()>& goes_on) {
    const auto machine = configuration_from_json(point.json, source);
    if (!machine) return machine.error();
    auto volume = make_array(*machine);
    if (!volume) return Error{volume.error().kind, fmt::format("{}: {}", source, volume.error().message)};
    const SimulatedArray& array = *volume->array;
    ServerSimulation simulation;
    simulation.point = point.text;
    simulation.assumed = volume->assumed;
    ArrayCounters before;
    const auto counters = [&] {
        std::vector<DriveCounters> list;
        for (std::size_t i = 0; i < array.components(); ++i) list.push_back(array.component_counters(i));
        return list;
    };
    std::vector<DriveCounters> begun;
    SimulationOptions options;
    options.goes_on = goes_on;
    options.at_start = [&] {
        begun = counters();
        before = array.array_counters();
    };
    options.at_end = [&] { simulation.components = counters(); };
    auto result = run_simulation(*machine, *volume->array, options);
    if (!result) return Error{result.error().kind, fmt::format("{}: {}", source, result.error().message)};
    simulation.result = std::move(*result);
    for (std::size_t i = 0; i < begun.size(); ++i)
        simulation.components[i] = since(simulation.components[i], begun[i]);
    simulation.array = array.array_counters();
    simulation.array.queue_s -= before.queue_s;
    simulation.array.parity_read_s -= before.parity_read_s;
    return simulation;
}

}  // namespace

int run_servers(const ServerOptions& options, const OutputOptions& out, bool quiet) {
    const std::string& path = options.config.empty() ? options.configs : options.config;
    if (const auto clash = output_clash(out.output, {path})) return fail(*clash);
    const auto points = points_of(options);
    if (!points) return fail(points.error());
    std::string text;
    bool cancelled = false;
    std::optional<Error> error;
    {
        ProgressLine progress(quiet);
        double done = 0;
        for (const Point& point : *points) {
            const auto simulation = simulated(point, path, [&] {
                progress.at("simulating", done, double(points->size()));
                cancelled = progress.cancelled();
                return !cancelled;
            });
            if (cancelled) break;
            if (!simulation) {
                error = simulation.error();
                break;
            }
            text += out.format == "json" ? render_server_json(*simulation)
                                         : render_server_text(*simulation, options.explains, quiet);
            ++done;
        }
    }
    if (cancelled) end_by_signal();
    if (error) return fail(*error);
    const auto written = write_result(out.output, text);
    return written ? 0 : fail(written.error());
}

}  // namespace diskwright
