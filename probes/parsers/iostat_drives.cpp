// SPDX-License-Identifier: BSD-2-Clause
// Reports of the BSDs with the drives side by side: plain iostat, -d, -D.
//          tty            wd0             wd1             CPU                NetBSD to 9, OpenBSD, FreeBSD
//    tin tout  KB/t  t/s  MB/s   KB/t  t/s  MB/s  us ni sy in id
//      0   71  8.00   54  0.42   8.00   53  0.41   1  0  2  0 97
//         tty  |---- wd0 ----|             CPU                               NetBSD 10
//    tin tout    t/s  KB/t   MB/s  us ni sy in  id
//    KB/t xfrs   MB                                                          FreeBSD -I: totals
//    KB xfr time                                                             -D: KiB/s, requests/s, fraction
//    busy
//    xfr KB time                                                             -D of NetBSD 10: "KB" is KiB/s
//    in some releases and MiB/s in others (revision 1.71 of 2023), so the size of a request has to tell which
// Sources: NetBSD/src, openbsd/src and freebsd/freebsd-src: usr.sbin/iostat/iostat.c. Reads and writes are
// not told apart.
#include <algorithm>
#include <array>
#include <utility>

#include "probes/parsers/io_sampling.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct DriveColumn {
    std::size_t drive;
    IoColumn column;
};

struct Heading {
    std::vector<DriveColumn>
        columns;  // one for each word of the second line; terminal and processor have field none
    std::vector<std::string> drives;
    bool openbsd = false, freebsd = false, totals = false;
    bool busy = false;         // shows the time that the drives were busy
    bool unit_unsure = false;  // "KB" may be MiB/s
};

bool is_terminal_or_processor(std::string_view word) {
    constexpr std::array<std::string_view, 9> labels{"tin", "tout", "us", "ni", "sy", "sp", "in", "id", "wt"};
    return std::find(labels.begin(), labels.end(), word) != labels.end();
}

std::optional<IoColumn> drive_column(std::string_view word, bool volumes) {
    if (word == "KB/t") return IoColumn{};
    if (word == "tps" || word == "t/s" || word == "xfr" || word == "xfrs")
        return IoColumn{IoField::transfers};
    if (word == "MB/s") return IoColumn{IoField::kb, 1024};
    if (word == "KB" && volumes) return IoColumn{IoField::kb};
    if (word == "time") return IoColumn{IoField::busy, 100};
    if (word == "MB") return IoColumn{};
    return std::nullopt;
}

// The line with the labels; every drive has three.
std::optional<std::vector<std::string_view>> label_line(std::string_view line) {
    auto w = words(line);
    if (w.size() < 3) return std::nullopt;
    std::size_t of_drives = 0;
    for (const auto word : w) {
        if (is_terminal_or_processor(word)) continue;
        if (!drive_column(word, true)) return std::nullopt;
        ++of_drives;
    }
    if (of_drives == 0 || of_drives % 3 != 0) return std::nullopt;
    return w;
}

// "      tty            wd0             CPU", "|---- wd0 ----|"
std::vector<std::string> drives_of(std::string_view line) {
    std::vector<std::string> out;
    for (auto word : words(line)) {
        if (word == "tty" || iequals(word, "cpu")) continue;
        while (!word.empty() && (word.front() == '|' || word.front() == '-' || word.front() == '_'))
            word.remove_prefix(1);
        while (!word.empty() && (word.back() == '|' || word.back() == '-' || word.back() == '_'))
            word.remove_suffix(1);
        if (!word.empty()) out.emplace_back(word);
    }
    return out;
}

std::optional<Heading> heading_at(const Output& out, std::size_t at) {
    const auto labels = label_line(out.text(at + 1));
    if (!labels || label_line(out.text(at))) return std::nullopt;
    Heading heading;
    heading.drives = drives_of(out.text(at));
    std::size_t seen = 0;
    std::string_view before;
    for (const auto word : *labels) {
        heading.unit_unsure = heading.unit_unsure || (before == "xfr" && word == "KB");
        before = word;
        heading.busy = heading.busy || word == "time";
        heading.openbsd = heading.openbsd || word == "sp";
        heading.freebsd = heading.freebsd || word == "xfrs";
        heading.totals =
            heading.totals || word == "MB" || word == "xfrs" ||
            (word == "xfr" && std::find(labels->begin(), labels->end(), "KB/t") != labels->end());
        const auto column = is_terminal_or_processor(word) ? std::nullopt : drive_column(word, true);
        heading.columns.push_back({seen / 3, column.value_or(IoColumn{})});
        if (column) ++seen;
    }
    heading.totals = heading.totals || iostat_arguments(out, false).totals;
    if (heading.drives.empty() || seen / 3 != heading.drives.size()) return std::nullopt;
    return heading;
}

