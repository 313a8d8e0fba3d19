// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/simulate_server.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/simulation.hpp"
#include "probes/capture/document.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/block_trace.hpp"
#include "tuner/simulator/disk_files.hpp"
#include "tuner/simulator/drives.hpp"
#include "tuner/simulator/trace_replay.hpp"

namespace diskwright {
namespace {

struct SimulateOptions {
    std::string disk, trace;
    ServerOptions servers;
    OutputOptions out;
    bool quiet = false;
};

// Of a trace; a file of so many bytes has some 700,000 requests.
constexpr std::size_t max_file_bytes = std::size_t{32} << 20;

Error usage(std::string what) {
    return Error{ErrorKind::usage, std::move(what)};
}

Result<std::string> file_text(const std::string& path) {
    LoadLimits limits;
    limits.bytes = limits.document_bytes = max_file_bytes;
    return load_file(path, limits);
}

// A word that looks like a file is one, so that a mistyped name gets the nearest one suggested.
bool names_file(const std::string& word) {
    return word == "-" || word.find_first_of("/.") != std::string::npos;
}

Result<NamedDrive> chosen_drive(const std::string& word) {
    if (!names_file(word)) return shipped_drive(word);
    const auto text = file_text(word);
    if (!text) return text.error();
    const auto json = parse_json(*text, word);
    if (!json) return json.error();
    return drive_from_json(*json, word);
}

int list_drives(const SimulateOptions& options) {
    std::string text;
    for (const auto& [name, disk] : shipped_disks())
        text += fmt::format("{:<18}{}\n", name, disk.product.value_or(""));
    const auto written = write_result(options.out.output, text);
    return written ? 0 : fail(written.error());
}

std::optional<Error> wrong_options(const SimulateOptions& options) {
    const int asked = int(!options.servers.config.empty()) + int(!options.servers.configs.empty()) +
                      int(!options.disk.empty());
    if (asked == 0) return usage("simulate needs --config FILE, --configs FILE, or --disk NAME or FILE");
    if (asked > 1) return usage("one of --config, --configs and --disk");
    if (options.disk.empty() && !options.trace.empty()) return usage("--trace goes with --disk");
    if (!options.disk.empty() && (!options.servers.vary.empty() || options.servers.explains))
        return usage("--vary and --explain go with --config");
    if (options.disk.empty()) return std::nullopt;
    if (options.disk == "list") return std::nullopt;
    if (options.trace.empty()) return usage("simulate --disk needs --trace FILE");
    if (options.disk == "-" && options.trace == "-")
        return usage("--disk and --trace cannot both be standard input");
    return output_clash(options.out.output, {options.disk, options.trace});
}

int run_trace(const SimulateOptions& options) {
    auto drive = chosen_drive(options.disk);
    if (!drive) return fail(drive.error());
    const auto text = file_text(options.trace);
    if (!text) return fail(text.error());
    auto trace = block_trace_from_json(*text, options.trace);
    if (!trace) return fail(trace.error());

    bool cancelled = false;
    Result<std::vector<double>> service_s = std::vector<double>();
    {
        ProgressLine progress(options.quiet);
        double begun = 0;
        service_s = replay(*trace, *drive->drive, options.trace, [&] {
            progress.at("simulating", begun, double(trace->requests.size()));
            begun += 1024;
            cancelled = progress.cancelled();
            return !cancelled;
        });
    }
    if (cancelled) end_by_signal();
    if (!service_s) return fail(service_s.error());

    const TraceSimulation simulation{drive->name,
                                     trace->disk,
                                     std::move(*service_s),
                                     std::move(trace->measured_s),
                                     drive->published_rms_ms,
                                     std::move(drive->assumed),
                                     drive->drive->counters()};
    TextStyle style = text_style(options.out.color, options.out.output.empty() && stdout_is_terminal());
    style.quiet = options.quiet;
    const auto written = write_result(options.out.output, options.out.format == "json"
                                                              ? render_simulation_json(simulation)
                                                              : render_simulation_text(simulation, style));
    return written ? 0 : fail(written.error());
}

int run_simulate(const SimulateOptions& options) {
    if (const auto wrong = wrong_options(options)) return fail(*wrong);
    if (options.disk.empty()) return run_servers(options.servers, options.out, options.quiet);
    return options.disk == "list" ? list_drives(options) : run_trace(options);
}

}  // namespace

std::function<int()> prepare_simulate(CLI::App& command, const std::vector<std::string>&) {
    const auto options = std::make_shared<SimulateOptions>();
    command.add_option("--disk", options->disk, "a drive by its name, or described in FILE; list names them")
        ->type_name("NAME|FILE");
    command.add_option("--trace", options->trace, "its requests, one at a time")->type_name("FILE");
    command.add_option("--config", options->servers.config, "a server and its workload")->type_name("FILE");
    command.add_option("--configs", options->servers.configs, "one configuration a line")
        ->type_name("FILE.jsonl");
    command
        .add_option("--vary", options->servers.vary,
                    "a sweep: sectPerSU, stripe_unit_bytes, bsize, fsize, fs_offset, partition_start_bytes, "
                    "level, layout, journal")
        ->type_name("KEY=FROM:TO|KEY=A,B,...");
    command.add_flag("--explain", options->servers.explains, "where the time went");
    command.add_flag("--quiet", options->quiet, "no progress and no heading");
    add_output_options(command, options->out, {"text", "json"});
    return [options] { return run_simulate(*options); };
}

}  // namespace diskwright
