// SPDX-License-Identifier: BSD-2-Clause
// audit and show.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "advisor/cli/host_input.hpp"
#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/filter.hpp"
#include "advisor/reports/report.hpp"
#include "probes/capture/assemble.hpp"
#include "probes/support/text.hpp"

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
    bool quiet = false;
    bool strict_inputs = false;
};

struct Plan {
    FindingFilter filter;
    std::optional<Severity> fail_on;
    Assumptions assumptions;
    std::string workload;
};

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
    plan.workload = options.workload;
    return plan;
}

Result<std::vector<std::string>> all_inputs(const InspectOptions& options) {
    std::vector<std::string> inputs = options.inputs;
    if (options.inputs_from.empty()) return inputs;
    const auto list = load_input(options.inputs_from);
    if (!list) return list.error();
    for (const auto& document : list->documents)
        for (const auto line : split_lines(document.bytes))
            if (!trim(line).empty()) inputs.emplace_back(trim(line));
    if (inputs.empty())
        return Error{ErrorKind::no_input, fmt::format("{}: names no input", escaped(options.inputs_from))};
    return inputs;
}

HostReport inspect(std::string name, Result<Capture> capture, const Plan& plan, ReportKind kind) {
    HostReport host;
    host.input = std::move(name);
    if (!capture) {
        host.error = capture.error();
        return host;
    }
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

std::vector<HostReport> inspect_each(const std::vector<std::string>& inputs, const Plan& plan,
                                     ReportKind kind) {
    std::vector<HostReport> hosts(inputs.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < inputs.size(); i = next++)
            hosts[i] = inspect(inputs[i], load_input(inputs[i]), plan, kind);
    };
    const std::size_t threads =
        std::min<std::size_t>(inputs.size(), std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (auto& thread : others) thread.join();
    return hosts;
}

std::string rendered(const Report& report, ReportKind kind, const InspectOptions& options) {
    if (options.out.format == "json") return render_json(report, kind);
    if (options.out.format == "jsonl") return render_jsonl(report, kind);
    TextStyle style = text_style(options.out.color, options.out.output.empty() && stdout_is_terminal());
    style.quiet = options.quiet;
    return render_text(report, kind, style);
}

int run_inspect(const InspectOptions& options, ReportKind kind, const std::vector<std::string>& argv) {
    const auto plan = checked(options);
    if (!plan) return fail(plan.error());
    const auto inputs = all_inputs(options);
    if (!inputs) return fail(inputs.error());

    Report report;
    report.version = DISKWRIGHT_VERSION;
    report.argv = argv;
    if (inputs->empty())
        report.hosts.push_back(inspect(options.host.value_or("this host"), this_host(), *plan, kind));
    else if (options.host)
        report.hosts.push_back(inspect(options.host->empty() ? inputs->front() : *options.host,
                                       joined_inputs(*inputs), *plan, kind));
    else
        report.hosts = inspect_each(*inputs, *plan, kind);

    report.exit_status = exit_status(report.hosts, kind == ReportKind::audit ? plan->fail_on : std::nullopt,
                                     options.strict_inputs);
    for (const HostReport& host : report.hosts)
        if (host.error) complain(host.error->message);
    // A wrong assumption is a wrong command line, whatever the inputs.
    for (const HostReport& host : report.hosts)
        if (host.error && host.error->kind == ErrorKind::usage) return exit_status(ErrorKind::usage);
    const bool all_failed = std::all_of(report.hosts.begin(), report.hosts.end(),
                                        [](const HostReport& h) { return h.error.has_value(); });
    if (!all_failed || options.out.format != "text") {
        const auto written = write_result(options.out.output, rendered(report, kind, options));
        if (!written) return fail(written.error());
    }
    return report.exit_status;
}

void add_inspect_options(CLI::App& command, InspectOptions& options, bool audit) {
    command.add_option("INPUT", options.inputs,
                       "a text of command output, a folder or tar of them (one host), - for standard input; "
                       "nothing: this host");
    add_output_options(command, options.out, {"text", "json", "jsonl"});
    command.add_option("--inputs-from", options.inputs_from, "read further INPUTs from FILE, one a line")
        ->type_name("FILE");
    command.add_option("--host", options.host, "all inputs are one host, called NAME")
        ->type_name("NAME")
        ->expected(0, 1);
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
    command.add_option("--for", options.workload, "what the server is for: mail, database, build, ...")
        ->type_name("WORKLOAD");
    command.add_option("--fail-on", options.fail_on, "exit 1 from this severity on")
        ->check(CLI::IsMember({"info", "notice", "warning", "error", "never"}))
        ->capture_default_str();
    command.add_option("--min-severity", options.min_severity, "leave out what is below")
        ->check(CLI::IsMember({"info", "notice", "warning", "error"}))
        ->capture_default_str();
    command.add_option("--ignore", options.ignore, "leave out a rule, or a rule for one subject")
        ->type_name("CODE[:SUBJECT]")
        ->allow_extra_args(false);
}

std::function<int()> prepare(CLI::App& command, const std::vector<std::string>& words, ReportKind kind) {
    const auto options = std::make_shared<InspectOptions>();
    add_inspect_options(command, *options, kind == ReportKind::audit);
    return [options, kind, &words] { return run_inspect(*options, kind, words); };
}

}  // namespace

std::function<int()> prepare_audit(CLI::App& command, const std::vector<std::string>& words) {
    return prepare(command, words, ReportKind::audit);
}

std::function<int()> prepare_show(CLI::App& command, const std::vector<std::string>& words) {
    return prepare(command, words, ReportKind::show);
}

}  // namespace diskwright
