// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/sections.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::array<std::string_view, 7> wrappers{"sudo", "doas", "env", "nice", "nohup", "command", "exec"};
constexpr std::array<std::string_view, 9> filters{"grep", "egrep", "fgrep", "head", "tail",
                                                  "awk",  "sed",   "less",  "more"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string_view base_name(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_assignment(std::string_view word) {
    const auto equals = word.find('=');
    return equals != std::string_view::npos && equals > 0 &&
           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                       [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'); });
}

// What stands before the prompt character: nothing, a host, user@host, a folder, a bracketed prompt, a
// history number.
// '>' alone is mail quoting, so it needs a prefix that looks like a shell's.
bool is_prompt_prefix(std::string_view prefix, char mark) {
    if (prefix.size() > 60) return false;
    const auto text = trim(prefix);
    if (text.empty()) return mark != '>';
    const bool shell_like = contains(text, "@") || contains(text, "~") || text.ends_with(']') ||
                            text.ends_with(':') || text.ends_with('/') || text.ends_with(')');
    const auto count = words(text).size();
    if (shell_like) return count <= 5;
    // A bare host name touches the mark ("box# ", "host1% "); words apart from it are a sentence.
    return mark != '>' && count == 1 && prefix.back() != ' ' && prefix.back() != '\t';
}

std::vector<std::string> command_words(std::string_view text) {
    std::vector<std::string> out;
    std::string word;
    char quote = 0;
    bool any = false;
    for (const char c : text) {
        if (quote) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c, any = true;
        } else if (c == ' ' || c == '\t') {
            if (any || !word.empty()) out.push_back(std::move(word));
            word.clear(), any = false;
        } else {
            word += c;
        }
    }
    if (any || !word.empty()) out.push_back(std::move(word));
    return out;
}

// Up to the first pipe or list operator outside quotes.
struct Pipeline {
    std::string_view first, rest;
};
Pipeline split_pipeline(std::string_view text) {
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '|' || c == ';' || (c == '&' && i + 1 < text.size() && text[i + 1] == '&')) {
            return {text.substr(0, i), text.substr(i)};
        }
    }
    return {text, {}};
}

std::optional<PromptCommand> command_in(std::string_view text) {
    const auto pipeline = split_pipeline(trim(text));
    auto argv = command_words(pipeline.first);
    std::size_t skip = 0;
    while (skip < argv.size()) {
        const bool wrapper = is_one_of(wrappers, base_name(argv[skip]));
        const bool option_of_wrapper = skip > 0 && argv[skip].starts_with('-');
        if (!wrapper && !option_of_wrapper && !is_assignment(argv[skip])) break;
        ++skip;
    }
    argv.erase(argv.begin(), argv.begin() + static_cast<std::ptrdiff_t>(skip));
    if (argv.empty()) return std::nullopt;
    argv[0] = std::string(base_name(argv[0]));
    if (!is_known_program(argv[0])) return std::nullopt;
    // "# newfs command for ..." and "# raidctl config file for ..." are headings that tools print.
    if (argv.size() > 2 && argv[2] == "for" && argv[1] == "command") return std::nullopt;
    if (argv.size() > 2 && argv[2] == "file" && argv[1] == "config") return std::nullopt;
    // Redirections are no arguments.
    const auto redirection = std::find_if(argv.begin() + 1, argv.end(), [](const std::string& word) {
        return word.starts_with('>') || word.starts_with('<') || word.starts_with("2>");
    });
    argv.erase(redirection, argv.end());
    PromptCommand command{std::move(argv), false};
    for (const auto word : words(pipeline.rest))
        command.filtered = command.filtered || is_one_of(filters, base_name(word));
    return command;
}

// Prompts of shell themes end in a mark of their own ("❯ cmd"), or put it first and folder and branch behind
// it
// ("➜  ~ git:(main) ✗ cmd").
std::optional<PromptCommand> themed_command(std::string_view line) {
    constexpr std::string_view arrow = "\u279c";
    constexpr std::array<std::string_view, 3> last_marks{"\u276f", "\u03bb", "\u276d"};
    auto rest = trim(line);
    if (rest.starts_with(arrow)) {
        rest = trim(rest.substr(arrow.size()));
        for (int skipped = 0; skipped < 4 && !rest.empty(); ++skipped) {
            if (auto command = command_in(rest)) return command;
            const auto blank = rest.find_first_of(" \t");
            if (blank == std::string_view::npos) break;
            rest = trim(rest.substr(blank));
        }
        return std::nullopt;
    }
    for (const auto mark : last_marks)
        if (const auto at = rest.find(mark); at != std::string_view::npos && at < 64)
            return command_in(rest.substr(at + mark.size()));
    return std::nullopt;
}

}  // namespace

std::optional<PromptCommand> prompt_command(std::string_view line) {
    if (auto command = themed_command(line)) return command;
    // The mark is the first of # $ % > that a fitting prefix precedes; a longer prefix may hold a mark of its
    // own.
    for (std::size_t at = 0; at < line.size() && at < 64; ++at) {
        const char mark = line[at];
        if (mark != '#' && mark != '$' && mark != '%' && mark != '>') continue;
        if (!is_prompt_prefix(line.substr(0, at), mark)) continue;
        if (auto command = command_in(line.substr(at + 1))) return command;
    }
    const auto text = trim(line);
    if (starts_with_word(text, "sudo") || starts_with_word(text, "doas")) return command_in(text);
    return std::nullopt;
}

std::vector<Output> outputs_of(const Document& document) {
    auto lines = normalised_lines(document.bytes);
    std::vector<Output> out;
    Output current;
    current.source = document.name;
    if (!document.argv.empty()) {
        current.argv = document.argv;
        current.argv[0] = std::string(base_name(current.argv[0]));
        current.lines = std::move(lines);
        out.push_back(std::move(current));
        return out;
    }
    const auto close = [&] {
        if (!current.lines.empty() || !current.argv.empty()) out.push_back(std::move(current));
        current = Output{};
        current.source = document.name;
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto number = lines[i].number;
        for (auto& text : unflattened(lines[i].text)) {
            // A command continued with a backslash.
            while (text.ends_with('\\') && i + 1 < lines.size() && prompt_command(text)) {
                text.pop_back();
                text += " " + std::string(trim(lines[++i].text));
            }
            if (auto command = prompt_command(text)) {
                close();
                current.argv = std::move(command->argv);
                current.filtered = command->filtered;
                current.prompt_line = number;
                continue;
            }
            current.lines.push_back({std::move(text), number});
        }
    }
    close();
    return out;
}

}  // namespace diskwright
