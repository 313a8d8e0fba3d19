// SPDX-License-Identifier: BSD-2-Clause
// raidctl -S, -p, -P, -i, -B and -A, and what is left of -s when its head was cut off:
//   Reconstruction is 64% complete.
//   /dev/rraid0d: Parity status: DIRTY
//   /dev/rraid0d: Initiating re-write of parity
//   /dev/rraid0d: Parity Re-write complete
//   Parity Re-write status:
//    42% |****************                        | ETA:    05:12 /
//   raid0: Autoconfigure: Yes
//   raid0: Root: Force
// Source: NetBSD/src sbin/raidctl/raidctl.c (check_status, check_parity, do_meter, set_autoconfig).
#include "probes/parsers/raidctl_progress.hpp"

#include <algorithm>
#include <array>

#include "probes/parsers/raidframe_text.hpp"

namespace diskwright {
namespace {

struct Process {
    std::array<std::string_view, 2> words;
    Activity activity;
};
constexpr std::array<Process, 3> processes{{{{"Reconstruction"}, Activity::rebuild},
                                            {{"Parity", "Re-write"}, Activity::parity_rewrite},
                                            {{"Copyback"}, Activity::copyback}}};

std::size_t length_of(const Process& p) {
    return p.words[1].empty() ? 1 : 2;
}

const Process* process_at(WordReader& in) {
    for (const Process& p : processes)
        if (in.peek(0) == p.words[0] && (p.words[1].empty() || in.peek(1) == p.words[1])) return &p;
    return nullptr;
}

void running(Scribe& scribe, Volume& set, Activity activity, double percent, std::size_t line) {
    set.activity = scribe.known(activity, line);
    set.activity_progress = scribe.known(Progress::running, line);
    set.activity_percent = scribe.known(percent, line);
}

// The last "42%" of a line that holds one meter or, since the tool overwrites it, many.
std::optional<double> meter_percent(std::string_view line) {
    std::optional<double> found;
    for (const auto word : words(line)) {
        const auto number = leading_unsigned(word);
        if (number && number->rest.starts_with('%') && number->value <= 100)
            found = static_cast<double>(number->value);
    }
    return contains(line, "|") ? found : std::nullopt;
}

// The name before "Parity status:" and its like; the words after it.
struct Said {
    std::string unit;
    std::string_view what;
};
Said said(std::string_view line) {
    line = trim(line);
    const auto end = line.find(": ");
    if (end != std::string_view::npos && contains(line.substr(0, end), "raid"))
        if (auto unit = raidframe::unit_name(line.substr(0, end)); !unit.empty())
            return {unit, trim(line.substr(end + 1))};
    return {{}, line};
}

bool is_parity_line(std::string_view what) {
    return what.starts_with("Parity status: ") || what.starts_with("Initiating re-write of parity") ||
           what.starts_with("Parity Re-write complete");
}
bool is_process_line(std::string_view what) {
    for (const auto p : {"Reconstruction", "Parity Re-write", "Copyback"})
        if (what.starts_with(p)) {
            const auto rest = what.substr(std::string_view(p).size());
            if (rest == " status:") return true;
            const auto w = words(rest);
            return w.size() >= 2 && w[0] == "is" && (contains(w[1], "%") || rest.ends_with(" complete."));
        }
    return false;
}
bool is_flag_line(const Said& s) {
    return !s.unit.empty() && (s.what.starts_with("Autoconfigure: ") || s.what.starts_with("Root: "));
}

// raidctl -A says what it set; a paste that leaves that out still shows the command.
std::string_view autoconfigure_argument(const Output& out) {
    if (out.program() != "raidctl" || !out.lines.empty()) return {};
    const auto value = out.option('A');
    for (const std::string_view known : {"yes", "no", "root", "softroot", "forceroot", "hardroot"})
        if (iequals(value, known)) return known;
    return {};
}

bool starts(const Output& out, std::size_t at) {
    if (at == 0 && !autoconfigure_argument(out).empty()) return true;
    const Said s = said(out.text(at));
    return is_parity_line(s.what) || is_process_line(s.what) || is_flag_line(s);
}

void read_flag(const Said& s, Scribe& scribe, Volume& set, std::size_t line) {
    const std::string_view value = words(s.what).back();
    if (s.what.starts_with("Root: "))
        set.root = scribe.text(value, line);
    else if (iequals(value, "yes") || iequals(value, "no"))
        set.autoconfigure = scribe.known(iequals(value, "yes"), line);
    else
        scribe.unparsed(line, line, "raidctl: autoconfigure is neither Yes nor No");
}

void read_parity_line(std::string_view what, Scribe& scribe, Volume& set, std::size_t line) {
    if (const auto word = after(what, "Parity status: "))
        read_parity_status(scribe, set, words(*word).empty() ? "" : words(*word).front(), line);
    else if (what.starts_with("Initiating"))
        scribe.event(Event::Kind::parity_rewrite, set.name, "rewrite of parity started", line);
    else
        set.parity_clean = scribe.known(true, line);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t line = at;
    Volume set;
    set.name = said(out.text(at)).unit;
    if (set.name.empty()) set.name = raidframe::unit_at_prompt(out);
    if (set.name.empty()) set.name = raidframe::unnamed;
    if (const auto argument = autoconfigure_argument(out); !argument.empty()) {
        set.autoconfigure = Flag(argument != "no", scribe.at_prompt());
        if (argument.ends_with("root"))
            set.root = Text(argument == "softroot" ? "Soft" : "Force", scribe.at_prompt());
    }
    std::optional<Activity> metered;
    for (; line < out.lines.size(); ++line) {
        const Said s = said(out.text(line));
        if (!s.unit.empty() && s.unit != set.name) break;
        if (is_flag_line(s)) {
            read_flag(s, scribe, set, line);
        } else if (is_parity_line(s.what)) {
            read_parity_line(s.what, scribe, set, line);
        } else if (is_process_line(s.what)) {
            WordReader in(out, line);
            if (!s.unit.empty()) in.skip();
            if (const Process* p = process_at(in); p && s.what.ends_with("status:"))
                metered = p->activity;
            else
                read_progress(in, scribe, set);
        } else if (const auto percent = meter_percent(s.what); metered && percent) {
            if (*percent < 100)
                running(scribe, set, *metered, *percent, line);
            else if (metered == Activity::parity_rewrite)
                set.parity_clean = scribe.known(true, line);
        } else {
            break;
        }
    }
    set.kind = scribe.known(VolumeKind::raidframe, at);
    scribe.facts.volumes.push_back(std::move(set));
    return std::max<std::size_t>(line - at, 1);
}

}  // namespace

void read_parity_status(Scribe& scribe, Volume& set, std::string_view word, std::size_t line) {
    while (!word.empty() && (word.back() == '.' || word.back() == ',')) word.remove_suffix(1);
    if (iequals(word, "clean"))
        set.parity_clean = scribe.known(true, line);
    else if (iequals(word, "dirty"))
        set.parity_clean = scribe.known(false, line);
    else
        scribe.unparsed(line, line,
                        "raidctl: parity status '" + escaped(word) + "' is neither clean nor DIRTY");
}

bool read_progress(WordReader& in, Scribe& scribe, Volume& set) {
    const Process* process = process_at(in);
    if (!process) return false;
    const std::size_t n = length_of(*process);
    if (in.peek(n) != "is" || in.peek(n + 1).empty()) return false;
    const std::size_t line = in.line();
    std::string_view value = in.peek(n + 1);
    in.skip(n + 2);
    if (in.peek().starts_with("complete")) in.skip();
    if (value.ends_with('%')) value.remove_suffix(1);
    const auto percent = scribe.number(value, line, "raidctl: percent complete");
    if (percent && *percent < 100)
        running(scribe, set, process->activity, static_cast<double>(*percent), line);
    return true;
}

extern const CommandParser raidctl_progress_parser{
    .id = "raidctl-progress",
    .programs = {"raidctl"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
