// SPDX-License-Identifier: BSD-2-Clause
// vmstat -e of NetBSD: the event counters of each mounted log. The rate is the mean since boot.
//   event                                         total     rate type
//   wapbl fsid 0x1e00/0x78b commit              1234567       14 misc
//   wapbl fsid 0x1e00/0x78b cache flush         2469134       28 misc
// Sources: NetBSD src, sys/kern/vfs_wapbl.c (wapbl_evcnt_init), usr.bin/vmstat/vmstat.c (doevcnt).
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_header(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 4 && w[0] == "event" && w[1] == "total" && w[2] == "rate" && w[3] == "type";
}

bool is_counter(std::string_view line) {
    return trim(line).starts_with("wapbl fsid ");
}

bool starts(const Output& out, std::size_t at) {
    return is_header(out.text(at)) || is_counter(out.text(at));
}

// A row of any counter: words, two numbers, a type.
bool is_row(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 4 && to_unsigned(w[w.size() - 2]) && to_unsigned(w[w.size() - 3]);
}

JournalRate& rate_of(HostFacts& facts, std::string_view filesystem) {
    for (JournalRate& r : facts.journal_rates)
        if (r.filesystem == filesystem) return r;
    facts.journal_rates.emplace_back();
    facts.journal_rates.back().filesystem = filesystem;
    return facts.journal_rates.back();
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = is_header(out.text(at)) ? at + 1 : at;
    scribe.suggest_os(Os::netbsd, at);
    for (; next < out.lines.size(); ++next) {
        if (!is_counter(out.text(next))) {
            if (!is_row(out.text(next))) break;
            continue;
        }
        const auto w = words(out.text(next));
        if (w.size() < 7 || !is_row(out.text(next))) {
            scribe.damage(next, "vmstat: columns of a counter are missing");
            continue;
        }
        std::string event;
        for (std::size_t i = 3; i + 3 < w.size(); ++i)
            event += (event.empty() ? "" : " ") + std::string(w[i]);
        const bool commit = event == "commit";
        if (!commit && event != "cache flush") continue;
        const auto total = scribe.number(w[w.size() - 3], next, event),
                   rate = scribe.number(w[w.size() - 2], next, event);
        if (!total || !rate) continue;
        JournalRate& r = rate_of(scribe.facts, w[2]);
        (commit ? r.commits : r.flushes) = scribe.known(*total, next);
        (commit ? r.commits_per_s : r.flushes_per_s) = scribe.known(static_cast<double>(*rate), next);
    }
    return next - at;
}

}  // namespace

extern const CommandParser wapbl_counters_parser{
    .id = "wapbl-counters",
    .programs = {"vmstat"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"vmstat", "-e"}}},
};

}  // namespace diskwright
