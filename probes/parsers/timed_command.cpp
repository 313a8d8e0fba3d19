// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/timed_command.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "probes/parsers/time_reading.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// A mail with two dozen timings fits in.
constexpr std::size_t lines_back = 120;

bool is_time(std::string_view word) {
    return word == "time" || word.ends_with("/time") || word == "gtime";
}

std::string join(const std::vector<std::string_view>& w, std::size_t from, std::size_t to) {
    std::string out;
    for (std::size_t i = from; i < to; ++i) out += (out.empty() ? "" : " ") + std::string(w[i]);
    return out;
}

// The words behind "time" and its options, up to the end of the command.
std::string without_time(const std::vector<std::string_view>& w) {
    const auto at = std::find_if(w.begin(), w.end(), is_time);
    std::size_t from = at == w.end() ? 0 : static_cast<std::size_t>(at - w.begin()) + 1;
    if (from > 0) {
        while (from < w.size() && w[from].size() > 1 && w[from][0] == '-')
            from += w[from] == "-f" || w[from] == "-o" ? 2 : 1;
    }
    if (from > w.size()) return {};
    // Of a loop around it ("for i in 1 2; do time tar xf a; done") only the command itself.
    std::size_t to = w.size();
    for (std::size_t i = from; from > 1 && i < w.size() && to == w.size(); ++i) {
        if (w[i] == ";" || w[i] == "done" || w[i] == ")")
            to = i;
        else if (w[i].ends_with(';') || w[i].ends_with(')'))
            to = i + 1;
    }
    std::string out = join(w, from, to);
    while (from > 1 && !out.empty() && (out.back() == ';' || out.back() == ')')) out.pop_back();
    return out;
}

// Commands that print a file: timings in it are of other commands.
bool shows_text(std::string_view program) {
    constexpr std::array<std::string_view, 9> programs{"cat",  "less",  "more", "head", "tail",
                                                       "grep", "egrep", "sed",  "awk"};
    return std::find(programs.begin(), programs.end(), program) != programs.end();
}

bool is_loop(std::string_view command) {
    return contains(command, "while ") || contains(command, "for ") || contains(command, "until ");
}

// Whether quoted text is a command, and no term of the prose.
bool looks_like_command(std::string_view text) {
    const auto w = words(text);
    if (w.empty() || text.find_first_of("<>?!") != std::string_view::npos || iequals(w.back(), "loop"))
        return false;
    const auto program = w[0];
    const bool plain = std::all_of(program.begin(), program.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '/' || c == '+' || c == '-';
    });
    if (!plain || program.ends_with('.') || program.starts_with('-')) return false;
    if (program.find_first_of("./") != std::string_view::npos) return true;
    if (is_known_program(program)) return w.size() > 1 || program == "make";
    return w.size() > 1 && (w[1].starts_with('-') || w[1].find_first_of("/=.") != std::string_view::npos);
}

struct Quote {
    std::string_view open, close;
};
constexpr std::array<Quote, 3> quotes{{{"\"", "\""}, {"`", "`"}, {"\xe2\x80\x9c", "\xe2\x80\x9d"}}};

// Commands in quotes; a quote that is never closed ends with its line.
std::vector<std::string> quoted_commands(std::string_view paragraph) {
    std::vector<std::string> out;
    std::size_t at = 0;
    while (at < paragraph.size()) {
        const auto quote = std::find_if(quotes.begin(), quotes.end(), [&](const Quote& q) {
            return paragraph.substr(at).starts_with(q.open);
        });
        if (quote == quotes.end()) {
            ++at;
            continue;
        }
        at += quote->open.size();
        const auto close = paragraph.find(quote->close, at);
        const auto end = close == std::string_view::npos ? paragraph.find('\n', at) : close;
        std::string text =
            without_time(words(paragraph.substr(at, end == std::string_view::npos ? end : end - at)));
        if (looks_like_command(text)) out.push_back(std::move(text));
        if (end == std::string_view::npos) break;
        at = end + (close == std::string_view::npos ? 1 : quote->close.size());
    }
    return out;
}

// "% time make build", "host# time tar xf a", "time make"
std::optional<std::string> command_line(std::string_view line) {
    const auto w = words(line);
    for (std::size_t i = 0; i < w.size() && i < 3; ++i) {
        if (!is_time(w[i])) continue;
        const bool after_prompt =
            i > 0 && std::string_view("$%#>").find(w[i - 1].back()) != std::string_view::npos;
        if (i > 0 && !after_prompt) return std::nullopt;
        const auto command = without_time(w);
        if (command.empty() || (i == 0 && !looks_like_command(command))) return std::nullopt;
        return command;
    }
    return std::nullopt;
}

bool refers_back(std::string_view paragraph) {
    constexpr std::array<std::string_view, 10> phrases{"as above",     "as before", "as in ", "the same",
                                                       "same command", "same test", "repeat", "ditto",
                                                       "likewise",     "once more"};
    for (const auto phrase : phrases)
        if (icontains(paragraph, phrase)) return true;
    const auto w = words(paragraph);
    return std::any_of(w.begin(), w.end(), [](std::string_view x) {
        return iequals(x, "vs.") || iequals(x, "vs") || iequals(x, "versus");
    });
}

// "4)" at the head of a paragraph, or after "as in"
std::optional<std::uint64_t> item_number(std::string_view word) {
    if (word.starts_with('(')) word.remove_prefix(1);
    const auto number = leading_unsigned(word);
    if (!number || number->rest.empty() || (number->rest[0] != ')' && number->rest != "."))
        return std::nullopt;
    return number->value;
}

