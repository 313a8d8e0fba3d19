// SPDX-License-Identifier: BSD-2-Clause
// probe: the timing probes on a disk or file, diskwright-probe(8).
#include "probes/timing/probes.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "advisor/cli/measured_devices.hpp"
#include "advisor/cli/number_options.hpp"
#include "advisor/cli/probe_simulated.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/profile_text.hpp"
#include "probes/live/other_load.hpp"
#include "probes/live/paced_device.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct ProbeOptions {
    std::string target, scratch, yes_destroy, simulated, limit;
    std::optional<double> time;
    bool quick = false, thorough = false, idle = false, read_only = false;
    std::uint64_t seed = 1;
    OutputOptions out;
    bool quiet = false;
};

constexpr std::chrono::milliseconds look_for_load{400};
// Less than this is what any running system does.
constexpr double loaded_requests_per_s = 3, loaded_share = 0.02;

std::optional<Error> wrong_options(const ProbeOptions& o) {
    const auto wrong = [](std::string what) { return Error{ErrorKind::usage, std::move(what)}; };
    if (o.simulated.empty() && o.target.empty())
        return wrong("TARGET is required: the disk, partition or file to read from");
    if (!o.simulated.empty() && (!o.target.empty() || !o.scratch.empty() || !o.yes_destroy.empty() || o.idle))
        return wrong("--simulated touches no disk: leave out TARGET, --scratch, --yes-destroy and --idle");
    if (int(o.time.has_value()) + int(o.quick) + int(o.thorough) > 1)
        return wrong("--quick, --thorough and --time exclude each other");
    if (o.read_only && !o.scratch.empty()) return wrong("--read-only and --scratch exclude each other");
    if (!o.limit.empty() && to_size(o.limit, true).value_or(0) < MiB)
        return wrong(fmt::format("--limit {}: no size from 1m on", escaped(o.limit)));
    return std::nullopt;
}

ProbeBudget budget_of(const ProbeOptions& o) {
    ProbeBudget budget;
    const std::chrono::duration<double> time(o.time.value_or(std::chrono::duration<double>(
        o.quick ? quick_time : o.thorough ? thorough_time : usual_time).count()));
    budget.time = std::chrono::duration_cast<std::chrono::nanoseconds>(time);
    budget.seed = o.seed;
    if (o.thorough) budget.bytes = thorough_bytes;
    if (!o.limit.empty()) budget.bytes = *to_size(o.limit, true);
    return budget;
}

std::string head_of(const ProbeResults& results, const ProbeOptions& options, const TimedDevice& target) {
    if (options.quiet) return "";
    return fmt::format("{}, {}, seed {}{}", escaped(target.name()), human_size(target.size_bytes()), options.seed,
                       results.interrupted ? ", interrupted: what was measured until then" : "");
}

