// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <iostream>

#include "advisor/cli/inspect.hpp"
#include "advisor/cli/options.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/explain.hpp"
#include "probes/support/nearest.hpp"

namespace diskwright {
namespace {

void add_output_options(CLI::App& command, std::string& format, std::vector<std::string> formats,
                        std::string& output, std::string& color) {
    command.add_option("--format", format, "form of the result")
        ->check(CLI::IsMember(std::move(formats)))
        ->capture_default_str();
    command.add_option("-o,--output", output, "write the result to FILE instead of standard output")
        ->type_name("FILE");
    command.add_option("--color", color, "colour in text")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
}

void add_inspect_options(CLI::App& command, InspectOptions& options, bool audit) {
    command.add_option("INPUT", options.inputs,
                       "a text of command output, a folder or tar of them (one host), - for standard input; "
                       "nothing: this host");
    add_output_options(command, options.format, {"text", "json", "jsonl"}, options.output, options.color);
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

int run_explain(const ExplainOptions& options) {
    const TextStyle style = text_style(options.color, options.output.empty() && stdout_is_terminal());
    std::vector<const Rule*> rules(rule_set().begin(), rule_set().end());
    if (!options.code.empty()) {
        const auto rule = rule_named(options.code);
        if (!rule) {
            complain(rule.error().message);
            return exit_status(rule.error().kind);
        }
        rules = {*rule};
    }
    std::string text;
    if (options.format == "json")
        text = explain_json(rules);
    else if (options.format == "mdoc")
        text = explain_mdoc(rules);
    else
        text = options.code.empty() ? explain_list(rules, style) : explain_text(*rules.front(), style);
    const auto written = write_result(options.output, text);
    if (written) return 0;
    complain(written.error().message);
    return exit_status(written.error().kind);
}

// CLI11 says what it did not expect; the nearest command is a kindness it lacks.
void complain_usage(const CLI::ParseError& error, int argc, char** argv) {
    std::string message = error.what();
    constexpr std::array<std::string_view, 3> names{"audit", "show", "explain"};
    const bool unknown_command =
        argc > 1 && argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end();
    if (unknown_command) {
        message = fmt::format("there is no command '{}'", argv[1]);
        if (const auto near = nearest(argv[1], names)) message += fmt::format("; did you mean '{}'?", *near);
    }
    if (argc < 2) message = "name a command: audit, show or explain (--help tells more)";
    complain(message);
}

int run(int argc, char** argv) {
    CLI::App app{"finds what is wrong with the storage set-up of a server, and says how to put it right",
                 "diskwright"};
    app.set_version_flag("--version", std::string("diskwright ") + DISKWRIGHT_VERSION);
    app.require_subcommand(1);
    app.footer("Manual pages: diskwright(8), and diskwright-COMMAND(8) for each command.");

    InspectOptions audit_options, show_options;
    ExplainOptions explain_options;
    CLI::App* audit =
        app.add_subcommand("audit", "find misconfigurations, worst first, with evidence, cost and fix");
    add_inspect_options(*audit, audit_options, true);
    CLI::App* show = app.add_subcommand("show", "only what was understood, and where it stands");
    add_inspect_options(*show, show_options, false);
    CLI::App* explain = app.add_subcommand("explain", "what a rule means; without a code, the list of rules");
    explain->add_option("CODE", explain_options.code, "a code such as ALIGN001, or the rule's name");
    add_output_options(*explain, explain_options.format, {"text", "json", "mdoc"}, explain_options.output,
                       explain_options.color);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help, --version
        return app.exit(done);
    } catch (const CLI::ParseError& error) {
        complain_usage(error, argc, argv);
        return exit_status(ErrorKind::usage);
    }
    const std::vector<std::string> words(argv, argv + argc);
    if (*audit) return run_inspect(audit_options, ReportKind::audit, words);
    if (*show) return run_inspect(show_options, ReportKind::show, words);
    return run_explain(explain_options);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a reader that left is a write error with a message, not a sudden end
    try {
        return run(argc, argv);
    } catch (const std::exception& bug) {
        complain(std::string("internal error: ") + bug.what());
        return exit_status(ErrorKind::internal);
    }
}

}  // namespace diskwright
