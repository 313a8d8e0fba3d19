// SPDX-License-Identifier: BSD-2-Clause
// How a command's output becomes facts. A parser is one file and one row in commands.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright {

struct TextLine {
    std::string text;      // without mail quoting, line end and BOM; tabs and leading blanks as they were
    std::uint32_t number;  // in the source, from 1
};

/// The lines between one shell prompt and the next, or a whole text without prompts: usually one command's
/// output, sometimes several and prose around them.
struct Output {
    std::string source;  // name of the file, "-" for standard input
    std::vector<std::string>
        argv;  // the command at the prompt, without sudo, doas, env and path; empty when not shown
    bool filtered = false;          // the command went through a pipe (grep, head), so lines may be missing
    std::uint32_t prompt_line = 0;  // where the command stands; 0 when not shown
    std::vector<TextLine> lines;    // what follows; without the prompt line itself

    std::string_view text(std::size_t at) const {
        return at < lines.size() ? lines[at].text : std::string_view{};
    }
    /// Base name of the command, "" when not shown.
    std::string_view program() const;
    bool has_argument(std::string_view word) const;
    /// The n-th argument (from 0) that does not begin with '-', the command itself not counted; "" when there
    /// is none. Options that take a value in the next argument are listed by the caller ("wcI" for -w 10 -c 5
    /// -I 10s).
    std::string_view operand(std::size_t n, std::string_view options_with_value = {}) const;
    /// The value of option -x, given as "-x value" or "-xvalue"; "" when absent.
    std::string_view option(char x) const;
};

/// What a parser writes to: facts with the provenance of a line, and what could not be used.
class Scribe {
 public:
    Scribe(const Output& output, HostFacts& target) : facts(target), output_(output) {}

    HostFacts& facts;

    const Output& output() const { return output_; }
    Provenance at(std::size_t line) const;
    /// For what the prompt line itself tells ("raidctl -s raid0", "iostat -w 10").
    Provenance at_prompt() const;
    template <class T>
    Known<T> known(T value, std::size_t line) const {
        return Known<T>(std::move(value), at(line));
    }
    Text text(std::string_view value, std::size_t line) const { return known(std::string(value), line); }

    /// A number from `word`, or nothing and a note in `unparsed` that says what was expected.
    std::optional<std::uint64_t> number(std::string_view word, std::size_t line, std::string_view what);
    std::optional<double> real(std::string_view word, std::size_t line, std::string_view what);
    /// a * unit as a size; overflow is noted like a bad number.
    std::optional<std::uint64_t> scaled(std::string_view word, std::uint64_t unit, std::size_t line,
                                        std::string_view what);

    void unparsed(std::size_t first, std::size_t last, std::string reason);
    /// The input is visibly cut or garbled here (HOST003).
    void damage(std::size_t line, std::string what);
    void event(Event::Kind kind, std::string subject, std::string detail, std::size_t line);
    /// This format exists on that system only.
    void suggest_os(Os os, std::size_t line);

 private:
    const Output& output_;
};

/// How the collector gets this output. "{disk}", "{volume:KIND}", "{filesystem:TYPE}" (a mounted device) and
/// "{mount:TYPE}" (its mount point) in argv run the command once for each that earlier commands found; KIND
/// and TYPE may be left out. At most one placeholder in a row.
struct LiveCommand {
    Os os;
    std::vector<std::string> argv;  // or {"<", "/proc/mdstat"}: read that file
    bool needs_root = false;
    bool samples = false;  // watches the devices for some seconds; run last, and only when asked for
};

struct CommandParser {
    std::string_view id;                     // "raidctl-status"; names captures and tests/data/parsers/<id>
    std::vector<std::string_view> programs;  // base names at a prompt whose output this may be
    /// Whether this format begins at that line, by its shape or, for shapeless output, by the command at the
    /// prompt. Must be cheap: it is asked for every line.
    bool (*starts)(const Output&, std::size_t at);
    /// Writes what it understands; returns how many lines, from `at`, belong to it (0: not mine after all).
    std::size_t (*parse)(const Output&, std::size_t at, Scribe&);
    std::vector<LiveCommand> live = {};
};

/// All parsers. The order decides when several claim a line: specific shapes first.
std::span<const CommandParser> command_parsers();
/// Whether that base name is a command some parser knows, or one that a pasted session may show (cat, grep,
/// ...).
bool is_known_program(std::string_view name);

/// Runs the parsers over one output. `facts` gets one element per section found, in order of appearance.
/// Lines that no parser claimed are returned as [first, last] index ranges (prose, prompts of unknown
/// commands).
struct SectionFacts {
    std::string_view parser_id;
    std::size_t first, last;  // line indices of the section, inclusive
    HostFacts facts;
};
struct ParsedOutput {
    std::vector<SectionFacts> sections;
    std::vector<std::pair<std::size_t, std::size_t>> unclaimed;
};
ParsedOutput parse_output(const Output& output);

}  // namespace diskwright
