// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/collect_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "probes/capture/head_places.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/safe_name.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::array systems{Os::linux_, Os::netbsd, Os::freebsd, Os::openbsd, Os::dragonfly};

// A word of the table: plain characters around at most one {WHAT:KIND}.
struct Word {
    std::string before, what, kind, after;  // what is empty without a placeholder; then all is in before
};

Word word_of(const std::string& text) {
    const auto open = text.find('{'), close = text.find('}');
    if (open == std::string::npos || close == std::string::npos || close < open) return {text, {}, {}, {}};
    const std::string inside = text.substr(open + 1, close - open - 1);
    const auto colon = std::min(inside.find(':'), inside.size());
    return {text.substr(0, open), inside.substr(0, colon), inside.substr(std::min(colon + 1, inside.size())),
            text.substr(close + 1)};
}

// The table is ours; a word in it that a shell could take for something else is a bug, and quoted all the
// same.
std::string quoted(const std::string& word) {
    if (std::all_of(word.begin(), word.end(), is_plain_character) && !word.empty()) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
    return out + "'";
}

std::string command_lines(const LiveCommand& command) {
    if (command.argv.size() == 2 && command.argv[0] == "<")
        return fmt::format("    run anyone cat {}\n", quoted(command.argv[1]));
    std::string line = command.needs_root ? "run root" : "run anyone";
    Word each;
    for (const std::string& text : command.argv) {
        const Word word = word_of(text);
        if (word.what.empty()) {
            line += " " + quoted(text);
            continue;
        }
        each = word;
        line += fmt::format(" \"{}${{each}}{}\"", word.before, word.after);
    }
    if (each.what.empty()) return fmt::format("    {}\n", line);
    return fmt::format("    for each in $(list_{}{}{}); do {}; done\n", each.what,
                       each.kind.empty() ? "" : " ", each.kind, line);
}

std::string commands_of(Os system) {
    std::array<std::string, 3> turns;
    for (const CommandParser& parser : command_parsers())
        for (const LiveCommand& command : parser.live) {
            if (command.os != system) continue;
            const bool with_device = std::any_of(command.argv.begin(), command.argv.end(),
                                                 [](const auto& word) { return contains(word, "{"); });
            turns.at(command.samples ? 2 : with_device ? 1 : 0) += command_lines(command);
        }
    return fmt::format("ask_{}() {{\n{}{}{}    return 0\n}}\n\n", to_string(system), turns[0], turns[1],
                       turns[2]);
}

// "start 0 40960;end 20480 20480"
std::string places() {
    std::string out;
    for (const HeadPlace& place : head_places)
        out += fmt::format("{}{} {} {}", out.empty() ? "" : ";",
                           HeadPlace::from_names.at(static_cast<std::size_t>(place.from)), place.distance,
                           place.length);
    return out;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

}  // namespace

std::string collect_script(std::string_view tool_version) {
    std::string version(tool_version);
    std::erase_if(version, [](char c) { return !is_plain_character(c); });
    std::string commands;
    for (const Os system : systems) commands += commands_of(system);
    std::string script(capture_scripts().front().text);
    replace_all(script, "@version@", version);
    replace_all(script, "@commands@\n", commands);
    replace_all(script, "@places@", places());
    return script;
}

}  // namespace diskwright
