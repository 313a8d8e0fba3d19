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

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

}  // namespace

std::vector<TextLine> normalised_lines(std::string_view bytes) {
    if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
    const auto raw = split_lines(bytes);
    std::vector<TextLine> out;
    out.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        std::string_view line = without_mail_quote(raw[i]);
        for (const char mark : {':', '|'}) {
            const bool above = i > 0 && has_mark(raw[i - 1], mark);
            const bool below = i + 1 < raw.size() && has_mark(raw[i + 1], mark);
            if (has_mark(line, mark) && (above || below)) line.remove_prefix(1);
        }
        std::string text(is_fence(line) ? std::string_view{} : line);
        replace_all(text, "\xc2\xa0", " ");
        while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
        out.push_back({std::move(text), static_cast<std::uint32_t>(i + 1)});
    }
    return out;
}

}  // namespace diskwright
