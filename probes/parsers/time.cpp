// SPDX-License-Identifier: BSD-2-Clause
// time(1) and the time of the shells, on all systems:
//   6515.491u 2108.338s 2:19:19.68 103.1%   0+0k 3+688241io 32279pf+0w     csh, tcsh
//   real 0m41.204s / user 0m4.090s / sys 0m11.870s                          sh, bash, ksh; time -p without
//   units 41.20 real         4.09 user        11.87 sys                           BSD time, with -l also
//   block operations 4.09user 11.87system 0:41.20elapsed 38%CPU ... 1024inputs+2048outputs   GNU time, also
//   -v tar xf a.tar  4.09s user 11.87s system 38% cpu 41.204 total             zsh
// The command comes from the prompt or from the text around (timed_command.hpp).
#include "probes/parsers/command.hpp"
#include "probes/parsers/time_reading.hpp"
#include "probes/parsers/timed_command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

Timing to_timing(const TimeReading& reading, std::string command, std::size_t line, const Scribe& scribe) {
    Timing timing;
    timing.command = std::move(command);
    if (reading.real_s) timing.real_s = scribe.known(*reading.real_s, line);
    if (reading.user_s) timing.user_s = scribe.known(*reading.user_s, line);
    if (reading.sys_s) timing.sys_s = scribe.known(*reading.sys_s, line);
    if (reading.inputs) timing.inputs = scribe.known(*reading.inputs, line);
    if (reading.outputs) timing.outputs = scribe.known(*reading.outputs, line);
    return timing;
}

bool starts(const Output& out, std::size_t at) {
    return time_reading(out, at).has_value();
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    std::size_t end = at;
    std::string command;
    // Timings one right after another are of one command.
    for (auto reading = time_reading(out, at); reading; reading = time_reading(out, at)) {
        if (!reading->command.empty())
            command = escaped(reading->command);
        else if (at == first)
            command = timed_command(out, at);
        if (!reading->user_s || !reading->sys_s)
            scribe.damage(at, "time: only a part of real, user and sys is shown");
        scribe.facts.timings.push_back(to_timing(*reading, command, at, scribe));
        at = end = at + reading->lines;
        while (at < out.lines.size() && trim(out.text(at)).empty()) ++at;
    }
    return end - first;
}

}  // namespace

extern const CommandParser time_parser{
    .id = "time",
    .programs = {"time"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