// Requests carry half a KiB to a MiB; the unit that would make them anything else is not meant. Nothing when
// both fit, or when the whole MiB/s that are printed tell too little: a slow disk shows 0 of them.
std::optional<double> kib_of(double printed, double transfers) {
    constexpr double fewest_mib = 10;  // rounded by less than a twentieth
    if (printed == 0 && transfers == 0) return 0.0;
    if (printed <= 0 || transfers <= 0) return std::nullopt;
    const double each = printed / transfers;
    const bool kib = each >= 0.5 && each <= 1024, mib = each * 1024 >= 0.5 && each <= 1;
    if (kib == mib || (mib && printed < fewest_mib)) return std::nullopt;
    return kib ? printed : printed * 1024;
}

std::optional<std::vector<std::string_view>> row_of_numbers(std::string_view line) {
    auto w = words(line);
    const auto is_number = [](std::string_view word) { return to_double(word).has_value(); };
    return std::all_of(w.begin(), w.end(), is_number) ? std::optional(std::move(w)) : std::nullopt;
}

// -D and -D -I have the same labels. A disk that was busy for longer than the time that passed is one of
// totals, whose seconds are counted since boot.
bool shows_totals(const Output& out, std::size_t first_row, const Heading& heading) {
    constexpr double most_busy = 105;
    for (std::size_t at = first_row; at < out.lines.size(); ++at) {
        const auto cells = row_of_numbers(out.text(at));
        if (!cells) return false;
        for (std::size_t i = 0; i < cells->size() && i < heading.columns.size(); ++i) {
            const IoColumn& column = heading.columns[i].column;
            if (column.field == IoField::busy && *to_double((*cells)[i]) * column.scale > most_busy)
                return true;
        }
    }
    return false;
}

void take_row(const std::vector<std::string_view>& cells, const Heading& heading, std::size_t line,
              IoRun& run, Scribe& scribe) {
    run.begin_report();
    std::vector<IoRow> rows(heading.drives.size(), IoRow(scribe.at(line)));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto value = to_double(cells[i]);
        const auto& [drive, column] = heading.columns[i];
        if (column.field == IoField::kb && heading.unit_unsure && value && i > 0)
            value = kib_of(*value, to_double(cells[i - 1]).value_or(0));
        if (value && column.field != IoField::none) rows[drive].put(column, *value);
    }
    for (std::size_t d = 0; d < rows.size(); ++d) run.add(heading.drives[d], rows[d].finish());
}

bool starts(const Output& out, std::size_t at) {
    return heading_at(out, at).has_value();
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    std::size_t end = at;
    IoRun run;
    std::optional<Heading> heading;
    bool totals = false;
    while (at < out.lines.size()) {
        if (auto next = heading_at(out, at)) {
            if (heading && next->drives != heading->drives) break;
            heading = std::move(next);
            if (heading->openbsd) scribe.suggest_os(Os::openbsd, at + 1);
            if (heading->freebsd) scribe.suggest_os(Os::freebsd, at + 1);
            heading->totals =
                heading->totals || totals || (heading->busy && shows_totals(out, at + 2, *heading));
            if (heading->totals && !std::exchange(totals, true))
                scribe.unparsed(at, at + 1, "iostat: totals since boot (-I) are no rates");
            end = at += 2;
            continue;
        }
        const auto w = row_of_numbers(out.text(at));
        if (w && w->empty()) {
            ++at;
            continue;
        }
        if (!heading || !w) break;
        if (w->size() != heading->columns.size())
            scribe.damage(at, "iostat: a row has " + std::to_string(w->size()) + " of " +
                                  std::to_string(heading->columns.size()) + " columns");
        else if (!heading->totals)
            take_row(*w, *heading, at, run, scribe);
        end = ++at;
    }
    write_iostat_run(run, out, first, false, false, scribe);
    return end - first;
}

}  // namespace

extern const CommandParser iostat_drives_parser{
    .id = "iostat-drives",
    .programs = {"iostat"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::openbsd, {"iostat", "-D", "-w", "2", "-c", "4"}, false, true}},
};

}  // namespace diskwright
