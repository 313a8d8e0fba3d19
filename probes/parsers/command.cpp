// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/output_parts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

std::string_view Output::program() const {
    return argv.empty() ? std::string_view{} : std::string_view(argv.front());
}

bool Output::has_argument(std::string_view word) const {
    return std::find(argv.begin() + (argv.empty() ? 0 : 1), argv.end(), word) != argv.end();
}

std::string_view Output::operand(std::size_t n, std::string_view options_with_value) const {
    for (std::size_t i = 1; i < argv.size(); ++i) {
        const std::string& word = argv[i];
        if (word.size() > 1 && word[0] == '-') {
            const bool value_follows =
                word.size() == 2 && options_with_value.find(word[1]) != std::string_view::npos;
            if (value_follows) ++i;
            continue;
        }
        if (n-- == 0) return word;
    }
    return {};
}

std::string_view Output::option(char x) const {
    for (std::size_t i = 1; i < argv.size(); ++i) {
        const std::string_view word = argv[i];
        if (word.size() < 2 || word[0] != '-' || word[1] != x) continue;
        if (word.size() > 2) return word.substr(2);
        return i + 1 < argv.size() ? std::string_view(argv[i + 1]) : std::string_view{};
    }
    return {};
}

Provenance Scribe::at(std::size_t line) const {
    if (line >= output_.lines.size()) return at_prompt();
    return Provenance(output_.source, output_.lines[line].number, output_.lines[line].text);
}

Provenance Scribe::at_prompt() const {
    std::string command;
    for (const auto& word : output_.argv) command += (command.empty() ? "" : " ") + word;
    return Provenance(output_.source, output_.prompt_line, std::move(command));
}

std::optional<std::uint64_t> Scribe::number(std::string_view word, std::size_t line, std::string_view what) {
    const auto value = to_unsigned(word);
    if (!value) unparsed(line, line, fmt::format("{}: expected a number, found '{}'", what, escaped(word)));
    return value;
}

std::optional<double> Scribe::real(std::string_view word, std::size_t line, std::string_view what) {
    const auto value = to_double(word);
    if (!value) unparsed(line, line, fmt::format("{}: expected a number, found '{}'", what, escaped(word)));
    return value;
}

std::optional<std::uint64_t> Scribe::scaled(std::string_view word, std::uint64_t unit, std::size_t line,
                                            std::string_view what) {
    const auto value = number(word, line, what);
    if (!value) return std::nullopt;
    const auto product = multiply(*value, unit);
    if (!product) unparsed(line, line, fmt::format("{}: {} is out of range", what, *value));
    return product;
}

void Scribe::unparsed(std::size_t first, std::size_t last, std::string reason) {
    const auto number_of = [&](std::size_t i) {
        return i < output_.lines.size() ? output_.lines[i].number : output_.prompt_line;
    };
    facts.unparsed.push_back({output_.source, number_of(first), number_of(last), std::move(reason)});
}

void Scribe::damage(std::size_t line, std::string what) {
    facts.damages.push_back({std::move(what), at(line)});
}

void Scribe::event(Event::Kind kind, std::string subject, std::string detail, std::size_t line) {
    facts.events.push_back({std::move(subject), kind, std::move(detail), at(line)});
}

void Scribe::suggest_os(Os os, std::size_t line) {
    if (facts.os.name.known()) return;
    facts.os.name =
        Known<Os>(os, Provenance(output_.source, line < output_.lines.size() ? output_.lines[line].number : 0,
                                 std::string(output_.text(line)), Provenance::Kind::inferred));
}

namespace {

// The parsers of the command at the prompt are asked first; the others still get their chance, since a paste
// may go on with output whose prompt was cut off. What a command that prints nothing did, only its own
// parsers can tell.
std::vector<const CommandParser*> in_order_of_asking(const Output& output) {
    const auto parsers = command_parsers();
    std::vector<const CommandParser*> order, others;
    for (const auto& p : parsers) {
        const bool own =
            std::find(p.programs.begin(), p.programs.end(), output.program()) != p.programs.end();
        (own ? order : others).push_back(&p);
    }
    if (!output.lines.empty()) order.insert(order.end(), others.begin(), others.end());
    return order;
}

}  // namespace

void parse_output(const Output& output, const OutputParts& parts) {
    const auto order = in_order_of_asking(output);
    std::size_t at = 0, unclaimed_from = 0;
    const auto close_unclaimed = [&](std::size_t end) {
        if (end > unclaimed_from) parts.unclaimed(unclaimed_from, end - 1);
    };
    // A command that prints nothing but is told everything by its arguments (newfs, tunefs) still has one
    // turn at 0.
    const std::size_t turns = std::max<std::size_t>(output.lines.size(), output.argv.empty() ? 0 : 1);
    while (at < turns) {
        // No format begins with a blank line; only a command's arguments may speak without any output.
        if ((at > 0 || output.argv.empty()) && trim(output.text(at)).empty()) {
            ++at;
            continue;
        }
        std::size_t used = 0;
        for (const CommandParser* parser : order) {
            if (!parser->starts(output, at)) continue;
            HostFacts facts;
            Scribe scribe(output, facts);
            used = std::min(parser->parse(output, at, scribe), turns - at);
            if (used == 0) continue;
            close_unclaimed(at);
            parts.section({parser->id, at, at + used - 1, std::move(facts)});
            at += used;
            unclaimed_from = at;
            break;
        }
        if (used == 0) ++at;
    }
    close_unclaimed(output.lines.size());
}

ParsedOutput parse_output(const Output& output) {
    ParsedOutput out;
    parse_output(output,
                 {[&](SectionFacts section) { out.sections.push_back(std::move(section)); },
                  [&](std::size_t first, std::size_t last) { out.unclaimed.emplace_back(first, last); }});
    return out;
}

}  // namespace diskwright
