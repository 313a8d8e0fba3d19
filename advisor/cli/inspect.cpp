// SPDX-License-Identifier: BSD-2-Clause
// audit and show.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "advisor/cli/host_input.hpp"
#include "advisor/cli/in_order.hpp"
#include "advisor/cli/number_options.hpp"
#include "advisor/cli/progress_line.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/cli/word_options.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/filter.hpp"
#include "advisor/reports/report.hpp"
#include "probes/capture/assemble.hpp"
#include "probes/capture/left_out.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"
#include "rules/workload.hpp"

namespace diskwright {
namespace {

struct InspectOptions {
    std::vector<std::string> inputs;  // empty: this host
    std::string inputs_from;          // a file with one INPUT a line
    std::optional<std::string> host;  // --host[=NAME]: all inputs are one host
    OutputOptions out;
    std::string fail_on = "warning";
    std::string min_severity = "info";
    std::vector<std::string> ignore;
    std::string os;
    std::string workload;
    std::vector<std::string> assume;
    double deadline_s = std::chrono::duration<double>(looking_time).count();
    bool quiet = false;
    bool strict_inputs = false;
};

struct Plan {
    FindingFilter filter;
    std::optional<Severity> fail_on;
    Assumptions assumptions;
    std::string workload;
};

Error no_such_workload(const std::string& word) {
    std::vector<std::string_view> names;
    for (const WorkloadWord& row : workload_words()) names.push_back(row.name);
    const auto meant = nearest(word, names);
    names.resize(general_workloads);
    return {ErrorKind::usage, fmt::format("--for {}: no such workload; {}", escaped(word),
                                          meant ? fmt::format("did you mean '{}'?", *meant)
                                                : fmt::format("name one of {}", fmt::join(names, ", ")))};
}

Result<Plan> checked(const InspectOptions& options) {
    Plan plan;
    const auto least = parse_severity(options.min_severity);
    if (!least) return least.error();
    plan.filter.min_severity = *least;
    if (options.fail_on != "never") {
        const auto fail_on = parse_severity(options.fail_on);
        if (!fail_on) return fail_on.error();
        plan.fail_on = *fail_on;
    }
    for (const auto& text : options.ignore) {
        const auto ignore = parse_ignore(text);
        if (!ignore) return ignore.error();
        plan.filter.ignore.push_back(*ignore);
    }
    plan.assumptions = {options.os, options.assume};
    HostFacts nothing;
    if (const auto assumed = apply_assumptions(nothing, plan.assumptions); !assumed) return assumed.error();
    plan.workload = options.workload;
    if (!options.workload.empty() && !find_workload(options.workload))
        return no_such_workload(options.workload);
    return plan;
}

Result<std::vector<std::string>> all_inputs(const InspectOptions& options) {
    std::vector<std::string> inputs = options.inputs;
    if (!options.inputs_from.empty()) {
        const auto list = load_input(options.inputs_from);
        if (!list) return list.error();
        for (const auto& document : list->documents)
            for (const auto line : split_lines(document.bytes))
                if (!trim(line).empty()) inputs.emplace_back(trim(line));
        if (inputs.empty())
            return Error{ErrorKind::no_input,
                         fmt::format("{}: names no input", escaped(options.inputs_from))};
    }
    const auto readers = std::count(inputs.begin(), inputs.end(), "-") + (options.inputs_from == "-" ? 1 : 0);
    if (readers > 1)
        return Error{ErrorKind::usage, "'-' is given more than once: standard input can be read only once"};
    return inputs;
}

template <class Load>
HostReport inspected(std::string name, const Load& load, const Plan& plan, ReportKind kind) {
    HostReport host;
    host.input = std::move(name);
    const Result<Capture> capture = load();
    if (!capture) {
        host.error = capture.error();
        return host;
    }
    for (const auto& note : capture->notes)
        if (const auto what = left_out::not_looked_at(note); !what.empty())
            host.not_looked_at.emplace_back(what);
    auto facts = assemble(*capture, plan.assumptions);
    if (!facts) {
        host.error = facts.error();
        if (host.error->kind == ErrorKind::bad_data)
            host.error->message = host.input + ": " + host.error->message;
        return host;
    }
    host.facts = std::move(*facts);
    if (kind == ReportKind::audit)
        host.judgement = filtered(judge(host.facts, {}, plan.workload), plan.filter);
    return host;
}

// One input that does not fit into memory must not take the others with it.
template <class Load>
HostReport inspect(const std::string& name, const Load& load, const Plan& plan, ReportKind kind) {
    try {
        return inspected(name, load, plan, kind);
    } catch (const std::bad_alloc&) {
        HostReport host;
        host.input = name;
        host.error = Error{ErrorKind::os_error, fmt::format("{}: not enough memory", escaped(name))};
        return host;
    }
}

// What is kept of a host once it is judged.
struct HostPiece {
    std::string text;
    std::string complaint;  // of a failed one
    HostTally tally;
};

class HostPrinter {
 public:
    HostPrinter(const InspectOptions& options, const Plan& plan, ReportKind kind,
                const std::vector<std::string>& argv)
        : options_(options), plan_(plan), kind_(kind), sink_(options.out.output) {
        head_.version = DISKWRIGHT_VERSION;
        head_.argv = argv;
        style_ = text_style(options.out.color, options.out.output.empty() && stdout_is_terminal());
        style_.quiet = options.quiet;
    }