class Story {
 public:
    explicit Story(const Output& out) {
        const std::vector<std::string_view> argv(out.argv.begin(), out.argv.end());
        if (argv.empty() || shows_text(argv[0])) return;
        current_ = without_time(argv);
        at_prompt_ = !note(current_).empty();
    }

    void add_line(std::string_view line) {
        if (trim(line).empty()) {
            paragraph_open_ = false;
            return;
        }
        if (!paragraph_open_) close_paragraph();
        paragraph_open_ = true;
        if (auto command = command_line(line)) typed_ = std::move(command);
        paragraph_.append(line).push_back('\n');
    }

    // A timing stands here: says whose it is.
    std::string timing() {
        std::string command = decide();
        paragraph_.clear(), typed_.reset();
        paragraph_open_ = false;
        first_seen_ = true;
        return command.empty() ? "?" : command;
    }

 private:
    // Prose before the first timing tells what is going to be timed; later prose only when a timing follows
    // at once.
    void close_paragraph() {
        if (!first_seen_ && !paragraph_.empty()) {
            const auto commands = quoted_commands(paragraph_);
            if (typed_)
                current_ = *typed_;
            else if (!commands.empty())
                current_ = commands.back();
            if (typed_ || !commands.empty()) note(current_);
        }
        paragraph_.clear(), typed_.reset();
    }

    std::string decide() {
        // What stands between the prompt and the first timing is the command's own output.
        if (at_prompt_ && !first_seen_ && !typed_) return last_ = current_;
        if (paragraph_.empty()) return last_.empty() ? current_ : last_;
        const auto item = item_of_paragraph();
        std::string command = from_paragraph();
        if (item) items_[*item] = command;
        return last_ = command;
    }

    std::string from_paragraph() {
        if (typed_) return note(current_ = *typed_);
        const auto commands = quoted_commands(paragraph_);
        if (refers_back(paragraph_)) {
            if (!commands.empty() && !runs_beside()) return note(current_ = commands.back());
            if (!commands.empty()) companion_ = commands.back();
            if (const auto item = item_referred_to()) current_ = *item;
            return current_;
        }
        if (!commands.empty()) return note(current_ = commands.back());
        if (is_companions()) return companion_;
        if (const auto again = known_program_again()) return note(current_ = *again);
        return current_;
    }

    const std::string& note(const std::string& command) {
        const auto w = words(command);
        if (!w.empty() && std::find(programs_.begin(), programs_.end(), w[0]) == programs_.end() &&
            programs_.size() < 16)
            programs_.emplace_back(w[0]);
        return command;
    }

    // 'As above, but with a "while true; do sync; sleep 1; done" running in parallel': another command, timed
    // beside.
    bool runs_beside() const {
        constexpr std::array<std::string_view, 8> phrases{"with a",     "with the", "parallel",  "alongside",
                                                          "background", "beside",   "meanwhile", "running"};
        return std::any_of(phrases.begin(), phrases.end(),
                           [&](std::string_view p) { return icontains(paragraph_, p); });
    }

    // "while the sync loop got": the loop that ran beside, named by one of its words.
    bool is_companions() const {
        if (companion_.empty()) return false;
        const auto mine = words(paragraph_);
        if (!std::any_of(mine.begin(), mine.end(), [](std::string_view x) { return icontains(x, "loop"); }))
            return false;
        return is_loop(companion_);
    }

    // A program met before, now with other options or none: 'a "plain" build.sh without -j'.
    std::optional<std::string> known_program_again() const {
        const auto w = words(paragraph_);
        for (std::size_t i = w.size(); i-- > 0;) {
            if (std::find(programs_.begin(), programs_.end(), w[i]) == programs_.end()) continue;
            std::size_t to = i + 1;
            while (to < w.size() && w[to].size() > 1 && w[to][0] == '-' && !w[to].ends_with(':')) ++to;
            return join(w, i, to);
        }
        return std::nullopt;
    }

    std::optional<std::uint64_t> item_of_paragraph() const {
        const auto w = words(paragraph_);
        return w.empty() ? std::nullopt : item_number(w[0]);
    }

    std::optional<std::string> item_referred_to() const {
        const auto w = words(paragraph_);
        for (std::size_t i = 2; i < w.size(); ++i) {
            if (!iequals(w[i - 1], "in") || !iequals(w[i - 2], "as")) continue;
            const auto number = item_number(w[i]);
            const auto item = number ? items_.find(*number) : items_.end();
            if (item != items_.end()) return item->second;
        }
        return std::nullopt;
    }

    std::string current_, companion_, last_;
    std::string paragraph_;
    std::optional<std::string> typed_;
    bool paragraph_open_ = false, first_seen_ = false, at_prompt_ = false;
    std::vector<std::string> programs_;
    std::map<std::uint64_t, std::string> items_;
};

}  // namespace

std::string timed_command(const Output& out, std::size_t at) {
    Story story(out);
    for (std::size_t i = at > lines_back ? at - lines_back : 0; i < at && i < out.lines.size(); ++i) {
        if (const auto reading = time_reading(out, i)) {
            story.timing();
            i += reading->lines - 1;
        } else {
            story.add_line(out.text(i));
        }
    }
    return story.timing();
}

}  // namespace diskwright
