// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "probes/capture/sections.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "> ", ">> ", "> > ": the quoting is taken off only where a blank, another mark or nothing follows the mark,
// so that
// "->" or "=>" never lose anything.
std::string_view without_mail_quote(std::string_view line) {
    for (;;) {
        auto rest = line;
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
        if (!rest.starts_with('>')) return line;
        rest.remove_prefix(1);
        if (!rest.empty() && rest.front() != ' ' && rest.front() != '>' && rest.front() != '\t') return line;
        if (rest.starts_with(' ')) rest.remove_prefix(1);
        line = rest;
    }
}

// Newsreaders that quote with ':' or '|' do it on every line of the quotation: two in a row are taken as
// quoting.
bool has_mark(std::string_view line, char mark) {
    return line.size() >= 2 && line[0] == mark && (line[1] == ' ' || line[1] == '\t');
}

bool is_fence(std::string_view line) {
    const auto text = trim(line);
    return text.starts_with("```") || text.starts_with("~~~") || iequals(text, "<code>") ||
           iequals(text, "</code>") || iequals(text, "<pre>") || iequals(text, "</pre>") ||
           iequals(text, "[code]") || iequals(text, "[/code]");
}

std::string with_plain_blanks(std::string_view line) {
    constexpr std::string_view no_break_blank = "\xc2\xa0";
    std::string out;
    out.reserve(line.size());
    for (std::size_t from = 0;;) {
        const auto at = line.find(no_break_blank, from);
        out += line.substr(from, at - from);
        if (at == std::string_view::npos) return out;
        out += ' ';
        from = at + no_break_blank.size();
    }
}

constexpr std::size_t longest_line = 1 * MiB;

}  // namespace

NormalisedLines::NormalisedLines(std::string_view bytes) : rest_(bytes) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    after_ = take_raw();
}

std::optional<std::string_view> NormalisedLines::take_raw() {
    if (rest_.empty()) return std::nullopt;
    const auto end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::optional<TextLine> NormalisedLines::next() {
    before_ = current_, current_ = after_;
    if (!current_) return std::nullopt;
    after_ = take_raw();
    ++number_;
    std::string_view line = current_->substr(0, longest_line);
    cut_ = line.size() < current_->size();
    line = without_mail_quote(line);
    for (const char mark : {':', '|'}) {
        const bool above = before_ && has_mark(*before_, mark);
        const bool below = after_ && has_mark(*after_, mark);
        if (has_mark(line, mark) && (above || below)) line.remove_prefix(1);
    }
    std::string text = with_plain_blanks(is_fence(line) ? std::string_view{} : line);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
    return TextLine{std::move(text), number_};
}

std::vector<TextLine> normalised_lines(std::string_view bytes) {
    std::vector<TextLine> out;
    NormalisedLines lines(bytes);
    while (auto line = lines.next()) out.push_back(std::move(*line));
    return out;
}

}  // namespace diskwright
