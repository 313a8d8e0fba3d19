// SPDX-License-Identifier: BSD-2-Clause
#include <CLI/CLI.hpp>
#include <array>

#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/word_options.hpp"

namespace diskwright {

std::span<const Subcommand> subcommands() {
    static constexpr std::array list{
        Subcommand{"audit", "find misconfigurations, worst first, with evidence, cost and fix",
                   prepare_audit},
        Subcommand{"show", "only what was understood, and where it stands", prepare_show},
        Subcommand{"probe", "measure a disk or an array: rates, seeks, caches, geometry", prepare_probe},
        Subcommand{"plan", "layout and commands for a new file system, each with its reason", prepare_plan},
        Subcommand{"tune", "search the best configuration by trials", prepare_tune},
        Subcommand{"simulate", "what a server would need for a workload, and a drive for its requests", prepare_simulate},
        Subcommand{"predict",
                   "what newfs, tunefs or raidctl would do with a command line, without running it",
                   prepare_predict},
        Subcommand{"commission", "the whole job for a new server: probe, audit, plan, tune, verify",
                   prepare_commission},
        Subcommand{"collect", "a capture of this host, to look at elsewhere", prepare_collect},
        Subcommand{"explain", "what a rule means; without a code, the list of rules", prepare_explain},
    };
    return list;
}

void add_output_options(CLI::App& command, OutputOptions& options, std::vector<std::string> formats) {
    command.add_option("--format", options.format, "form of the result")
        ->check(one_of(std::move(formats)))
        ->capture_default_str();
    command.add_option("-o,--output", options.output, "write the result to FILE instead of standard output")
        ->type_name("FILE");
    command.add_option("--color", options.color, "colour in text")
        ->check(one_of({"auto", "always", "never"}))
        ->capture_default_str();
}

}  // namespace diskwright
