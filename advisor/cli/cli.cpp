// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <optional>
#include <utility>

#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/reports/exit_status.hpp"
#include "probes/support/nearest.hpp"

namespace diskwright {
namespace {

// The first option the command does not have, and the nearest one that it has.
std::optional<std::pair<std::string, std::string>> meant_option(const CLI::App& app,
                                                                const std::vector<std::string>& words) {
    const auto commands =
        app.get_subcommands([&](const CLI::App* command) { return command->get_name() == words[1]; });
    if (commands.empty()) return std::nullopt;
    std::vector<std::string> known;
    for (const CLI::Option* option : commands.front()->get_options())
        for (const std::string& name : option->get_lnames()) known.push_back(name);
    const std::vector<std::string_view> names(known.begin(), known.end());
    for (std::size_t i = 2; i < words.size() && words[i] != "--"; ++i) {
        if (!words[i].starts_with("--")) continue;
        const std::string word = words[i].substr(2, words[i].find('=') - 2);
        if (std::find(known.begin(), known.end(), word) != known.end()) continue;
        if (const auto near = nearest(word, names)) return std::pair("--" + word, std::string(*near));
        return std::nullopt;
    }
    return std::nullopt;
}

// CLI11 says what it did not expect; the nearest command is a kindness it lacks.
void complain_usage(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& words) {
    std::string message = error.what();
    std::vector<std::string_view> names;
    for (const Subcommand& subcommand : subcommands()) names.push_back(subcommand.name);
    if (words.size() < 2) {
        message = fmt::format("name a command: {} (--help tells more)", fmt::join(names, ", "));
    } else if (!words[1].starts_with('-') && std::find(names.begin(), names.end(), words[1]) == names.end()) {
        message = fmt::format("there is no command '{}'", words[1]);
        if (const auto near = nearest(words[1], names)) message += fmt::format("; did you mean '{}'?", *near);
    } else if (const auto meant = meant_option(app, words)) {
        message = fmt::format("there is no option '{}'; did you mean '--{}'?", meant->first, meant->second);
    }
    complain(message);
}

int run(int argc, char** argv) {
    CLI::App app{"finds what is wrong with the storage set-up of a server, and says how to put it right",
                 "diskwright"};
    app.set_version_flag("--version", std::string("diskwright ") + DISKWRIGHT_VERSION);
    app.require_subcommand(1);
    app.footer("Manual pages: diskwright(8), and diskwright-COMMAND(8) for each command.");

    const std::vector<std::string> words(argv, argv + argc);
    std::vector<std::pair<CLI::App*, std::function<int()>>> commands;
    for (const Subcommand& subcommand : subcommands()) {
        CLI::App* command = app.add_subcommand(std::string(subcommand.name), std::string(subcommand.summary));
        commands.emplace_back(command, subcommand.prepare(*command, words));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help, --version
        return app.exit(done);
    } catch (const CLI::ParseError& error) {
        complain_usage(app, error, words);
        return exit_status(ErrorKind::usage);
    }
    for (const auto& [command, run_it] : commands)
        if (command->parsed()) return run_it();
    return exit_status(ErrorKind::internal);
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