    /// Any thread may call it.
    HostPiece piece(const HostReport& host) const {
        HostPiece out;
        out.tally.add(host);
        if (host.error) out.complaint = host.error->message;
        if (options_.out.format == "json")
            out.text = render_json_host(host, kind_).text;
        else if (options_.out.format == "jsonl")
            out.text = render_jsonl(host, kind_);
        else
            out.text = render_text(host, kind_, style_);
        return out;
    }

    Result<bool> print(HostPiece piece) {
        if (!piece.complaint.empty()) complain(piece.complaint);
        tally_.add(piece.tally);
        if (options_.out.format == "json") {
            json_.push_back({std::move(piece.text)});
            return true;
        }
        if (options_.out.format == "jsonl") return sink_.write(piece.text);
        if (!first_ && !style_.quiet) held_back_ += '\n';
        first_ = false;
        held_back_ += piece.text;
        // When all inputs fail there is nothing to report beside the complaints.
        if (tally_.failed == tally_.hosts) return true;
        return sink_.write(std::exchange(held_back_, {}));
    }

    Result<bool> finish() {
        head_.exit_status = status();
        Result<bool> done = true;
        if (options_.out.format == "json")
            done = sink_.write(render_json(head_, json_));
        else if (options_.out.format == "text" && tally_.failed != tally_.hosts)
            done = sink_.write(render_totals(tally_, kind_, style_));
        return done ? sink_.close() : done;
    }

    int status() const {
        return exit_status(tally_, kind_ == ReportKind::audit ? plan_.fail_on : std::nullopt,
                           options_.strict_inputs);
    }

