// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>

#include "advisor/cli/number_options.hpp"
#include "advisor/cli/one_file.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/tuning.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/support/command_words.hpp"
#include "probes/support/text.hpp"
#include "tuner/landscape.hpp"
#include "tuner/optimizers/optimizers.hpp"
#include "tuner/runners/command_runner.hpp"
#include "tuner/runners/recorded_runner.hpp"

namespace diskwright {
namespace {

struct TuneOptions {
    std::string recorded, space, measure_command;
    std::size_t trials = 30;
    std::uint64_t seed = 1;
    std::optional<double> noise, timeout_s;
    std::string method = "default";
    std::string journal, resume;
    OutputOptions out;
    bool quiet = false;
};

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
constexpr std::size_t max_trials = 1'000'000;
constexpr double default_timeout_s = 3600, max_timeout_s = 1e8, max_noise = 10;
// Every miss in a table is free; every one of a command may be a minute of somebody's server.
constexpr std::size_t fruitless_rows = 100'000, fruitless_commands = 1000;

Error usage(std::string what) {
    return Error{ErrorKind::usage, std::move(what)};
}

std::optional<Error> wrong_options(const TuneOptions& options) {
    if (options.recorded.empty() == options.space.empty())
        return usage("tune needs either --recorded FILE or --space FILE");
    if (options.space.empty() != options.measure_command.empty())
        return usage("--space FILE and --measure-command CMD go together");
    if (!options.recorded.empty() && options.timeout_s) return usage("--timeout is for --measure-command");
    if (!options.space.empty() && options.noise) return usage("--noise is for --recorded");
    if (!options.journal.empty() && !options.resume.empty())
        return usage("--journal begins a journal, --resume goes on with one: give one of them");
    if (auto clash = output_clash(options.out.output,
                                  {options.recorded, options.space, options.journal, options.resume}))
        return clash;
    if (!options.journal.empty() && options.out.output == options.journal)
        return usage("-o and --journal name one file");
    return std::nullopt;
}

// Tells a table from another one of the same name (FNV-1a).
std::uint64_t digest(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

JournalHeader journal_header(const TuneOptions& options, const Landscape& landscape, std::string_view text) {
    JournalHeader header;
    header.method = options.method;
    header.seed = options.seed;
    header.source = options.recorded.empty()
                        ? "command " + options.measure_command
                        : fmt::format("table {:016x}, noise {}", digest(text), options.noise.value_or(0));
    header.objective = landscape.objective;
    header.default_point = landscape.default_point;
    return header;
}

// A session's journal, if it has one, and what stands in it.
struct OpenJournal {
    std::optional<Journal> journal;
    std::vector<Trial> trials;
};

Result<OpenJournal> open_journal(const TuneOptions& options, const JournalHeader& header,
                                 const SearchSpace& space) {
    OpenJournal open;
    if (!options.journal.empty()) {
        auto made = Journal::create(options.journal, header, space);
        if (!made) return made.error();
        open.journal.emplace(std::move(*made));
    }
    if (!options.resume.empty()) {
        auto found = Journal::resume(options.resume, header, space);
        if (!found) return found.error();
        if (!found->note.empty()) complain(found->note);
        open.journal.emplace(std::move(found->journal));
        open.trials = std::move(found->trials);
    }
    return open;
}

Result<std::unique_ptr<TrialRunner>> make_runner(const TuneOptions& options, const Landscape& landscape,
                                                 UserCommandRunner& commands, Clock& clock) {
    if (!options.recorded.empty())
        return std::unique_ptr<TrialRunner>(
            std::make_unique<RecordedRunner>(landscape, options.noise.value_or(0), options.seed));
    auto argv = command_words(options.measure_command);
    if (!argv) return usage("--measure-command: " + argv.error().message);
    return std::unique_ptr<TrialRunner>(
        std::make_unique<MeasureCommandRunner>(landscape.space, std::move(*argv), commands, clock));
}

TuningLimits limits_of(const TuneOptions& options) {
    TuningLimits limits;
    limits.trials = options.trials;
    limits.fruitless = options.recorded.empty() ? fruitless_commands : fruitless_rows;
    limits.trial.time =
        std::chrono::milliseconds(std::llround(options.timeout_s.value_or(default_timeout_s) * 1000));
    return limits;
}

Result<TuningResult> search(const TuneOptions& options, const Method& method, const Landscape& landscape,
                            std::string_view text) {
    ProgressLine progress(options.quiet);
    UserProcessRunner commands([&] { return progress.cancelled(); });
    SteadyClock clock;
    const auto runner = make_runner(options, landscape, commands, clock);
    if (!runner) return runner.error();
    auto open = open_journal(options, journal_header(options, landscape, text), landscape.space);
    if (!open) return open.error();

    OptimizerOptions settings{options.seed, landscape.objective.minimise, {}};
    if (landscape.default_point) settings.start.push_back(*landscape.default_point);
    const auto optimizer = method.make(landscape.space, settings);
    TuningSession session(*optimizer, **runner, open->journal ? &*open->journal : nullptr,
                          landscape.objective);
    if (auto replayed = session.replay(open->trials); !replayed)
        return Error{replayed.error().kind,
                     fmt::format("{}: {}", escaped(options.resume), replayed.error().message)};
    auto result = session.run(limits_of(options), progress);
    if (result.failure && result.trials.empty()) return *result.failure;
    return result;
}

std::string rendered(const TuneOptions& options, const TuningReport& report) {
    if (options.out.format == "json") return render_tuning_json(report);
    TextStyle style = text_style(options.out.color, options.out.output.empty() && stdout_is_terminal());
    style.quiet = options.quiet;
    return render_tuning_text(report, style);
}

int run_tune(const TuneOptions& options) {
    if (const auto wrong = wrong_options(options)) return fail(*wrong);
    const auto method = method_named(options.method);
    if (!method) return fail(method.error());
    const std::string& file = options.recorded.empty() ? options.space : options.recorded;
    const auto text = one_file(file, max_file_bytes);
    if (!text) return fail(text.error());
    const auto landscape =
        landscape_from_json(*text, file, options.recorded.empty() ? Rows::unwanted : Rows::wanted);
    if (!landscape) return fail(landscape.error());
    auto result = search(options, **method, *landscape, *text);
    if (!result) return fail(result.error());

    TuningReport report{DISKWRIGHT_VERSION,
                        landscape->title,
                        options.method,
                        options.seed,
                        std::nullopt,
                        landscape->space,
                        landscape->objective,
                        landscape->default_point,
                        std::move(*result),
                        {},
                        {}};
    if (!options.recorded.empty()) report.noise = options.noise.value_or(0);
    const bool minimise = landscape->objective.minimise;
    report.importance = parameter_importance(report.space, report.result.trials, minimise);
    report.outlook = outlook(report.space, report.result.trials, minimise);
    const auto written = write_result(options.out.output, rendered(options, report));
    if (!written) return fail(written.error());
    if (report.result.stop == TuningResult::Stop::cancelled) end_by_signal();
    if (report.result.failure) return fail(*report.result.failure);
    if (!report.result.best) return fail({ErrorKind::bad_data, escaped(file) + ": no trial gave a value"});
    return 0;
}

void add_tune_options(CLI::App& command, TuneOptions& options) {
    command.add_option("--recorded", options.recorded, "search a table of measured values")
        ->type_name("FILE");
    command.add_option("--space", options.space, "search this space; a command measures its points")
        ->type_name("FILE");
    command
        .add_option("--measure-command", options.measure_command,
                    "gets a point as JSON on its standard input and prints a number")
        ->type_name("CMD");
    command.add_option("--trials", options.trials, "stop after N valid trials")
        ->type_name("N")
        ->check(whole_number(1, max_trials))
        ->capture_default_str();
    command.add_option("--seed", options.seed, "the same seed gives the same search")
        ->type_name("N")
        ->check(whole_number())
        ->capture_default_str();
    command.add_option("--noise", options.noise, "relative spread put on recorded values")
        ->type_name("X")
        ->check(number_between(0, max_noise));
    command.add_option("--method", options.method, "search method")->type_name("NAME")->capture_default_str();
    command.add_option("--journal", options.journal, "write every trial to a new FILE")->type_name("FILE");
    command.add_option("--resume", options.resume, "go on with the search of a journal")->type_name("FILE");
    command.add_option("--timeout", options.timeout_s, "end a command that takes longer")
        ->type_name("SECONDS")
        ->check(number_between(0.001, max_timeout_s));
    command.add_flag("--quiet", options.quiet, "only the best configuration; no progress");
    add_output_options(command, options.out, {"text", "json"});
}

}  // namespace

std::function<int()> prepare_tune(CLI::App& command, const std::vector<std::string>&) {
    const auto options = std::make_shared<TuneOptions>();
    add_tune_options(command, *options);
    return [options] { return run_tune(*options); };
}

}  // namespace diskwright
