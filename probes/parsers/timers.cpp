// SPDX-License-Identifier: BSD-2-Clause
// Whether TRIM is sent from time to time on Linux: systemctl list-timers, status and is-enabled of
// fstrim.timer.
//   NEXT                        LEFT        LAST                        PASSED    UNIT           ACTIVATES
//   Mon 2023-01-09 00:12:28 UTC 2 days left Mon 2023-01-02 00:38:52 UTC 4 days ago fstrim.timer
//   fstrim.service 3 timers listed.
//   * fstrim.timer - Discard unused blocks once a week
//        Active: active (waiting) since ...
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_list_header(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 4 && w[0] == "NEXT" && w[1] == "LEFT" &&
           std::find(w.begin(), w.end(), "UNIT") != w.end();
}

bool names_timer_row(std::string_view line) {
    return contains(line, "fstrim.timer") && contains(line, "fstrim.service");
}

bool is_status(std::string_view line) {
    return contains(line, "fstrim.timer - ");
}

bool asks_enabled(const Output& out) {
    return out.program() == "systemctl" &&
           (out.has_argument("is-enabled") || out.has_argument("is-active")) &&
           (out.has_argument("fstrim.timer") || out.has_argument("fstrim"));
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    return is_list_header(line) || names_timer_row(line) || is_status(line) ||
           (at == 0 && asks_enabled(out) && !out.lines.empty());
}

std::size_t parse_list(const Output& out, std::size_t at, Scribe& scribe) {
    bool seen = false, complete = false;
    std::size_t next = at;
    for (; next < out.lines.size(); ++next) {
        const auto line = trim(out.text(next));
        if (names_timer_row(line)) {
            // "-" or "n/a" as the next date: loaded, but never to run.
            const auto w = words(line);
            if (w[0] == "n/a" || w[0] == "-") {
                scribe.event(Event::Kind::fstrim_absent, "", "fstrim.timer has no next run", next);
                seen = true;
                continue;
            }
            seen = true;
            scribe.event(Event::Kind::fstrim_timer, "", "fstrim.timer is listed", next);
            continue;
        }
        if (line.ends_with("timers listed.") || line.ends_with("timer listed.")) {
            complete = true;
            ++next;
            break;
        }
        if (!line.empty() && !is_list_header(line) && !contains(line, ".timer")) break;
        if (line.empty() && (next + 1 >= out.lines.size() || !contains(out.text(next + 1), " listed.")))
            break;
    }
    if (complete && !seen && !out.filtered)
        scribe.event(Event::Kind::fstrim_absent, "", "fstrim.timer is not among the timers listed", next - 1);
    return next - at;
}

std::size_t parse_status(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at + 1;
    for (; next < out.lines.size() && next < at + 12; ++next) {
        const auto line = trim(out.text(next));
        if (line.empty()) break;
        if (!line.starts_with("Active: ")) continue;
        const bool active = line.starts_with("Active: active");
        scribe.event(active ? Event::Kind::fstrim_timer : Event::Kind::fstrim_absent, "",
                     std::string(line.substr(0, 60)), next);
        return next + 1 - at;
    }
    scribe.damage(at, "systemctl: the state of fstrim.timer is cut off");
    return next - at;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    scribe.suggest_os(Os::linux_, at);
    if (is_status(out.text(at))) return parse_status(out, at, scribe);
    if (at == 0 && asks_enabled(out)) {
        const auto word = trim(out.text(0));
        const bool on = word == "enabled" || word == "active" || word == "static";
        if (!on && word != "disabled" && word != "inactive" && word != "masked") {
            scribe.unparsed(0, 0, "systemctl: '" + escaped(word) + "' is no known state");
            return 1;
        }
        scribe.event(on ? Event::Kind::fstrim_timer : Event::Kind::fstrim_absent, "",
                     "fstrim.timer is " + std::string(word), 0);
        return 1;
    }
    return parse_list(out, at, scribe);
}

}  // namespace

extern const CommandParser timers_parser{
    .id = "timers",
    .programs = {"systemctl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"systemctl", "list-timers", "--no-pager"}}},
};

}  // namespace diskwright
