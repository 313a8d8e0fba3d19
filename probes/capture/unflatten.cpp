// SPDX-License-Identifier: BSD-2-Clause
// Web archives and slide converters join lines. What can be told apart again: a prompt with a known command,
// the heading of a table, and the rows that begin with a name of a fixed shape.
#include <algorithm>
#include <array>

#include "probes/capture/sections.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t shortest_flattened =
    120;  // no table of ours has rows that long and also holds the next

// Headings; a line that has one in its middle was joined.
constexpr std::array<std::string_view, 8> headings{
    "Volume Status Size Device", "# size offset fstype", "#: size offset fstype", "size offset fstype [fsize",
    "Filesystem 1K-blocks",      "Filesystem Size Used", "device r/s w/s kr/s",   "Name Status Components",
};

bool digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_status(std::string_view word) {
    constexpr std::array<std::string_view, 9> states{"Online", "Offline", "Degraded", "Rebuild", "Scrubbing",
                                                     "Failed", "Unused",  "Building", "Invalid"};
    return std::find(states.begin(), states.end(), word) != states.end();
}

// Whether a row of some table begins at word i.
bool begins_row(const std::vector<std::string_view>& w, std::size_t i) {
    const auto next = [&](std::size_t k) { return i + k < w.size() ? w[i + k] : std::string_view{}; };
    // bioctl: "softraid0 0 Online", then "0 Online <size>" for each chunk.
    if (w[i].starts_with("softraid") && to_unsigned(next(1)) && is_status(next(2))) return true;
    if (to_unsigned(w[i]) && is_status(next(1)) && to_unsigned(next(2)) && i > 0 &&
        !w[i - 1].starts_with("softraid"))
        return true;
    // disklabel: "a:" and a size.
    if (w[i].size() == 2 && w[i][1] == ':' && w[i][0] >= 'a' && w[i][0] <= 'p' && !next(1).empty() &&
        digit(next(1)[0]))
        return true;
    // kernel: "sd9: 1430796MB,"
    if (w[i].size() >= 4 && w[i].ends_with(':') && (w[i].starts_with("sd") || w[i].starts_with("wd")) &&
        digit(w[i][2]) && next(1).ends_with("MB,"))
        return true;
    // dd: "500+0 records in"
    if (next(1) == "records" && contains(w[i], "+")) return true;
    return to_unsigned(w[i]) && next(1) == "bytes" && next(2).starts_with("transferred");
}

bool begins_heading(std::string_view line, std::size_t at) {
    return std::any_of(headings.begin(), headings.end(),
                       [&](std::string_view h) { return line.substr(at).starts_with(h); });
}

}  // namespace

std::vector<std::string> unflattened(const std::string& line) {
    if (line.size() < shortest_flattened || line.size() > 1 * MiB) return {line};
    const std::string_view view = line;
    const auto w = words(view);
    std::vector<std::size_t> cuts;
    for (std::size_t i = 1; i < w.size(); ++i) {
        const auto at = static_cast<std::size_t>(w[i].data() - view.data());
        const auto is_mark = [&](std::size_t k) {
            return k < w.size() && (w[k] == "#" || w[k] == "$" || w[k] == "%");
        };
        const bool mark = is_mark(i) && i + 1 < w.size() && is_known_program(w[i + 1]);
        // "> #" of a flattened mail quotation belongs to the prompt behind it.
        const bool quoted_mark = w[i] == ">" && is_mark(i + 1);
        if (mark && w[i - 1] == ">") continue;
        // "# size offset ..." is one heading, and so is what follows its mark.
        const bool inside_heading = w[i - 1] == "#" && !cuts.empty() && cuts.back() + 2 == at;
        if (mark || quoted_mark || (begins_heading(view, at) && !inside_heading) || begins_row(w, i))
            cuts.push_back(at);
    }
    if (cuts.empty()) return {line};
    std::vector<std::string> out;
    std::size_t from = 0;
    cuts.push_back(view.size());
    for (const auto cut : cuts) {
        auto piece = trim(view.substr(from, cut - from));
        if (piece.starts_with("> ")) piece = trim(piece.substr(2));
        if (!piece.empty()) out.emplace_back(piece);
        from = cut;
    }
    return out;
}

}  // namespace diskwright
