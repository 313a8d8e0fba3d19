// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/response_distribution.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr double ms = 1e3, us = 1e6;

std::optional<double> rms_ms(const TraceSimulation& simulation) {
    if (simulation.measured_s.size() != simulation.service_s.size()) return std::nullopt;
    const auto rms = rms_difference(simulation.measured_s, simulation.service_s);
    return rms ? std::optional(*rms * ms) : std::nullopt;
}

// To the nanosecond: what is behind it is the arithmetic's.
double microseconds(double seconds) {
    return std::round(seconds * us * 1000) / 1000;
}

Json counters_json(const DriveCounters& counters) {
    constexpr std::uint64_t block = 512;
    return {{"reads", counters.reads},
            {"writes", counters.writes},
            {"read_bytes", counters.blocks_read * block},
            {"write_bytes", counters.blocks_written * block},
            {"from_buffer_bytes", counters.blocks_from_buffer * block},
            {"busy_s", counters.busy_s},
            {"seek_s", counters.seek_s},
            {"rotation_s", counters.rotation_s},
            {"transfer_s", counters.transfer_s}};
}

std::string percentiles(const std::vector<double>& seconds) {
    std::string out;
    for (const double share : {0.05, 0.25, 0.5, 0.75, 0.95, 0.99})
        out += fmt::format("{:>10.3f}", percentile(seconds, share).value_or(0) * ms);
    return out;
}

}  // namespace

std::string render_simulation_json(const TraceSimulation& simulation) {
    Json json;
    if (!simulation.disk.empty()) json["disk"] = simulation.disk;
    json["requests"] = simulation.service_s.size();
    if (const auto rms = rms_ms(simulation)) {
        json["rms_ms"] = *rms;
        if (simulation.published_rms_ms) json["published_rms_ms"] = *simulation.published_rms_ms;
    }
    if (const auto average = mean(simulation.service_s)) json["mean_ms"] = *average * ms;
    json["counters"] = counters_json(simulation.counters);
    json["assumed"] = simulation.assumed;
    Json& service = json["service_us"] = Json::array();
    for (const double seconds : simulation.service_s) service.push_back(microseconds(seconds));
    return json.dump() + "\n";
}

std::string render_simulation_text(const TraceSimulation& simulation, const TextStyle& style) {
    std::string out;
    const std::string disk = simulation.disk.empty() ? "a drive" : simulation.disk;
    if (!style.quiet) {
        const std::string of =
            simulation.trace.empty() ? "" : fmt::format(" of a trace of {}", simulation.trace);
        out +=
            escaped(fmt::format("{}: {} requests{}, one at a time", disk, simulation.service_s.size(), of)) +
            "\n";
    }
    if (const auto average = mean(simulation.service_s)) {
        out += fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "service time, ms", "mean",
                           "5 %", "25 %", "50 %", "75 %", "95 %", "99 %");
        out +=
            fmt::format("{:<18}{:>10.3f}{}\n", "simulated", *average * ms, percentiles(simulation.service_s));
        if (const auto measured = mean(simulation.measured_s))
            out += fmt::format("{:<18}{:>10.3f}{}\n", "measured", *measured * ms,
                               percentiles(simulation.measured_s));
    }
    if (const auto rms = rms_ms(simulation)) {
        out += fmt::format("root mean square of the distance between the two distributions: {:.3f} ms", *rms);
        if (simulation.published_rms_ms)
            out += fmt::format("; the reference simulator reaches {:.3f} ms", *simulation.published_rms_ms);
        out += "\n";
    }
    const DriveCounters& counters = simulation.counters;
    if (counters.busy_s > 0)
        out += fmt::format("medium busy {:.3f} s: seek {:.3f}, rotation {:.3f}, transfer {:.3f}\n",
                           counters.busy_s, counters.seek_s, counters.rotation_s, counters.transfer_s);
    for (const std::string& figure : simulation.assumed) out += escaped("assumed: " + figure) + "\n";
    return out;
}

}  // namespace diskwright
