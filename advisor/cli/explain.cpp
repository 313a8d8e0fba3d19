// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/explain.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"

namespace diskwright {
namespace {

struct ExplainOptions {
    std::string code;  // empty: the list
    OutputOptions out;
};

int run_explain(const ExplainOptions& options) {
    const TextStyle style = text_style(options.out.color, options.out.output.empty() && stdout_is_terminal());
    std::vector<const Rule*> rules(rule_set().begin(), rule_set().end());
    if (!options.code.empty()) {
        const auto rule = rule_named(options.code);
        if (!rule) return fail(rule.error());
        rules = {*rule};
    }
    std::string text;
    if (options.out.format == "json")
        text = explain_json(rules);
    else if (options.out.format == "mdoc")
        text = explain_mdoc(rules);
    else
        text = options.code.empty() ? explain_list(rules, style) : explain_text(*rules.front(), style);
    const auto written = write_result(options.out.output, text);
    return written ? 0 : fail(written.error());
}

}  // namespace

std::function<int()> prepare_explain(CLI::App& command, const std::vector<std::string>&) {
    const auto options = std::make_shared<ExplainOptions>();
    command.add_option("CODE", options->code, "a code such as ALIGN001, or the rule's name");
    add_output_options(command, options->out, {"text", "json", "mdoc"});
    return [options] { return run_explain(*options); };
}

}  // namespace diskwright
