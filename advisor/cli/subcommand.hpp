// SPDX-License-Identifier: BSD-2-Clause
// A subcommand is one file and one row in subcommands.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace diskwright {

struct Subcommand {
    std::string_view name, summary;
    /// Adds its options to the command. What comes back runs it once they are parsed and returns the exit
    /// status. words: the command line as given, for the report; it outlives the call.
    std::function<int()> (*prepare)(CLI::App& command, const std::vector<std::string>& words);
};

/// In the order of the help text.
std::span<const Subcommand> subcommands();

/// How a result is printed; every subcommand has these.
struct OutputOptions {
    std::string format = "text";
    std::string output;  // "" or "-": standard output
    std::string color = "auto";
};
void add_output_options(CLI::App& command, OutputOptions& options, std::vector<std::string> formats);

std::function<int()> prepare_audit(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_show(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_probe(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_plan(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_tune(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_simulate(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_predict(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_commission(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_collect(CLI::App& command, const std::vector<std::string>& words);
std::function<int()> prepare_explain(CLI::App& command, const std::vector<std::string>& words);

}  // namespace diskwright
