// SPDX-License-Identifier: BSD-2-Clause
// FreeBSD: gstat on a terminal, gstat -b, -d, -o, -s, -B, and gstat -C (12 and later):
//   dT: 0.057s  w: 10.000s
//    L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name
//      10    316    316  36079   18.6      0      0    0.0  111.8| ada0
//   timestamp,name,q-depth,total_ops/s,read/s,read-KiB/s,ms/read,write/s,write-KiB/s,ms/write,%busy
//   2024-03-09 12:00:00.000000000,ada0,0,...
// dT is the time a sample covers. kBps is KiB. ms/r and ms/w are means over reads and over writes from
// queueing to the end, hence the await keys. Busy above 100 % is kept: it tells that the sample is too short.
// Source: freebsd/freebsd-src:usr.sbin/gstat/gstat.c
#include <algorithm>
#include <array>

#include "probes/parsers/io_sampling.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::optional<double> interval_of(std::string_view line) {
    const auto text = trim(line);
    if (!text.starts_with("dT:")) return std::nullopt;
    const auto w = words(text.substr(3));
    if (w.empty() || !w[0].ends_with('s')) return std::nullopt;
    return to_double(w[0].substr(0, w[0].size() - 1));
}

struct Heading {
    std::vector<IoColumn> columns;  // up to %busy; the name follows
};

// "kBps" and "kB" belong to the rate named before them.
std::optional<Heading> heading_of(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 4 || w[0] != "L(q)" || w.back() != "Name") return std::nullopt;
    Heading out;
    char side = ' ';
    for (std::size_t i = 0; i + 1 < w.size(); ++i) {
        const auto word = w[i];
        IoColumn column;
        if (word.size() == 3 && word.ends_with("/s")) side = word[0];
        if (word == "L(q)")
            column = {IoField::queue};
        else if (word == "r/s")
            column = {IoField::reads};
        else if (word == "w/s")
            column = {IoField::writes};
        else if (word == "o/s")
            column = {IoField::flushes};  // gstat(8): -o counts BIO_FLUSH
        else if (word == "kBps" && side == 'r')
            column = {IoField::read_kb};
        else if (word == "kBps" && side == 'w')
            column = {IoField::write_kb};
        else if (word == "ms/r")
            column = {IoField::read_await};
        else if (word == "ms/w")
            column = {IoField::write_await};
        else if (word == "ms/o")
            column = {IoField::flush_await};
        else if (word == "%busy")
            column = {IoField::busy};
        else if (word != "ops/s" && word != "d/s" && word != "kB" && word != "kBps" && word != "ms/d")
            return std::nullopt;
        out.columns.push_back(column);
    }
    return out;
}

constexpr std::string_view csv_begin = "timestamp,name,q-depth,total_ops/s";

std::vector<IoColumn> csv_columns(std::string_view line) {
    struct Label {
        std::string_view name;
        IoField field;
    };
    constexpr std::array<Label, 10> labels{{{"q-depth", IoField::queue},
                                            {"read/s", IoField::reads},
                                            {"read-KiB/s", IoField::read_kb},
                                            {"ms/read", IoField::read_await},
                                            {"write/s", IoField::writes},
                                            {"write-KiB/s", IoField::write_kb},
                                            {"ms/write", IoField::write_await},
                                            {"other/s", IoField::flushes},
                                            {"ms/other", IoField::flush_await},
                                            {"%busy", IoField::busy}}};
    std::vector<IoColumn> out;
    for (const auto name : split(trim(line), ',')) {
        const auto at =
            std::find_if(labels.begin(), labels.end(), [&](const Label& l) { return l.name == name; });
        out.push_back({at == labels.end() ? IoField::none : at->field});
    }
    return out;
}

