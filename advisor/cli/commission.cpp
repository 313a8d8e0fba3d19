// SPDX-License-Identifier: BSD-2-Clause
// commission: the whole job, diskwright-commission(8).
#include "advisor/reports/commission.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "advisor/cli/host_input.hpp"
#include "advisor/cli/measured_devices.hpp"
#include "advisor/cli/number_options.hpp"
#include "advisor/cli/one_file.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/commissioning/machine_facts.hpp"
#include "advisor/commissioning/measured_choice.hpp"
#include "advisor/commissioning/preset.hpp"
#include "advisor/commissioning/scratch_pattern.hpp"
#include "advisor/commissioning/state.hpp"
#include "advisor/planning/workload.hpp"
#include "advisor/reports/exit_status.hpp"
#include "probes/capture/assemble.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/live/scratch.hpp"
#include "probes/support/text.hpp"
#include "tuner/runners/recorded_runner.hpp"

namespace diskwright {
namespace {

struct CommissionOptions {
    std::string simulate, disk, scratch, yes_destroy;
    std::string volume, os, workload, mount_point;
    std::vector<std::string> assume;
    std::size_t trials = 24;
    std::uint64_t seed = 1;
    double time = 12;
    std::string journal, resume;
    OutputOptions out;
    bool quiet = false;
};

constexpr std::uint64_t largest_preset = 16 * MiB;

std::optional<Error> wrong_options(const CommissionOptions& o) {
    const bool live = !o.disk.empty() || !o.scratch.empty() || !o.yes_destroy.empty();
    if (o.simulate.empty() && !live)
        return Error{ErrorKind::usage,
                     "name what to commission: --simulate PRESET (--simulate list shows them), or a DISK"};
    if (!o.simulate.empty() && live)
        return Error{ErrorKind::usage,
                     "--simulate touches no disk: leave out DISK, --scratch and --yes-destroy"};
    if (o.scratch.empty() && !o.yes_destroy.empty())
        return Error{ErrorKind::usage, "--yes-destroy without --scratch: nothing is to be destroyed"};
    if (auto clash = output_clash(o.out.output, {o.disk, o.scratch, o.simulate})) return clash;
    if (!o.journal.empty() && !o.resume.empty())
        return Error{ErrorKind::usage,
                     "--journal begins a journal, --resume goes on with one: give one of them"};
    return std::nullopt;
}

std::string preset_list() {
    std::string out;
    for (const std::string_view name : preset_names())
        if (const auto preset = bundled_preset(name)) out += fmt::format("{:<20} {}\n", name, preset->title);
    return out;
}

// Everything that a setup points into.
struct Workshop {
    std::optional<Landscape> landscape;
    std::unique_ptr<TrialRunner> runner;
    MeasuredDevices devices;
    std::optional<SearchSpace> space;
    ProcessRunner commands;
};

Result<Preset> preset_of(const std::string& name) {
    const bool is_file = contains(name, "/") || name.ends_with(".json");
    if (!is_file) return bundled_preset(name);
    const auto text = one_file(name, largest_preset);
    if (!text) return text.error();
    return preset_from_text(*text, name);
}

// The level of the facts' only set when plan can make such a set anew; else what is there is planned on.
std::string buildable_set(const HostFacts& facts) {
    if (facts.volumes.size() != 1 || !facts.volumes[0].level || !facts.os.name) return {};
    const std::string level(to_string(*facts.volumes[0].level));
    const auto made = new_server(facts, level, std::nullopt);
    return made && facts.volumes[0].kind && made->volumes[0].kind.is(*facts.volumes[0].kind) ? level : "";
}

Result<bool> make_journal(const CommissionOptions& options) {
    return options.journal.empty() ? Result<bool>(true) : make_journal_folder(options.journal);
}

Result<bool> simulated(const CommissionOptions& options, CommissionSetup& setup, Workshop& shop) {
    auto preset = preset_of(options.simulate);
    if (!preset) return preset.error();
    setup.subject = preset->title.empty() ? preset->name : fmt::format("{}: {}", preset->name, preset->title);
    setup.facts = facts_of(preset->machine, preset->name);
    const auto system = setup.facts.os.name;
    if (auto done = apply_assumptions(setup.facts, {options.os, options.assume}); !done) return done;
    if (system && !setup.facts.os.name.is(*system))
        return Error{ErrorKind::usage, fmt::format("--os {}: {} is a server of {}", escaped(options.os),
                                                   preset->name, to_string(*system))};
    setup.known_profile = std::move(preset->profile);
    setup.new_set = buildable_set(setup.facts);
    if (setup.intent.workload.empty()) setup.intent.workload = preset->workload;
    if (auto made = make_journal(options); !made) return made;
    if (preset->landscape.empty()) {
        setup.no_trials =
            "nobody measured set-ups of this server, and nothing is guessed; `tune` measures your own";
        return true;
    }
    auto landscape = landscape_from_json(preset->landscape, preset->name, Rows::wanted);
    const auto workload = workload_profile(setup.intent.workload);
    if (!workload) return workload.error();
    if (landscape) landscape = plannable(std::move(*landscape), (*workload)->many_small_files);
    if (!landscape) return landscape.error();
    shop.landscape.emplace(std::move(*landscape));
    shop.runner = std::make_unique<RecordedRunner>(*shop.landscape, 0, options.seed);
    setup.trials.emplace(TrialSource{shop.landscape->title, shop.landscape->space, shop.landscape->objective,
                                     shop.landscape->default_point, shop.runner.get(), true,
                                     preset->repeats_to});
    return true;
}

// A plain file is no disk of the host, yet on Linux mkfs takes it as one.
std::optional<Disk> plain_file(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    Disk file;
    file.name = path;
    file.size_bytes = Number(static_cast<std::uint64_t>(status.st_size),
                             Provenance(path, 0, "size of the file", Provenance::Kind::device));
    return file;
}

// Which of the facts' disks is measured, and what the plan is about when nobody says.
void place_device(const std::string& path, CommissionSetup& setup) {
    setup.subject = fmt::format("{} of this host", path);
    if (auto file = plain_file(path)) {
        if (setup.facts.is(Os::linux_)) setup.unlisted = std::move(file);
        return;
    }
    const std::string name = device_name(path);
    const StorageGraph graph(setup.facts);
    if (setup.intent.subject.empty() && (graph.disk(name) || graph.partition(name) || graph.volume(name)))
        setup.intent.subject = name;
    if (const Disk* below = graph.disk(disk_name(name))) setup.device_name = below->name;
}

// What would be refused anyway is refused before anything is written.
Result<bool> check_plan(const CommissionSetup& setup) {
    const auto plan = planned_by_arithmetic(setup);
    if (!plan && plan.error().kind == ErrorKind::usage) return plan.error();
    return true;
}

void prepare_trials(CommissionSetup& setup, Workshop& shop, const ProgressMeter& progress) {
    if (!setup.scratch) {
        setup.no_trials = "trials write: they need --scratch and --yes-destroy";
        return;
    }
    shop.space.emplace(pattern_space(!setup.facts.is(Os::linux_)));
    shop.runner = std::make_unique<PatternRunner>(*shop.space, *setup.scratch, PatternLoad{}, progress);
    setup.trials.emplace(TrialSource{
        fmt::format("writing small files' blocks raw to {}, a flush per commit", setup.scratch->name()),
        *shop.space,
        {"pattern_s", true},
        usual_point(*shop.space, setup.facts),
        shop.runner.get()});
}

Result<bool> live(const CommissionOptions& options, CommissionSetup& setup, Workshop& shop,
                  ProgressMeter& progress) {
    std::string path = options.disk;
    if (path.empty()) {
        const auto request = parse_scratch(options.scratch, options.yes_destroy);
        if (!request) return request.error();
        path = request->path;
    }
    progress.at("looking at this host", 0, 0);
    const auto capture = this_host();
    if (!capture) return capture.error();
    auto facts = assemble(*capture, {options.os, options.assume});
    if (!facts) return facts.error();
    setup.facts = std::move(*facts);
    place_device(path, setup);
    if (auto sound = check_plan(setup); !sound) return sound;
    if (auto made = make_journal(options); !made) return made;
    auto devices =
        open_measured_devices(options.disk, options.scratch, options.yes_destroy, shop.commands, progress);
    if (!devices) return devices.error();
    shop.devices = std::move(*devices);
    setup.scratch = shop.devices.scratch.get();
    setup.device = &shop.devices.target();
    prepare_trials(setup, shop, progress);
    return true;
}

CommissionSetup empty_setup(const CommissionOptions& options) {
    CommissionSetup setup;
    setup.intent.subject = options.volume;
    setup.intent.workload = options.workload;
    setup.intent.mount_point = options.mount_point;
    setup.probe_budget.time =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options.time));
    setup.probe_budget.seed = options.seed;
    setup.tuning_limits.trials = options.trials;
    setup.seed = options.seed;
    setup.resume = !options.resume.empty();
    setup.journal = setup.resume ? options.resume : options.journal;
    return setup;
}

