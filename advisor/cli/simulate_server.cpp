// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/simulate_server.hpp"

#include <fmt/format.h>

#include <functional>
#include <new>
#include <thread>

#include "advisor/cli/in_order.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/simulated_points.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/server_simulation.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/configuration.hpp"

namespace diskwright {
namespace {

constexpr std::size_t points_ahead = 64;

Result<ServerSimulation> simulated(const SimulatedPoint& point, const std::function<bool()>& goes_on) {
    if (point.error) return *point.error;
    const std::string source =
        point.varied.empty() ? point.source : fmt::format("{} ({})", point.source, point.varied);
    const auto machine = configuration_from_json(point.json, source);
    if (!machine) return machine.error();
    auto volume = make_array(*machine);
    if (!volume) return Error{volume.error().kind, fmt::format("{}: {}", source, volume.error().message)};
    const SimulatedArray& array = *volume->array;
    ServerSimulation simulation;
    simulation.point = point.varied;
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
        simulation.components[i] = simulation.components[i] - begun[i];
    simulation.array = array.array_counters();
    simulation.array.queue_s -= before.queue_s;
    simulation.array.parity_read_s -= before.parity_read_s;
    return simulation;
}

// The same on any thread.
Result<ServerSimulation> simulated_or_why(const SimulatedPoint& point, const std::function<bool()>& goes_on) {
    try {
        return simulated(point, goes_on);
    } catch (const std::bad_alloc&) {
        return Error{ErrorKind::os_error, point.source + ": not enough memory"};
    }
}

}  // namespace

int run_servers(const ServerOptions& options, const OutputOptions& out, bool quiet) {
    const std::string& path = options.config.empty() ? options.configs : options.config;
    if (const auto clash = output_clash(out.output, {path})) return fail(*clash);
    const auto points = simulated_points(options);
    if (!points) return fail(points.error());
    std::string text;
    int status = 0;  // of the first that failed
    bool cancelled = false;
    {
        ProgressLine progress(quiet);
        std::size_t done = 0;
        const auto draws = std::this_thread::get_id();
        const auto goes_on = [&] {
            if (std::this_thread::get_id() == draws)
                progress.at("simulating", double(done), double(points->size()));
            return !progress.cancelled();
        };
        in_order(
            points->size(), points_ahead,
            [&](std::size_t i) { return simulated_or_why((*points)[i], goes_on); },
            [&](const Result<ServerSimulation>& simulation) {
                if (progress.cancelled()) return false;
                ++done;
                if (simulation) {
                    text += out.format == "json" ? render_server_json(*simulation)
                                                 : render_server_text(*simulation, options.explains, quiet);
                } else {
                    progress.clear();
                    const int failed = fail(simulation.error());
                    if (status == 0) status = failed;
                }
                return true;
            });
        cancelled = progress.cancelled();
    }
    if (cancelled) end_by_signal();
    if (text.empty()) return status;
    const auto written = write_result(out.output, text);
    return written ? status : fail(written.error());
}

}  // namespace diskwright
