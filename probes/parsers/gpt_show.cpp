// SPDX-License-Identifier: BSD-2-Clause
// gpt show [-aglu] wd0 of NetBSD 5 and later (and of FreeBSD's former gpt):
//          start        size  index  contents
//              0           1         PMBR
//              2          32         Pri GPT table
//             34        2014         Unused
//           2048  1936911725      1  GPT part - NetBSD FFSv1/FFSv2
//     1953525135          32         Sec GPT table
// Before 7 free rows have no contents. A secondary table without a primary one is a leftover: nothing uses
// it. Format: NetBSD/src:sbin/gpt/show.c. The sector is not printed; 128 entries of 128 bytes fill the table.
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t table_bytes = 128 * 128;

bool is_header(std::string_view line) {
    const auto w = words(line);
    return w.size() == 4 && w[0] == "start" && w[1] == "size" && w[2] == "index" && w[3] == "contents";
}

constexpr std::string_view fallback_note = "GPT not found, displaying data from MBR";

bool starts(const Output& out, std::size_t at) {
    if (is_header(out.text(at))) return true;
    if (!contains(out.text(at), fallback_note)) return false;
    const auto next = next_filled(out, at + 1);
    return next && is_header(out.text(*next));
}

struct Row {
    std::size_t line;
    std::uint64_t start, size;
    std::optional<std::uint64_t> index;
    std::string_view contents;
    std::string_view label;
};

std::optional<Row> row_of(std::string_view text, std::size_t line) {
    const auto first = leading_unsigned(trim(text));
    if (!first || first->rest.empty() || first->rest[0] > ' ') return std::nullopt;
    const auto second = leading_unsigned(trim(first->rest));
    if (!second || (!second->rest.empty() && second->rest[0] > ' ')) return std::nullopt;
    Row row{line, first->value, second->value, std::nullopt, trim(second->rest), {}};
    if (const auto index = leading_unsigned(row.contents); index && index->rest.starts_with(' ')) {
        row.index = index->value;
        row.contents = trim(index->rest);
    }
    return row;
}

// "Label: root" and the like below a row of -a.
bool is_detail(std::string_view line, Row& row) {
    const auto text = trim(line);
    const bool detail = text.starts_with("Type:") || text.starts_with("TypeID:") ||
                        text.starts_with("GUID:") || text.starts_with("Size:") ||
                        text.starts_with("Label:") || text.starts_with("Attributes:") || text == "None" ||
                        text.starts_with("biosboot") || text.starts_with("bootme");
    if (const auto label = after(text, "Label:"); label && text.starts_with("Label:"))
        row.label = trim(*label);
    return detail;
}

std::string device_above(const Output& out, std::size_t at) {
    for (std::size_t back = 1; back <= 3 && back <= at; ++back) {
        const auto w = words(out.text(at - back));
        for (std::size_t i = 0; i + 2 < w.size() && i < 3; ++i)
            if (w[i] == "gpt" && w[i + 1] == "show" && !w.back().starts_with('-'))
                return table_device(w.back());
    }
    return {};
}

void write_partition(const Row& row, const std::string& device, std::uint64_t sector, Scribe& scribe) {
    const auto what = trim(row.contents.substr(
        std::min<std::size_t>(row.contents.size(), std::string_view("GPT part -").size())));
    Partition& p =
        listed_partition(scribe, fmt::format("{}#{}", device, *row.index), device, Scheme::gpt, row.line);
    p.index = scribe.known(*row.index, row.line);
    if (const auto start = multiply(row.start, sector)) p.start_bytes = scribe.known(*start, row.line);
    if (const auto size = multiply(row.size, sector)) p.size_bytes = scribe.known(*size, row.line);
    if (!p.start_bytes || !p.size_bytes) scribe.unparsed(row.line, row.line, p.name + ": out of range");
    const auto& argv = scribe.output().argv;
    if (what.size() >= 2 && what.front() == '"' && what.back() == '"') {
        if (what.size() > 2) p.label = scribe.text(what.substr(1, what.size() - 2), row.line);
    } else if (std::find(argv.begin(), argv.end(), "-g") == argv.end() && !what.empty()) {
        p.type = scribe.text(what, row.line);
    }
    if (!row.label.empty()) p.label = scribe.text(row.label, row.line);
}

struct Seen {
    bool primary = false, secondary = false, contiguous = true;
    std::uint64_t end = 0, free = 0, largest_free = 0, parts = 0, mbr_parts = 0;
    std::optional<std::uint64_t> primary_table, secondary_line;
};

