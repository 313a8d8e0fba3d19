// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/time_reading.hpp"

#include <cmath>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Words = std::vector<std::string_view>;

// 60 + 41.204 is 101.204, not 101.20400000000001; no tool prints less than a microsecond.
double tidy(double seconds) {
    return seconds < 1e9 ? std::round(seconds * 1e6) / 1e6 : seconds;
}

// "2:19:19.68", "0:41.20", "41.20"
std::optional<double> clock(std::string_view text) {
    double total = 0;
    const auto parts = split(text, ':');
    if (parts.size() > 3) return std::nullopt;
    for (const auto part : parts) {
        const auto value = to_double(part);
        if (!value || *value < 0) return std::nullopt;
        total = total * 60 + *value;
    }
    return tidy(total);
}

// "0m41.204s", "0m0,004s", "1h2m3s", "41.20", "41.20s"
std::optional<double> duration(std::string_view text) {
    if (text.ends_with('s')) text.remove_suffix(1);
    double total = 0;
    if (const auto h = text.find('h'); h != std::string_view::npos) {
        const auto hours = to_unsigned(text.substr(0, h));
        if (!hours || *hours > 1'000'000) return std::nullopt;
        total += static_cast<double>(*hours) * 3600;
        text.remove_prefix(h + 1);
    }
    if (const auto m = text.find('m'); m != std::string_view::npos) {
        const auto minutes = to_unsigned(text.substr(0, m));
        if (!minutes || *minutes > 100'000'000) return std::nullopt;
        total += static_cast<double>(*minutes) * 60;
        text.remove_prefix(m + 1);
    }
    const auto seconds = to_double(text);
    if (!seconds || *seconds < 0) return std::nullopt;
    return tidy(total + *seconds);
}

std::optional<double> suffixed(std::string_view word, std::string_view suffix) {
    if (!word.ends_with(suffix)) return std::nullopt;
    const auto value = to_double(word.substr(0, word.size() - suffix.size()));
    return value && *value >= 0 ? value : std::nullopt;
}

// "3+688241io"
bool take_io(std::string_view word, TimeReading& reading) {
    if (!word.ends_with("io")) return false;
    const auto parts = split(word.substr(0, word.size() - 2), '+');
    if (parts.size() != 2) return false;
    const auto in = to_unsigned(parts[0]), out = to_unsigned(parts[1]);
    if (!in || !out) return false;
    reading.inputs = in, reading.outputs = out;
    return true;
}

// csh: "6515.491u 2108.338s 2:19:19.68 103.1% 0+0k 3+688241io 32279pf+0w"; the tail may be wrapped.
std::optional<TimeReading> of_csh(const Output& out, std::size_t at, const Words& w) {
    for (std::size_t i = 0; i + 3 < w.size(); ++i) {
        const auto user = suffixed(w[i], "u"), sys = suffixed(w[i + 1], "s");
        if (!user || !sys || !w[i + 3].ends_with('%')) continue;
        const auto real = clock(w[i + 2]);
        if (!real) continue;
        TimeReading reading{real, user, sys, {}, {}, {}, 1};
        for (std::size_t k = i + 4; k < w.size(); ++k)
            if (take_io(w[k], reading)) return reading;
        const auto next = words(out.text(at + 1));
        if (next.empty() ||
            !(next[0].ends_with('k') || next[0].ends_with("io") || next[0].ends_with("pf+0w")))
            return reading;
        for (const auto word : next)
            if (take_io(word, reading)) {
                reading.lines = 2;
                break;
            }
        return reading;
    }
    return std::nullopt;
}

std::optional<double>* field(TimeReading& reading, std::string_view name) {
    if (name == "real") return &reading.real_s;
    if (name == "user") return &reading.user_s;
    if (name == "sys" || name == "system") return &reading.sys_s;
    return nullptr;
}

// sh, bash, ksh, time -p: "real 0m41.204s", "user ...", "sys ..." on three lines or one
std::optional<TimeReading> of_sh(const Output& out, std::size_t at, const Words& first) {
    if (first.size() < 2 || first[0] != "real" || !duration(first[1])) return std::nullopt;
    TimeReading reading;
    for (std::size_t line = at; line < out.lines.size() && line < at + 6; ++line) {
        const auto w = words(out.text(line));
        bool any = false;
        for (std::size_t i = 0; i + 1 < w.size(); i += 2) {
            auto* target = field(reading, w[i]);
            const auto value = duration(w[i + 1]);
            if (!target || !value || *target) break;
            *target = value;
            any = true;
        }
        if (!any && !w.empty()) break;
        if (any) reading.lines = line - at + 1;
        if (reading.sys_s) break;
    }
    return reading;
}

