// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>

#include "advisor/cli/subcommand.hpp"
#include "advisor/cli/terminal.hpp"
#include "advisor/cli/word_options.hpp"
#include "advisor/reports/exit_status.hpp"
#include "probes/support/nearest.hpp"

namespace diskwright {
namespace {

// CLI11 says what it did not expect; the nearest command or option is a kindness it lacks.
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
    } else if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        const auto chosen = app.get_subcommands();
        message += meant_option(chosen.empty() ? app : *chosen.front(), words);
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
