// SPDX-License-Identifier: BSD-2-Clause
// The tables of lsblk. Columns are left- or right-aligned under their heads and may be empty, and MODEL has
// blanks in it, so words are put into columns by their place; where a paste has lost the places, by their
// number.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/parsers/lsblk.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::array<std::string_view, 18> left_aligned{
    "NAME", "KNAME", "PKNAME", "PATH",  "FSTYPE", "LABEL", "UUID",  "MODEL", "SERIAL",
    "TYPE", "TRAN",  "SCHED",  "STATE", "VENDOR", "OWNER", "GROUP", "MODE",  "WWN"};
// Columns that may be empty, at the end of a row above all.
constexpr std::array<std::string_view, 14> optional_columns{
    "MOUNTPOINT", "MOUNTPOINTS", "FSTYPE", "LABEL",     "UUID",  "MODEL", "SERIAL",
    "SCHED",      "TRAN",        "VENDOR", "PARTLABEL", "FSVER", "WSAME", "STATE"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_left(std::string_view column) {
    return is_one_of(left_aligned, column) || column.starts_with("MOUNTPOINT") ||
           column.starts_with("PART") || column.starts_with("FS");
}

bool is_column_name(std::string_view word) {
    return !word.empty() && word[0] >= 'A' && word[0] <= 'Z' &&
           word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:%_") == std::string_view::npos;
}

struct Word {
    std::string_view text;
    std::size_t begin, end;  // display columns
};

// Tree glyphs and letters are one column each, whatever their bytes.
std::vector<Word> placed_words(std::string_view line) {
    std::vector<Word> out;
    std::size_t column = 0;
    for (std::size_t i = 0; i < line.size();) {
        const bool blank = static_cast<unsigned char>(line[i]) <= ' ';
        const std::size_t begin = i, from = column;
        while (i < line.size() && (static_cast<unsigned char>(line[i]) <= ' ') == blank) {
            if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80) ++column;
            ++i;
        }
        if (!blank) out.push_back({line.substr(begin, i - begin), from, column});
    }
    return out;
}

struct Head {
    std::vector<Word> columns;
    bool single_blanks = true;  // -r, or a paste that lost its columns
};

Head head_of(std::string_view line) {
    Head head{placed_words(line)};
    for (std::size_t i = 1; i < head.columns.size(); ++i)
        if (head.columns[i].begin != head.columns[i - 1].end + 1) head.single_blanks = false;
    return head;
}

// Removes "├─", "└─", "│ ", "|-", "`-" from the front and counts two columns a level.
struct TreeName {
    std::string_view name;
    std::size_t depth;
};
TreeName without_tree(std::string_view line, std::size_t margin) {
    std::size_t columns = 0, i = 0;
    const auto glyph = [&](std::size_t at) -> std::size_t {
        if (line[at] == ' ' || line[at] == '|' || line[at] == '`' || line[at] == '-') return 1;
        // Box drawing, U+2500 to U+257F.
        if (at + 2 < line.size() && line[at] == '\xe2' && (line[at + 1] == '\x94' || line[at + 1] == '\x95'))
            return 3;
        return 0;
    };
    while (i < line.size()) {
        const std::size_t bytes = glyph(i);
        if (bytes == 0) break;
        i += bytes, ++columns;
    }
    return {line.substr(i), columns > margin ? (columns - margin) / 2 : 0};
}

using Fields = std::vector<std::string>;

// Each word to the column it stands under; nothing when a value stands where no column of its alignment has
// it.
std::optional<Fields> by_place(const Head& head, std::vector<Word> row) {
    Fields out(head.columns.size());
    const auto& columns = head.columns;
    std::size_t column = 0;
    for (std::size_t n = 0; n < row.size(); ++n) {
        const Word& word = row[n];
        if (n == 0) {
            out[0] = std::string(word.text);
            continue;
        }
        while (column + 1 < columns.size()) {
            const Word& next = columns[column + 1];
            const bool overlaps_next = word.begin < next.end && word.end > next.begin;
            const bool reaches_next = is_left(next.text)
                                          ? word.begin >= next.begin
                                          : word.end >= next.begin && (overlaps_next || word.end >= next.end);
            if (!reaches_next) break;
            ++column;
        }
        const Word& own = columns[column];
        if (column == 0) return std::nullopt;
        const bool starts_field = out[column].empty();
        if (starts_field && is_left(own.text) && word.begin != own.begin) return std::nullopt;
        if (!is_left(own.text) && (!starts_field || word.end < own.begin)) return std::nullopt;
        out[column] += (starts_field ? "" : " ") + std::string(word.text);
    }
    return out;
}