 private:
    const InspectOptions& options_;
    const Plan& plan_;
    ReportKind kind_;
    Report head_;
    TextStyle style_;
    ResultSink sink_;
    HostTally tally_;
    std::vector<JsonHost> json_;
    std::string held_back_;
    bool first_ = true;
};

// Pieces begun before the oldest is printed; enough to keep all processors busy beside one slow input.
constexpr std::size_t pieces_ahead = 64;

// Several inputs, one host each. Nothing when the user asked to stop.
std::optional<Result<bool>> print_each(const std::vector<std::string>& inputs, const Plan& plan,
                                       ReportKind kind, bool quiet, HostPrinter& printer) {
    ProgressLine progress(quiet || stdout_is_terminal());
    std::size_t done = 0;
    Result<bool> printed = true;
    in_order(
        inputs.size(), pieces_ahead,
        [&](std::size_t i) {
            return printer.piece(inspect(
                inputs[i], [&] { return load_input(inputs[i]); }, plan, kind));
        },
        [&](HostPiece piece) {
            if (!piece.complaint.empty()) progress.clear();
            printed = printer.print(std::move(piece));
            progress.at("inputs", static_cast<double>(++done), static_cast<double>(inputs.size()));
            return printed && !progress.cancelled();
        });
    if (progress.cancelled()) return std::nullopt;
    return printed;
}

// Nothing when the user asked to stop.
std::optional<HostPiece> piece_of_this_host(const InspectOptions& options, const Plan& plan, ReportKind kind,
                                            const HostPrinter& printer) {
    ProgressLine progress(options.quiet);
    const auto load = [&] {
        return this_host(std::chrono::milliseconds(static_cast<std::int64_t>(options.deadline_s * 1000)),
                         &progress);
    };
    const HostReport host = inspect(options.host.value_or("this host"), load, plan, kind);
    progress.clear();
    if (progress.cancelled()) return std::nullopt;
    return printer.piece(host);
}

int run_inspect(const InspectOptions& options, ReportKind kind, const std::vector<std::string>& argv) {
    const auto plan = checked(options);
    if (!plan) return fail(plan.error());
    const auto inputs = all_inputs(options);
    if (!inputs) return fail(inputs.error());

    HostPrinter printer(options, *plan, kind, argv);
    Result<bool> printed = true;
    if (inputs->empty()) {
        const auto piece = piece_of_this_host(options, *plan, kind, printer);
        if (!piece) end_by_signal();
        printed = printer.print(piece.value_or(HostPiece{}));
    } else if (options.host) {
        const auto load = [&] { return joined_inputs(*inputs); };
        printed = printer.print(printer.piece(
            inspect(options.host->empty() ? inputs->front() : *options.host, load, *plan, kind)));
    } else {
        const auto result = print_each(*inputs, *plan, kind, options.quiet, printer);
        if (!result) end_by_signal();
        printed = result.value_or(true);
    }
    if (printed) printed = printer.finish();
    return printed ? printer.status() : fail(printed.error());
}

void add_inspect_options(CLI::App& command, InspectOptions& options, bool audit) {
    CLI::Option* inputs = command.add_option(
        "INPUT", options.inputs,
        "a text of command output, a folder or tar of them (one host), a disk image or block "
        "device, - for standard input; nothing: this host");
    add_output_options(command, options.out, {"text", "json", "jsonl"});
    command.add_option("--inputs-from", options.inputs_from, "read further INPUTs from FILE, one a line")
        ->type_name("FILE");
    command
        .add_option("--deadline", options.deadline_s,
                    "of this host: no command starts after that many seconds")
        ->type_name("SECONDS")
        ->check(number_between(1, 3600))
        ->capture_default_str()
        ->excludes(inputs);
    // A flag with a value: NAME is given with '=' only, so that an INPUT may follow.
    command.add_flag("--host", options.host, "all inputs are one host, called NAME")->type_name("[=NAME]");
    command.add_option("--os", options.os, "the system the input comes from, such as netbsd-10")
        ->type_name("NAME[-RELEASE]");
    command
        .add_option("--assume", options.assume,
                    "take a fact as given, such as disks.ada0.physical_sector_bytes=4096")
        ->type_name("FACT=VALUE")
        ->allow_extra_args(false);
    command.add_flag("--strict-inputs", options.strict_inputs, "one input that fails is a failure");
    command.add_flag("--quiet", options.quiet, "only the findings, one line each");
    if (!audit) return;
    command
        .add_option("--for", options.workload,
                    "what the server is for: general, fileserver, mail, source-control, build, database, "
                    "media, backup, vm")
        ->type_name("WORKLOAD");
    command.add_option("--fail-on", options.fail_on, "exit 1 from this severity on")
        ->check(one_of({"info", "notice", "warning", "error", "never"}))
        ->capture_default_str();
    command.add_option("--min-severity", options.min_severity, "leave out what is below")
        ->check(one_of({"info", "notice", "warning", "error"}))
        ->capture_default_str();
    command.add_option("--ignore", options.ignore, "leave out a rule, or a rule for one subject")
        ->type_name("CODE[:SUBJECT]")
        ->allow_extra_args(false);
}

std::function<int()> prepare(CLI::App& command, const std::vector<std::string>& words, ReportKind kind) {
    const auto options = std::make_shared<InspectOptions>();
    add_inspect_options(command, *options, kind == ReportKind::audit);
    return [options, kind, &words] {
        // A flag without a value has the value "true".
        if (std::find(words.begin(), words.end(), "--host") != words.end()) options->host.emplace();
        return run_inspect(*options, kind, words);
    };
}

}  // namespace

std::function<int()> prepare_audit(CLI::App& command, const std::vector<std::string>& words) {
    return prepare(command, words, ReportKind::audit);
}

std::function<int()> prepare_show(CLI::App& command, const std::vector<std::string>& words) {
    return prepare(command, words, ReportKind::show);
}

}  // namespace diskwright
