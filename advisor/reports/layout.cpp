// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t narrowest = 40;  // below, wrapping makes it worse

// Blanks that separate words are single in a wrapped paragraph; quoted commands keep theirs by being lines.
std::vector<std::string> wrapped(std::string_view text, std::size_t first, std::size_t rest,
                                 std::size_t width) {
    std::vector<std::string> lines(1);
    std::size_t used = first;
    for (const std::string_view word : words(text)) {
        const std::size_t length = columns(word);
        const std::size_t gap = lines.back().empty() ? 0 : 1;
        if (width != 0 && used + gap + length > width && used > rest) {
            lines.emplace_back();
            used = rest;
        } else if (gap) {
            lines.back() += ' ';
            ++used;
        }
        lines.back() += word;
        used += length;
    }
    return lines;
}

}  // namespace

Colour colour_of(Severity severity) {
    switch (severity) {
        case Severity::error:
            return Colour::red;
        case Severity::warning:
            return Colour::yellow;
        case Severity::notice:
            return Colour::cyan;
        case Severity::info:
            return Colour::bold;
    }
    return Colour::bold;
}

std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string place(const Provenance& from) {
    std::string out = escaped(from.source());
    if (from.line()) out += fmt::format(":{}", from.line());
    switch (from.kind()) {
        case Provenance::Kind::prose:
            return out.empty() ? "prose" : out + " (prose)";
        case Provenance::Kind::user:
            return "given by the user";
        case Provenance::Kind::table:
            return "table of drive models";
        case Provenance::Kind::inferred:
            return out.empty() ? "inferred" : out + " (inferred)";
        case Provenance::Kind::output:
        case Provenance::Kind::device:
            break;
    }
    return out;
}

void Page::line(std::size_t indent, std::string_view text) {
    out_.append(indent, ' ').append(text);
    std::replace(out_.end() - static_cast<std::ptrdiff_t>(text.size()), out_.end(), '\t', ' ');
    out_ += '\n';
}

void Page::blank() {
    out_ += '\n';
}

std::string Page::coloured(std::string_view text, Colour colour) const {
    if (!style_.colour || text.empty()) return std::string(text);
    std::string_view code = "1";
    switch (colour) {
        case Colour::bold:
            code = "1";
            break;
        case Colour::dim:
            code = "2";
            break;
        case Colour::red:
            code = "1;31";
            break;
        case Colour::yellow:
            code = "1;33";
            break;
        case Colour::cyan:
            code = "1;36";
            break;
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void Page::paragraph(std::size_t indent, std::string_view head, Colour colour, std::string_view text) {
    const std::size_t width = style_.width < narrowest ? 0 : style_.width;
    const std::size_t head_columns = head.empty() ? 0 : columns(head) + 1;
    const auto lines = wrapped(text, indent + head_columns, indent + 4, width);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i == 0 && !head.empty())
            line(indent, coloured(head, colour) + (lines[0].empty() ? "" : " ") + lines[0]);
        else
            line(i == 0 ? indent : indent + 4, lines[i]);
    }
}

void Page::running(std::size_t indent, std::string_view text) {
    const std::size_t width = style_.width < narrowest ? 0 : style_.width;
    for (const std::string& l : wrapped(text, indent, indent, width)) line(indent, l);
}

}  // namespace diskwright
