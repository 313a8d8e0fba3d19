// SPDX-License-Identifier: BSD-2-Clause
// sar -d [-p] of sysstat (Linux):
//   10:00:00 AM       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
//   10:00:05 AM       sda    120.00      0.00   1024.00      0.00      8.53     40.21    510.20     99.20
//   10:00:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util
//   Average:          sda ...
// Reads and writes are told apart in volume only, not in number. Without -p a device is dev8-0. Source:
// sysstat/sysstat:pr_stats.c (print_disk_stats) at its tags.
#include <algorithm>
#include <array>

#include "probes/parsers/io_sampling.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Words = std::vector<std::string_view>;

struct Label {
    std::string_view name;
    IoColumn column;
};
constexpr std::array<Label, 16> labels{{{"tps", {IoField::transfers}},
                                        {"rkB/s", {IoField::read_kb}},
                                        {"wkB/s", {IoField::write_kb}},
                                        {"rd_sec/s", {IoField::read_kb, 0.5}},
                                        {"wr_sec/s", {IoField::write_kb, 0.5}},
                                        {"bread/s", {IoField::read_kb, 0.5}},
                                        {"bwrtn/s", {IoField::write_kb, 0.5}},
                                        {"dkB/s", {}},
                                        {"areq-sz", {}},
                                        {"avgrq-sz", {}},
                                        {"aqu-sz", {IoField::queue}},
                                        {"avgqu-sz", {IoField::queue}},
                                        {"await", {IoField::await}},
                                        {"svctm", {IoField::service}},
                                        {"%util", {IoField::busy}},
                                        {"DEV", {}}}};

const Label* find_label(std::string_view word) {
    const auto at =
        std::find_if(labels.begin(), labels.end(), [&](const Label& l) { return l.name == word; });
    return at == labels.end() ? nullptr : &*at;
}

// Words of a time: "10:00:00 AM" has two.
std::size_t time_words(const Words& w) {
    if (w.empty() || !clock_time(w, 0)) return 0;
    return w.size() > 1 && (w[1] == "AM" || w[1] == "PM") ? 2 : 1;
}

bool is_header(const Words& w) {
    const std::size_t time = time_words(w);
    if (time == 0 || w.size() < time + 6) return false;
    // -p puts the device last.
    if ((w[time] != "DEV" || w[time + 1] != "tps") && (w[time] != "tps" || w.back() != "DEV")) return false;
    return std::all_of(w.begin() + static_cast<std::ptrdiff_t>(time), w.end(),
                       [](std::string_view word) { return find_label(word) != nullptr; });
}

bool starts(const Output& out, std::size_t at) {
    return is_header(words(out.text(at)));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    IoRun run;
    Words header;
    std::optional<double> reported;
    std::size_t last = at, idle = 0;
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto w = words(out.text(i));
        if (w.empty()) {
            if (++idle > 2) break;
            continue;
        }
        const std::size_t time = time_words(w);
        if (is_header(w)) {
            header.assign(w.begin() + static_cast<std::ptrdiff_t>(time), w.end());
        } else if (w[0] != "Average:" && !contains(out.text(i), "LINUX RESTART")) {
            if (time == 0 || w.size() < time + 2) break;
            if (w.size() != time + header.size()) {
                scribe.damage(i, "sar: columns of a row are missing");
                idle = 0, last = i;
                continue;
            }
            const auto seconds = clock_time(w, 0);
            if (seconds != reported) run.begin_report(), reported = seconds;
            IoRow row(scribe.at(i));
            const std::size_t device = header.front() == "DEV" ? 0 : header.size() - 1;
            for (std::size_t c = 0; c < header.size(); ++c)
                if (const auto value = c == device ? std::nullopt : scribe.real(w[time + c], i, "sar"))
                    row.put(find_label(header[c])->column, *value);
            run.timestamp_of_row(*seconds);
            run.add(w[time + device], row.finish());
        }
        idle = 0;
        last = i;
    }
    scribe.suggest_os(Os::linux_, at);
    if (run.empty()) {
        scribe.unparsed(at, last, "sar: no row below the header");
        return last - at + 1;
    }
    Real interval;
    const auto asked = to_double(out.operand(0, "nPo"));
    if (out.program() == "sar" && asked && *asked > 0)
        interval = Real(*asked, scribe.at_prompt());
    else if (const auto by_time = run.interval_by_timestamps())
        interval = Real(*by_time, run.first_row());
    run.write(scribe.facts, interval);
    return last - at + 1;
}

}  // namespace

extern const CommandParser sar_parser{
    .id = "sar",
    .programs = {"sar"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