Result<std::string> rendered(const CommissionReport& report, const CommissionOptions& options,
                             const std::vector<std::string>& words) {
    if (options.out.format == "json") return commission_json(report, words, DISKWRIGHT_VERSION);
    if (options.out.format == "script") return commission_script(report);
    return commission_text(report,
                           text_style(options.out.color, options.out.output.empty() && stdout_is_terminal()));
}

Result<CommissionReport> carry_out(const CommissionOptions& options, ProgressMeter& progress) {
    CommissionSetup setup = empty_setup(options);
    Workshop shop;
    const auto ready =
        options.simulate.empty() ? live(options, setup, shop, progress) : simulated(options, setup, shop);
    if (!ready) return ready.error();
    return commission(setup, progress);
}

int run_commission(const CommissionOptions& options, const std::vector<std::string>& words) {
    if (options.simulate == "list") {
        const auto written = write_result(options.out.output, preset_list());
        return written ? 0 : fail(written.error());
    }
    if (const auto wrong = wrong_options(options)) return fail(*wrong);
    ResultSink sink(options.out.output);
    if (const auto opened = sink.open(); !opened) return fail(opened.error());
    ProgressLine progress(options.quiet);
    const auto report = carry_out(options, progress);
    progress.clear();
    if (!report) {
        if (progress.cancelled()) end_by_signal();
        return fail(report.error());
    }
    const auto text = rendered(*report, options, words);
    if (!text) return fail(text.error());
    auto written = sink.write(*text);
    if (written) written = sink.close();
    if (report->interrupted) {
        const std::string& folder = options.journal.empty() ? options.resume : options.journal;
        if (!folder.empty()) complain(fmt::format("interrupted; --resume {} goes on", folder));
        end_by_signal();
    }
    if (!written) return fail(written.error());
    return report->failure ? fail(*report->failure) : 0;
}

}  // namespace

