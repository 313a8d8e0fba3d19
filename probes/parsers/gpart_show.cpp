// SPDX-License-Identifier: BSD-2-Clause
// gpart show [-l | -r] [-p] [ada0 ...], FreeBSD 7 and later:
//   =>        34  3907029101  da0  GPT  (1.8T) [CORRUPT]
//             34           6       - free -  (3.0k)
//             40         128    1  freebsd-boot  (64k)
//        3907029   195312496    2  freebsd-ufs  [bootme]  (93G)
// -p prints the provider's name in place of the index, -l the label and -r the raw type in place of the type.
// Format: freebsd/freebsd-src:lib/geom/part/geom_part.c. Columns collapse and rows wrap in mail, so it is
// read as a stream of words. Sector numbers are the provider's own; its sector size is not printed and
// follows from the sizes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "probes/parsers/gpart_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "(1.8T)", "(512B)"; the label of -l may be "(null)".
bool is_size(std::string_view word) {
    return word.size() >= 3 && word.front() == '(' && word.back() == ')' && word[1] >= '0' && word[1] <= '9';
}

bool is_header(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 5 || w[0] != "=>" || !is_number(w[1]) || !is_number(w[2])) return false;
    for (std::size_t i = 4; i < w.size() && i < 9; ++i)
        if (gpart_scheme(w[i])) return true;
    return false;
}

// Also a row that is cut after its two numbers.
bool is_row(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 2 && is_number(w[0]) && is_number(w[1]);
}

bool starts(const Output& out, std::size_t at) {
    return is_header(out.text(at));
}

struct Cursor {
    const std::vector<PlacedWord>& words;
    std::size_t at = 0;
    bool ended() const { return at >= words.size(); }
    std::string_view text(std::size_t ahead = 0) const {
        return at + ahead < words.size() ? words[at + ahead].text : std::string_view{};
    }
    std::size_t line() const { return ended() ? words.back().line : words[at].line; }
};

struct Shown {
    std::string device;
    Scheme scheme = Scheme::gpt;
    std::uint64_t first = 0, count = 0, sector = 512;
    bool sector_known = false, corrupt = false;
    bool cut = false;                   // rows of another table follow: lines between the two are lost
    std::optional<std::uint64_t> last;  // where the row before starts
    std::uint64_t free = 0, largest_free = 0, rows = 0;
    std::size_t line = 0;
    std::vector<std::string> typed;  // partitions with a word in the column of types
};

// -l, -r and -p can be bundled: "gpart show -lp ada0".
bool asked_for(const Output& out, char option) {
    if (out.program() != "gpart") return false;
    return std::any_of(out.argv.begin() + 1, out.argv.end(), [&](const std::string& word) {
        return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find(option) != std::string::npos;
    });
}

std::string join(const std::vector<std::string_view>& parts) {
    std::string out;
    for (const auto part : parts) out += (out.empty() ? "" : " ") + std::string(part);
    return out;
}

bool take_header(Cursor& in, Shown& shown, Scribe& scribe) {
    shown = Shown{};
    shown.line = in.line();
    const auto first = scribe.number(in.text(1), shown.line, "first sector");
    const auto count = scribe.number(in.text(2), shown.line, "number of sectors");
    in.at += 3;
    std::vector<std::string_view> name;
    while (!in.ended() && !gpart_scheme(in.text()) && name.size() < 8) name.push_back(in.text()), ++in.at;
    const auto scheme = gpart_scheme(in.text());
    if (!first || !count || !scheme || name.empty()) return false;
    ++in.at;
    shown.device = device_name(join(name));
    shown.scheme = *scheme;
    shown.first = *first, shown.count = *count;
    while (!in.ended()) {
        const auto word = in.text();
        if (is_size(word)) {
            const auto sector = sector_from_printed_size(*count, word.substr(1, word.size() - 2));
            shown.sector_known = sector.has_value();
            shown.sector = sector.value_or(512);
        } else if (word == "[CORRUPT]") {
            shown.corrupt = true;
        } else {
            break;
        }
        ++in.at;
    }
    return true;
}

void take_free(const Cursor& in, std::string_view count, Shown& shown, Scribe& scribe) {
    const auto bytes = scribe.scaled(count, shown.sector, in.line(), "free space");
    if (!bytes) return;
    shown.free = add(shown.free, *bytes).value_or(shown.free);
    shown.largest_free = std::max(shown.largest_free, *bytes);
}

// The rows of a table ascend. One that does not is of a table whose header was lost.
bool is_of_another_table(std::string_view start, Shown& shown) {
    const auto sector = to_unsigned(start);
    shown.cut = shown.cut || (sector && shown.last && *sector <= *shown.last);
    shown.last = sector;
    return shown.cut;
}

