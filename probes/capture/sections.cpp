// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/sections.hpp"

#include <fmt/format.h>

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

bool is_host(std::string_view word) {
    return !word.empty() && word.size() <= 63 && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
               c == '.' || c == '_';
    });
}

// "root@web1:~ ", "[root@web1 etc]", "web1", "web1:/root": the host's name without its domain. Shells show
// their own name or the user's where no host is set.
std::string host_of_prompt(std::string_view prefix, char mark) {
    constexpr std::array<std::string_view, 13> no_hosts{"sh",        "bash",   "ksh",  "zsh",  "csh",
                                                        "tcsh",      "dash",   "ash",  "fish", "root",
                                                        "localhost", "livecd", "admin"};
    auto word = trim(prefix);
    const auto at = word.find('@');
    if (at != std::string_view::npos)
        word.remove_prefix(at + 1);
    else if (words(word).size() != 1)
        return {};
    word = word.substr(0, word.find_first_of(":] \t)~/"));
    if (!is_host(word)) return {};
    // "1", "box12%": a history number changes with each command.
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (std::all_of(word.begin(), word.end(), digit) || (mark == '%' && digit(word.back()))) return {};
    // An address has no domain; "bash-5.2" is a shell.
    if (word[0] < '0' || word[0] > '9') word = word.substr(0, word.find('.'));
    const auto name = word.substr(0, at == std::string_view::npos ? word.find('-') : word.size());
    return is_one_of(no_hosts, name) || !is_host(word) ? std::string{} : lowercase(word);
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
    PromptCommand command{std::move(argv)};
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

// No command line is longer; a paste of binary data or of one endless line is none.
constexpr std::size_t longest_command = 16 * KiB;

// More than any command prints and any paste holds; bounds the memory that a document of short lines takes.
constexpr std::size_t most_lines = std::size_t{1} << 23;

// The text between one prompt and the next, collected line by line.
class OutputCutter {
 public:
    OutputCutter(const Document& document, const OutputTaker& take)
        : document_(document), lines_(document.bytes), take_(take) {
        begin();
    }

    std::vector<Unparsed> run() {
        if (document_.argv.empty()) {
            while (auto line = next()) add(std::move(*line));
        } else {
            current_.argv = document_.argv;
            current_.argv[0] = std::string(base_name(current_.argv[0]));
            while (auto line = next()) current_.lines.push_back(std::move(*line));
        }
        if (!document_.argv.empty() || !current_.lines.empty() || !current_.argv.empty())
            take_(current_, host_);
        return std::move(left_out_);
    }

 private:
    void begin() {
        current_ = Output{};
        host_.clear();
        current_.source = document_.name;
    }

    std::optional<TextLine> next() {
        auto line = lines_.next();
        if (!line) return line;
        if (count_ == most_lines) {
            left_out_.push_back({document_.name, line->number, line->number,
                                 fmt::format("more than {} lines: the rest is left out", most_lines)});
            return std::nullopt;
        }
        ++count_;
        if (lines_.cut() && cuts_++ < most_cuts)
            left_out_.push_back(
                {document_.name, line->number, line->number,
                 fmt::format("a line of more than {}: its end is left out", human_size(1 * MiB))});
        return line;
    }

    void add(TextLine line) {
        for (auto& text : unflattened(line.text)) {
            auto command = prompt_command(text);
            if (!command) {
                current_.lines.push_back({std::move(text), line.number});
                continue;
            }
            if (text.ends_with('\\')) {
                join_continuation(text);
                command = prompt_command(text);
            }
            if (!current_.lines.empty() || !current_.argv.empty()) take_(current_, host_);
            begin();
            if (!command) continue;  // the joined line is too long to be one
            current_.argv = std::move(command->argv);
            current_.filtered = command->filtered;
            host_ = std::move(command->host);
            current_.prompt_line = line.number;
        }
    }

    // A command continued with a backslash.
    void join_continuation(std::string& text) {
        while (text.ends_with('\\') && text.size() < longest_command) {
            auto more = next();
            if (!more) break;
            text.pop_back();
            text += " " + std::string(trim(more->text));
        }
    }

    static constexpr std::size_t most_cuts = 16;

    const Document& document_;
    NormalisedLines lines_;
    const OutputTaker& take_;
    Output current_;
    std::string host_;
    std::vector<Unparsed> left_out_;
    std::size_t count_ = 0, cuts_ = 0;
};

}  // namespace

std::optional<PromptCommand> prompt_command(std::string_view line) {
    if (line.size() > longest_command) return std::nullopt;
    if (auto command = themed_command(line)) return command;
    // The mark is the first of # $ % > that a fitting prefix precedes; a longer prefix may hold a mark of its
    // own.
    for (std::size_t at = 0; at < line.size() && at < 64; ++at) {
        const char mark = line[at];
        if (mark != '#' && mark != '$' && mark != '%' && mark != '>') continue;
        if (!is_prompt_prefix(line.substr(0, at), mark)) continue;
        auto command = command_in(line.substr(at + 1));
        if (!command) continue;
        command->host = host_of_prompt(line.substr(0, at), mark);
        return command;
    }
    const auto text = trim(line);
    if (starts_with_word(text, "sudo") || starts_with_word(text, "doas")) return command_in(text);
    return std::nullopt;
}

std::vector<Unparsed> for_each_output(const Document& document, const OutputTaker& take) {
    return OutputCutter(document, take).run();
}

std::vector<Output> outputs_of(const Document& document) {
    std::vector<Output> out;
    for_each_output(document, [&](const Output& output, const std::string&) { out.push_back(output); });
    return out;
}

}  // namespace diskwright
