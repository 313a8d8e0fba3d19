// SPDX-License-Identifier: BSD-2-Clause
// probe: the timing probes on a disk or file, diskwright-probe(8).
#include "probes/timing/probes.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "advisor/cli/measured_devices.hpp"
#include "advisor/cli/number_options.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/profile_text.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct ProbeOptions {
    std::string target, scratch, yes_destroy;
    double time = 12;
    std::uint64_t seed = 1;
    OutputOptions out;
    bool quiet = false;
};

std::string rendered(const ProbeResults& results, const ProbeOptions& options, const TimedDevice& target) {
    if (options.out.format == "json") return profile_to_json(results.profile).dump(2) + "\n";
    std::string head;
    if (!options.quiet)
        head = fmt::format("{}, {}, seed {}{}", escaped(target.name()), human_size(target.size_bytes()),
                           options.seed,
                           results.interrupted ? ", interrupted: what was measured until then" : "");
    return render_profile_text(results.profile, head);
}

// Where more threads want to run than there are processors, the time of a request includes the wait for one.
std::string busy_host() {
    double load = 0;
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    if (getloadavg(&load, 1) != 1 || load <= processors) return "";
    return fmt::format("the host is busy: load {:.1f} on {} processor{}", load, processors,
                       processors == 1 ? "" : "s");
}

int run_probe(const ProbeOptions& options) {
    if (const auto clash = output_clash(options.out.output, {options.target, options.scratch}))
        return fail(*clash);
    ResultSink sink(options.out.output);
    if (const auto opened = sink.open(); !opened) return fail(opened.error());
    ProcessRunner commands;
    ProgressLine progress(options.quiet);
    auto devices =
        open_measured_devices(options.target, options.scratch, options.yes_destroy, commands, progress);
    progress.clear();
    if (!devices) {
        if (progress.cancelled()) end_by_signal();
        return fail(devices.error());
    }
    const std::chrono::duration<double> time(options.time);
    const ProbeBudget budget{std::chrono::duration_cast<std::chrono::nanoseconds>(time), options.seed};
    const std::string busy = busy_host();
    auto results = run_probes(devices->target(), devices->scratch.get(), budget, progress);
    progress.clear();
    if (!busy.empty()) limit_confidence(results.profile, Confidence::low, busy);
    auto written = sink.write(rendered(results, options, devices->target()));
    if (written) written = sink.close();
    if (results.interrupted) end_by_signal();
    if (!written) return fail(written.error());
    return results.failure ? fail(*results.failure) : 0;
}

}  // namespace

std::function<int()> prepare_probe(CLI::App& command, const std::vector<std::string>&) {
    const auto options = std::make_shared<ProbeOptions>();
    command.add_option("TARGET", options->target, "the disk, partition or file to read from")->required();
    command.add_option("--scratch", options->scratch, "what may be overwritten; needs --yes-destroy too")
        ->type_name("DEVICE[:START+LENGTH]");
    command
        .add_option("--yes-destroy", options->yes_destroy,
                    "the same device again: all that is on it may be destroyed")
        ->type_name("DEVICE");
    command.add_option("--time", options->time, "about how long to measure, in seconds")
        ->type_name("SECONDS")
        ->check(number_between(1, 3600))
        ->capture_default_str();
    command.add_option("--seed", options->seed, "of the random places")
        ->type_name("N")
        ->check(whole_number())
        ->capture_default_str();
    add_output_options(command, options->out, {"text", "json"});
    command.add_flag("--quiet", options->quiet, "no progress and no heading");
    return [options] { return run_probe(*options); };
}

}  // namespace diskwright