void take_row(const std::vector<std::string_view>& cells, std::size_t first,
              const std::vector<IoColumn>& columns, std::string_view name, std::size_t line, IoRun& run,
              Scribe& scribe) {
    IoRow row(scribe.at(line));
    for (std::size_t i = first; i < cells.size() && i < columns.size(); ++i) {
        if (columns[i].field == IoField::none) continue;
        const auto value = to_double(cells[i]);
        if (!value) {
            scribe.unparsed(line, line, "gstat: expected a number, found '" + escaped(cells[i]) + "'");
            continue;
        }
        row.put(columns[i], *value);
    }
    run.add(name, row.finish());
}

// Rows of one heading; returns the line behind the last.
std::size_t read_rows(const Output& out, std::size_t at, const Heading& heading, IoRun& run, Scribe& scribe) {
    for (; at < out.lines.size(); ++at) {
        auto w = words(out.text(at));
        const auto columns = heading.columns.size();
        if (w.empty() || w[0] == "L(q)" || !to_double(w[0])) break;
        // "111.8| ada0", "111.8|ada0" and "111.8 | ada0" are one row as the terminal, a paste and a mail
        // client show it.
        std::string_view name;
        if (w.size() >= columns) {
            auto& busy = w[columns - 1];
            const auto bar = busy.find('|');
            if (bar != std::string_view::npos && bar + 1 < busy.size()) name = busy.substr(bar + 1);
            busy = busy.substr(0, bar);
        }
        for (std::size_t i = columns; i < w.size() && name.empty(); ++i)
            if (w[i] != "|") name = w[i].starts_with('|') ? w[i].substr(1) : w[i];
        if (w.size() < columns || name.empty()) {
            scribe.damage(at, "gstat: a row has " + std::to_string(w.size()) + " of " +
                                  std::to_string(columns + 1) + " columns");
            continue;
        }
        w.resize(columns);
        take_row(w, 0, heading.columns, name, at, run, scribe);
    }
    return at;
}

std::size_t read_screens(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    std::size_t end = at;
    IoRun run;
    Real interval;
    while (at < out.lines.size()) {
        if (const auto seconds = interval_of(out.text(at))) {
            // The longest and the shortest sample of a run hardly differ; the first stands for all.
            if (!interval) interval = scribe.known(*seconds, at);
            end = ++at;
        } else if (const auto heading = heading_of(out.text(at))) {
            run.begin_report();
            end = at = read_rows(out, at + 1, *heading, run, scribe);
        } else if (trim(out.text(at)).empty()) {
            ++at;
        } else {
            break;
        }
    }
    run.write(scribe.facts, interval);
    return end - first;
}

std::size_t read_csv(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    const auto columns = csv_columns(out.text(at));
    IoRun run;
    std::string_view stamp;
    for (++at; at < out.lines.size(); ++at) {
        const auto cells = split(trim(out.text(at)), ',');
        if (cells.size() < 3) break;
        if (cells.size() != columns.size()) {
            scribe.damage(at, "gstat: a row has " + std::to_string(cells.size()) + " of " +
                                  std::to_string(columns.size()) + " columns");
            continue;
        }
        if (cells[0] != stamp) {
            stamp = cells[0];
            const auto w = words(stamp);
            if (const auto time = w.size() > 1 ? clock_time(w, 1) : std::nullopt) run.timestamp(*time);
            run.begin_report();
        }
        take_row(cells, 2, columns, cells[1], at, run, scribe);
    }
    const auto by_time = run.empty() ? std::nullopt : run.interval_by_timestamps();
    run.write(scribe.facts, by_time ? scribe.known(*by_time, first + 1) : Real{});
    return at - first;
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (trim(line).starts_with(csv_begin)) return true;
    return heading_of(line) || (interval_of(line) && heading_of(out.text(at + 1)));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    scribe.suggest_os(Os::freebsd, at);
    return trim(out.text(at)).starts_with(csv_begin) ? read_csv(out, at, scribe)
                                                     : read_screens(out, at, scribe);
}

}  // namespace

extern const CommandParser gstat_parser{
    .id = "gstat",
    .programs = {"gstat"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"gstat", "-b", "-I", "2s"}, true, true}},
};

}  // namespace diskwright