std::string rendered(const ProbeResults& results, const ProbeOptions& options, const std::string& head) {
    if (options.out.format == "json") return profile_to_json(results.profile).dump(2) + "\n";
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

// What others ask of the disk, in words; empty when next to nothing, or not known.
std::string load_text(const std::string& path, std::string_view when) {
    const auto load = other_load(path, look_for_load);
    if (!load || (load->requests_per_s < loaded_requests_per_s && load->busy_share < loaded_share)) return "";
    return fmt::format("other load on the disk {}: {:.0f} requests a second, {:.0f} % busy", when,
                       load->requests_per_s, load->busy_share * 100);
}

void tell_estimate(const ProbeOptions& options, const ProbeBudget& budget) {
    if (options.quiet || isatty(STDERR_FILENO) != 1) return;
    complain(fmt::format("takes about {:.0f} s at most and reads up to {}{}",
                         std::chrono::duration<double>(budget.time).count() * (options.idle ? 2 : 1),
                         human_size(budget.bytes), options.idle ? ", half of the time idle" : ""));
}

ProbeResults probed(MeasuredDevices& devices, const ProbeOptions& options, const ProbeBudget& budget,
                    ProgressMeter& progress) {
    if (!options.idle) return run_probes(devices.target(), devices.scratch.get(), budget, progress);
    PacedDevice target(devices.target(), devices.scratch.get());
    ProbeBudget doubled = budget;
    doubled.time *= 2;
    if (!devices.scratch) return run_probes(target, nullptr, doubled, progress);
    PacedDevice scratch(*devices.scratch, devices.scratch.get());
    return run_probes(target, &scratch, doubled, progress);
}

Measurement named(const std::string& name) {
    Measurement out;
    out.value = name;
    out.confidence = Confidence::high;
    return out;
}

int run_probe(const ProbeOptions& options) {
    if (const auto wrong = wrong_options(options)) return fail(*wrong);
    const ProbeBudget budget = budget_of(options);
    if (!options.simulated.empty())
        return probe_simulated({options.simulated, options.out.format, options.out.output, budget,
                                options.read_only, options.quiet});
    if (const auto clash = output_clash(options.out.output, {options.target, options.scratch}))
        return fail(*clash);
    ResultSink sink(options.out.output);
    if (const auto opened = sink.open(); !opened) return fail(opened.error());
    ProcessRunner commands;
    ProgressLine progress(options.quiet);
    // Before anything is opened exclusively: a second descriptor would look like somebody else's.
    std::string noted = load_text(options.target, "before");
    if (!noted.empty() && !options.quiet) complain(noted);
    auto devices =
        open_measured_devices(options.target, options.scratch, options.yes_destroy, commands, progress);
    progress.clear();
    if (!devices) {
        if (progress.cancelled()) end_by_signal();
        return fail(devices.error());
    }
    tell_estimate(options, budget);
    const std::string busy = busy_host();
    auto results = probed(*devices, options, budget, progress);
    progress.clear();
    results.profile["device"] = named(devices->target().name());
    const std::string text_head = head_of(results, options, devices->target());
    *devices = {};
    const std::string after = results.interrupted || results.failure ? "" : load_text(options.target, "after");
    if (noted.empty()) noted = after;
    if (!noted.empty()) limit_confidence(results.profile, Confidence::medium, noted);
    if (!busy.empty()) limit_confidence(results.profile, Confidence::low, busy);
    auto written = sink.write(rendered(results, options, text_head));
    if (written) written = sink.close();
    if (results.interrupted) end_by_signal();
    if (!written) return fail(written.error());
    return results.failure ? fail(*results.failure) : 0;
}

}  // namespace

std::function<int()> prepare_probe(CLI::App& command, const std::vector<std::string>&) {
    const auto options = std::make_shared<ProbeOptions>();
    command.add_option("TARGET", options->target, "the disk, partition or file to read from");
    command
        .add_option("--simulated", options->simulated,
                    "probe what this configuration describes instead (.jsonl: one a line)")
        ->type_name("FILE");
    command.add_option("--scratch", options->scratch, "what may be overwritten; needs --yes-destroy too")
        ->type_name("DEVICE[:START+LENGTH]");
    command
        .add_option("--yes-destroy", options->yes_destroy,
                    "the same device again: all that is on it may be destroyed")
        ->type_name("DEVICE");
    command.add_option("--time", options->time, "about how long to measure, in seconds")
        ->type_name("SECONDS")
        ->check(number_between(1, 3600));
    command.add_flag("--quick", options->quick, "15 seconds instead of a minute and a half");
    command.add_flag("--thorough", options->thorough, "ten minutes, and up to 16 GiB read");
    command.add_flag("--idle", options->idle, "leave half of the disk's time to others, and take twice as long");
    command.add_flag("--read-only", options->read_only, "with --simulated: leave out what writes");
    command.add_option("--limit", options->limit, "how much may be read, 1g by default")->type_name("SIZE");
    command.add_option("--seed", options->seed, "of the random places")
        ->type_name("N")
        ->check(whole_number())
        ->capture_default_str();
    add_output_options(command, options->out, {"text", "json"});
    command.add_flag("--quiet", options->quiet, "no progress and no heading");
    return [options] { return run_probe(*options); };
}

}  // namespace diskwright