// BSD time: "41.20 real 4.09 user 11.87 sys"; ksh of OpenBSD: "0m41.20s real 0m04.09s user 0m11.87s system".
// With -l the resource usage follows, one figure a line.
std::optional<TimeReading> of_bsd(const Output& out, std::size_t at, const Words& w) {
    for (std::size_t i = 0; i + 5 < w.size(); ++i) {
        if (w[i + 1] != "real" || w[i + 3] != "user" || (w[i + 5] != "sys" && w[i + 5] != "system")) continue;
        TimeReading reading{duration(w[i]), duration(w[i + 2]), duration(w[i + 4]), {}, {}, {}, 1};
        if (!reading.real_s) continue;
        for (std::size_t line = at + 1; line < out.lines.size() && line < at + 20; ++line) {
            const auto usage = words(out.text(line));
            const auto value = usage.size() > 1 ? to_unsigned(usage[0]) : std::nullopt;
            if (!value || to_double(usage[1])) break;
            if (contains(out.text(line), "block input operations")) reading.inputs = value;
            if (contains(out.text(line), "block output operations")) reading.outputs = value;
            reading.lines = line - at + 1;
        }
        return reading;
    }
    return std::nullopt;
}

// GNU time: "4.09user 11.87system 0:41.20elapsed 38%CPU (0avgtext+0avgdata 5000maxresident)k",
// "1024inputs+2048outputs (0major+700minor)pagefaults 0swaps"
std::optional<TimeReading> of_gnu(const Output& out, std::size_t at, const Words& w) {
    if (w.size() < 3 || !w[2].ends_with("elapsed")) return std::nullopt;
    TimeReading reading{clock(w[2].substr(0, w[2].size() - 7)),
                        suffixed(w[0], "user"),
                        suffixed(w[1], "system"),
                        {},
                        {},
                        {},
                        1};
    if (!reading.real_s || !reading.user_s) return std::nullopt;
    const auto next = words(out.text(at + 1));
    if (next.empty() || !next[0].ends_with("outputs")) return reading;
    reading.lines = 2;
    const auto in = leading_unsigned(next[0]);
    const auto plus = after(next[0], "inputs+");
    const auto written = plus ? leading_unsigned(*plus) : std::nullopt;
    if (in && written) reading.inputs = in->value, reading.outputs = written->value;
    return reading;
}

// GNU time -v
std::optional<TimeReading> of_gnu_verbose(const Output& out, std::size_t at) {
    const auto quoted = after(out.text(at), "Command being timed: ");
    if (!quoted) return std::nullopt;
    TimeReading reading;
    reading.command = trim(*quoted);
    if (reading.command.size() >= 2 && reading.command.front() == '"' && reading.command.back() == '"')
        reading.command = reading.command.substr(1, reading.command.size() - 2);
    for (std::size_t line = at + 1; line < out.lines.size() && line < at + 30; ++line) {
        const auto text = trim(out.text(line));
        const auto colon = text.rfind(": ");
        if (colon == std::string_view::npos) break;
        const auto value = text.substr(colon + 2);
        if (text.starts_with("User time")) reading.user_s = to_double(value);
        if (text.starts_with("System time")) reading.sys_s = to_double(value);
        if (text.starts_with("Elapsed (wall clock) time")) reading.real_s = clock(value);
        if (text.starts_with("File system inputs")) reading.inputs = to_unsigned(value);
        if (text.starts_with("File system outputs")) reading.outputs = to_unsigned(value);
        reading.lines = line - at + 1;
        if (text.starts_with("Exit status")) break;
    }
    return reading.real_s || reading.user_s ? std::optional(reading) : std::nullopt;
}

// zsh: "tar xf a.tar  4.09s user 11.87s system 38% cpu 41.204 total"
std::optional<TimeReading> of_zsh(std::string_view line, const Words& w) {
    for (std::size_t i = 1; i + 6 < w.size(); ++i) {
        if (w[i] != "user" || w[i + 2] != "system" || w[i + 4] != "cpu" || w[i + 6] != "total") continue;
        TimeReading reading{clock(w[i + 5]), suffixed(w[i - 1], "s"), suffixed(w[i + 1], "s"), {}, {}, {}, 1};
        if (!reading.real_s || !reading.user_s) return std::nullopt;
        reading.command = trim(line.substr(0, static_cast<std::size_t>(w[i - 1].data() - line.data())));
        return reading;
    }
    return std::nullopt;
}

}  // namespace

std::optional<TimeReading> time_reading(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (contains(line, "Command being timed: ")) return of_gnu_verbose(out, at);
    const bool named = contains(line, "real") || contains(line, "user");
    if (!named && !contains(line, "%")) return std::nullopt;
    const auto w = words(line);
    if (auto reading = of_csh(out, at, w)) return reading;
    if (!named) return std::nullopt;
    if (auto reading = of_sh(out, at, w)) return reading;
    if (auto reading = of_bsd(out, at, w)) return reading;
    if (auto reading = of_gnu(out, at, w)) return reading;
    return of_zsh(line, w);
}

}  // namespace diskwright