void write(const std::vector<Row>& rows, const std::string& device, std::size_t at, Scribe& scribe) {
    Seen seen;
    std::uint64_t sector = 512;
    for (const Row& row : rows)
        if (row.contents == "Unused" || contains(row.contents, "NetBSD"))
            scribe.suggest_os(Os::netbsd, row.line);
    for (const Row& row : rows)
        if (row.contents.ends_with("GPT table") && row.size > 0 && table_bytes % row.size == 0) {
            const auto unit = table_bytes / row.size;
            if (unit >= 512 && unit <= 4096) sector = unit, seen.primary_table = unit;
        }
    for (const Row& row : rows) {
        const auto end = add(row.start, row.size);
        if (!end) {
            scribe.unparsed(row.line, row.line, "gpt show: row ends out of range");
            continue;
        }
        seen.contiguous = seen.contiguous && row.start == seen.end;
        seen.end = *end;
        if (row.contents.starts_with("GPT part") && row.index) {
            write_partition(row, device, sector, scribe);
            ++seen.parts;
        } else if (row.contents.starts_with("MBR part")) {
            Partition& p = listed_partition(scribe, fmt::format("{}:{}", device, seen.mbr_parts++), device,
                                            Scheme::mbr, row.line);
            if (const auto start = multiply(row.start, sector))
                p.start_bytes = scribe.known(*start, row.line);
            if (const auto size = multiply(row.size, sector)) p.size_bytes = scribe.known(*size, row.line);
            const auto type = trim(row.contents.substr(8));
            if (is_number(type)) p.type = scribe.text(type, row.line);
        } else if (row.contents.empty() || row.contents == "Unused") {
            const auto bytes = multiply(row.size, sector).value_or(0);
            seen.free = add(seen.free, bytes).value_or(seen.free);
            seen.largest_free = std::max(seen.largest_free, bytes);
        } else if (row.contents == "Pri GPT header") {
            seen.primary = true;
        } else if (row.contents.starts_with("Sec GPT")) {
            seen.secondary = true;
            seen.secondary_line = row.line;
        }
    }
    const bool whole = seen.contiguous && !scribe.output().filtered;
    const std::size_t last_line = rows.back().line;
    const auto total = whole ? multiply(seen.end, sector) : std::nullopt;
    if (total) set_device_size(scribe, device, total, seen.primary_table, last_line);
    if (seen.secondary && !seen.primary && whole) {
        scribe.event(Event::Kind::stale_gpt, device, "a secondary GPT without a primary one",
                     *seen.secondary_line);
        return;
    }
    if (!seen.primary) return;
    if (!seen.secondary && whole)
        scribe.event(Event::Kind::secondary_gpt_missing, device, "no secondary GPT at the end", last_line);
    PartitionTable& t = table(scribe.facts, device, Scheme::gpt);
    t.scheme = scribe.known(Scheme::gpt, at);
    if (total) t.total_bytes = scribe.known(*total, last_line);
    if (seen.primary_table) t.sector_bytes = scribe.known(*seen.primary_table, at);
    if (!whole) return;
    t.free_bytes = scribe.known(seen.free, last_line);
    t.largest_free_bytes = scribe.known(seen.largest_free, last_line);
    t.entries_shown = scribe.known(seen.parts, last_line);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t i = at;
    if (!is_header(out.text(i))) i = *next_filled(out, at + 1);
    std::size_t last = i;
    std::vector<Row> rows;
    for (++i; i < out.lines.size(); ++i) {
        if (trim(out.text(i)).empty()) break;
        if (auto row = row_of(out.text(i), i))
            rows.push_back(*row);
        else if (rows.empty() || !is_detail(out.text(i), rows.back()))
            break;
        last = i;
    }
    if (rows.empty()) {
        scribe.unparsed(at, last, "gpt show: no rows below the header");
        return last - at + 1;
    }
    std::string device = gpt_device(out);
    if (device == unnamed_disk)
        if (auto above = device_above(out, at); !above.empty()) device = std::move(above);
    write(rows, device, at, scribe);
    return last - at + 1;
}

}  // namespace

extern const CommandParser gpt_show_parser{
    .id = "gpt-show",
    .programs = {"gpt"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"gpt", "-r", "show", "{disk}"}, true},
             {Os::netbsd, {"gpt", "-r", "show", "{volume:raidframe}"}, true}},
};

}  // namespace diskwright