// One row: start, count, index or provider, type or label, attributes, size.
void take_row(Cursor& in, Shown& shown, Scribe& scribe) {
    const std::size_t line = in.line();
    const auto start = in.text(0), count = in.text(1), which = in.text(2);
    in.at += 2;
    if (which == "-" && in.text(1) == "free") {
        take_free(in, count, shown, scribe);
        in.at += 2;
        if (in.text() == "-") ++in.at;
        if (is_size(in.text())) ++in.at;
        return;
    }
    ++in.at;
    std::vector<std::string_view> type, attributes;
    bool closed = false;
    while (!in.ended() && !closed && in.text() != "=>") {
        const auto word = in.text();
        // A row whose size was cut off ends where the next one begins.
        if (!type.empty() && is_number(word) && is_number(in.text(1)) && in.line() != line) break;
        closed = is_size(word);
        if (!closed && word.size() > 2 && word.front() == '[' && word.back() == ']')
            attributes = split(word.substr(1, word.size() - 2), ',');
        else if (!closed)
            type.push_back(word);
        ++in.at;
    }
    const auto index = to_unsigned(which);
    if (!index && !which.starts_with(shown.device)) {
        scribe.unparsed(line, line,
                        fmt::format("gpart show: '{}' is neither an index nor a provider of {}",
                                    escaped(which), shown.device));
        return;
    }
    const std::string name = index ? gpart_provider(shown.device, shown.scheme, *index) : std::string(which);
    Partition& p = listed_partition(scribe, name, shown.device, shown.scheme, line);
    set_extent(scribe, p, start, count, shown.sector, line);
    if (index) p.index = scribe.known(*index, line);
    const std::string what = join(type);
    if (!what.empty() && what != "(null)") p.type = scribe.text(what, line), shown.typed.push_back(name);
    if (!attributes.empty())
        p.attributes = scribe.known(std::vector<std::string>(attributes.begin(), attributes.end()), line);
    ++shown.rows;
}

// The aliases of geom_part (sys/geom/part/g_part.c), and what -r prints: "!165", 165, a UUID.
bool is_type(std::string_view word) {
    constexpr std::array<std::string_view, 18> families{
        "freebsd",   "linux-", "netbsd-", "openbsd-", "dragonfly-", "apple-",
        "ms-",       "fat",    "ntfs",    "efi",      "bios-boot",  "mbr",
        "prep-boot", "ebr",    "vmware",  "solaris-", "chromeos-",  "u-boot"};
    return word.starts_with('!') || is_number(word) || (word.size() == 36 && word[8] == '-') ||
           std::any_of(families.begin(), families.end(), [&](auto f) { return word.starts_with(f); });
}

// -l puts labels where the types stand. Without the command, a GPT none of whose words is a type shows
// labels.
void separate_labels(const Shown& shown, Scribe& scribe) {
    const auto type_of = [&](const std::string& name) { return *partition(scribe.facts, name).type; };
    const bool labels = asked_for(scribe.output(), 'l') ||
                        (shown.scheme == Scheme::gpt &&
                         std::none_of(shown.typed.begin(), shown.typed.end(),
                                      [&](const auto& name) { return is_type(type_of(name)); }));
    if (!labels) return;
    for (const std::string& name : shown.typed) {
        Partition& p = partition(scribe.facts, name);
        p.label = p.type;
        p.type = Text{};
    }
}

void write_table(const Shown& shown, Scribe& scribe) {
    separate_labels(shown, scribe);
    PartitionTable& t = table(scribe.facts, shown.device, shown.scheme);
    t.scheme = scribe.known(shown.scheme, shown.line);
    if (shown.sector_known) t.sector_bytes = scribe.known(shown.sector, shown.line);
    if (const auto first = multiply(shown.first, shown.sector))
        t.first_usable_bytes = scribe.known(*first, shown.line);
    const auto end = add(shown.first, shown.count);
    const auto last = end ? multiply(*end, shown.sector) : std::nullopt;
    if (last) t.last_usable_bytes = scribe.known(*last, shown.line);
    if (shown.corrupt) t.corrupt = scribe.known(true, shown.line);
    if (scribe.output().filtered || shown.cut) return;
    t.free_bytes = scribe.known(shown.free, shown.line);
    t.largest_free_bytes = scribe.known(shown.largest_free, shown.line);
    t.entries_shown = scribe.known(shown.rows, shown.line);
}

// The lines of all tables shown one after another, blank lines between them included.
std::size_t gather(const Output& out, std::size_t at, std::vector<PlacedWord>& into) {
    std::size_t last = at;
    bool closed = true;
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto line = trim(out.text(i));
        if (line.empty()) {
            const auto next = next_filled(out, i, 2);
            if (!next || !(is_header(out.text(*next)) || (is_row(out.text(*next)) && closed))) break;
            continue;
        }
        const bool fits = is_header(line) || is_row(line);
        // What a mail client moved to the next line: "[bootme]  (93G)", "freebsd-ufs  (8.0G)".
        if (!fits && (closed || words(line).size() > 3)) break;
        append_words(into, out, i);
        const auto w = words(line);
        closed = std::any_of(w.begin(), w.end(), is_size) || (!fits && !closed);
        last = i;
    }
    return last - at + 1;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::vector<PlacedWord> stream;
    const std::size_t used = gather(out, at, stream);
    scribe.suggest_os(Os::freebsd, at);
    Cursor in{stream};
    Shown shown;
    bool open = false;
    while (!in.ended()) {
        if (in.text() == "=>") {
            if (open) write_table(shown, scribe);
            open = take_header(in, shown, scribe);
        } else if (open && is_number(in.text()) && is_number(in.text(1)) && !in.text(2).empty()) {
            if (!shown.cut && is_of_another_table(in.text(), shown))
                scribe.damage(
                    in.line(),
                    fmt::format("rows of another table follow those of {} without its header", shown.device));
            if (shown.cut)
                ++in.at;
            else
                take_row(in, shown, scribe);
        } else {
            if (open && !shown.cut && is_number(in.text()))
                scribe.damage(in.line(), fmt::format("a row of the table of {} is cut", shown.device));
            ++in.at;
        }
    }
    if (open) write_table(shown, scribe);
    return used;
}

}  // namespace

extern const CommandParser gpart_show_parser{
    .id = "gpart-show",
    .programs = {"gpart"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"gpart", "show"}}},
};

}  // namespace diskwright