std::optional<Fields> by_number(const Head& head, std::string_view line,
                                const std::vector<std::string_view>& w) {
    const std::size_t count = head.columns.size();
    if (head.single_blanks) {
        // -r keeps the place of empty values as two blanks.
        const auto exact = split(line, ' ');
        if (exact.size() == count && w.size() < count) return Fields(exact.begin(), exact.end());
    }
    if (w.size() == count) return Fields(w.begin(), w.end());
    Fields out(count);
    if (w.size() > count) {
        // Too many words: a model of several, if there is one.
        const auto model = std::find_if(head.columns.begin(), head.columns.end(),
                                        [](const Word& c) { return c.text == "MODEL"; });
        if (model == head.columns.end()) return std::nullopt;
        const std::size_t extra = w.size() - count,
                          at = static_cast<std::size_t>(model - head.columns.begin());
        for (std::size_t n = 0; n < w.size(); ++n) {
            const std::size_t c = n <= at ? n : n <= at + extra ? at : n - extra;
            out[c] += (out[c].empty() ? "" : " ") + std::string(w[n]);
        }
        return out;
    }
    for (std::size_t c = w.size(); c < count; ++c)
        if (!is_one_of(optional_columns, head.columns[c].text)) return std::nullopt;
    for (std::size_t c = 0; c < w.size(); ++c) {
        if (c > 0 && is_one_of(optional_columns, head.columns[c].text))
            return std::nullopt;  // it may be this one that is empty
        out[c] = std::string(w[c]);
    }
    return out;
}

bool plausible(const Head& head, const Fields& fields) {
    constexpr std::array<std::string_view, 9> numbers{"ALIGNMENT", "MIN-IO",  "OPT-IO", "PHY-SEC", "LOG-SEC",
                                                      "ROTA",      "RQ-SIZE", "RM",     "RO"};
    for (std::size_t c = 0; c < fields.size(); ++c)
        if (is_one_of(numbers, head.columns[c].text) && !fields[c].empty() && !to_signed(fields[c]))
            return false;
    return true;
}

}  // namespace

bool is_lsblk_header(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 2 || w[0] != "NAME" || !std::all_of(w.begin(), w.end(), is_column_name)) return false;
    constexpr std::array<std::string_view, 12> own{"MAJ:MIN",   "PHY-SEC", "LOG-SEC",    "ROTA",
                                                   "ALIGNMENT", "FSTYPE",  "MOUNTPOINT", "MOUNTPOINTS",
                                                   "DISC-ALN",  "MODEL",   "PKNAME",     "KNAME"};
    const bool certain = std::any_of(w.begin(), w.end(), [&](auto word) { return is_one_of(own, word); });
    // "NAME TYPE SIZE USED PRIO" is swapon, "NAME STATE READ WRITE CKSUM" is zpool.
    return certain || (std::find(w.begin(), w.end(), "TYPE") != w.end() &&
                       std::find(w.begin(), w.end(), "SIZE") != w.end() &&
                       std::find(w.begin(), w.end(), "USED") == w.end());
}

std::size_t read_lsblk_table(const Output& out, std::size_t at, std::vector<BlockNode>& nodes,
                             Scribe& scribe) {
    if (!is_lsblk_header(out.text(at))) return 0;
    const Head head = head_of(out.text(at));
    const std::size_t margin = head.columns[0].begin;
    std::size_t i = at + 1, last = at;
    for (; i < out.lines.size(); ++i) {
        const auto line = out.text(i);
        if (trim(line).empty()) break;
        if (trim(line) == "..." || trim(line) == "[...]") {
            last = i;
            continue;
        }
        const auto tree = without_tree(line, margin);
        auto row = placed_words(line);
        const auto w = words(tree.name);
        if (w.empty() || is_column_name(w[0])) break;
        // "└─sda1" is one word, "`- sda1" or "| |-sda1" several; only the name counts.
        while (!row.empty() && row.front().text.data() + row.front().text.size() <= tree.name.data())
            row.erase(row.begin());
        if (!row.empty()) row.front().text = w[0];
        auto fields = head.single_blanks ? by_number(head, tree.name, w) : std::nullopt;
        if (!fields) fields = by_place(head, row);
        if (!fields || !plausible(head, *fields)) fields = by_number(head, tree.name, w);
        if (!fields || !plausible(head, *fields)) {
            // A second mount point of the device above has a line of its own; prose ends the table.
            if (w.size() == 1 && w[0].starts_with('/')) {
                last = i;
                continue;
            }
            if (w.size() > head.columns.size() + 6 ||
                !(w[0].starts_with("sd") || w[0].starts_with("nvme") || w[0].starts_with("md")))
                break;
            scribe.unparsed(
                i, i,
                fmt::format("lsblk: the values of {} cannot be put under their columns", escaped(w[0])));
            last = i;
            continue;
        }
        BlockNode node;
        node.name = (*fields)[0];
        node.line = i;
        node.depth = tree.depth;
        for (std::size_t c = 1; c < fields->size(); ++c)
            if (!(*fields)[c].empty()) node.values.emplace(head.columns[c].text, (*fields)[c]);
        nodes.push_back(std::move(node));
        last = i;
    }
    return last - at + 1;
}

}  // namespace diskwright