std::function<int()> prepare_commission(CLI::App& command, const std::vector<std::string>& words) {
    const auto o = std::make_shared<CommissionOptions>();
    command.add_option("DISK", o->disk, "the disk of this host to measure, read-only");
    command
        .add_option("--simulate", o->simulate, "a sample server (list: shows them), or a configuration file")
        ->type_name("PRESET|FILE.json");
    command.add_option("--scratch", o->scratch, "what may be overwritten; needs --yes-destroy too")
        ->type_name("DEVICE[:START+LENGTH]");
    command
        .add_option("--yes-destroy", o->yes_destroy,
                    "the same device again: all that is on it may be destroyed")
        ->type_name("DEVICE");
    command.add_option("--volume", o->volume, "what to plan the file system on")->type_name("NAME");
    command.add_option("--os", o->os, "plan for this system")->type_name("NAME[-RELEASE]");
    command.add_option("--for", o->workload, "what the server is for: mail, database, build, ...")
        ->type_name("WORKLOAD");
    command.add_option("--mount", o->mount_point, "where the file system is to be mounted")
        ->type_name("POINT");
    command
        .add_option("--assume", o->assume,
                    "take a fact as given, such as disks.ada0.physical_sector_bytes=4096")
        ->type_name("FACT=VALUE")
        ->allow_extra_args(false);
    command.add_option("--trials", o->trials, "how many configurations to measure")
        ->type_name("N")
        ->check(whole_number(1, 100'000))
        ->capture_default_str();
    command.add_option("--seed", o->seed, "of the places and of the search")
        ->type_name("N")
        ->check(whole_number())
        ->capture_default_str();
    command.add_option("--time", o->time, "about how long to probe, in seconds")
        ->type_name("SECONDS")
        ->check(number_between(1, 3600))
        ->capture_default_str();
    command.add_option("--journal", o->journal, "keep what was measured in this new folder")
        ->type_name("FOLDER");
    command.add_option("--resume", o->resume, "go on with the job of that folder")->type_name("FOLDER");
    add_output_options(command, o->out, {"text", "json", "script"});
    command.add_flag("--quiet", o->quiet, "no progress");
    return [o, &words] { return run_commission(*o, words); };
}

}  // namespace diskwright
