// SPDX-License-Identifier: BSD-2-Clause
// IO009: one command, timed more than once, with results far apart.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/io/traces.hpp"

namespace diskwright {
namespace {

using io::short_number;

std::string normalised(std::string_view command) {
    std::string out;
    for (const auto word : words(command)) {
        if (!out.empty()) out += ' ';
        out += word;
    }
    return out;
}

struct Pair {
    const Timing *low = nullptr, *high = nullptr;
    double ratio = 0;
    bool factor_speaks = false;  // both values are large enough for a factor of them to be told
    explicit operator bool() const { return low != nullptr; }
};

template <class Value>
Pair paired(const Timing* low, const Timing* high, Value value, double at_least) {
    const auto least = value(*low), most = value(*high);
    if (!least || !most || low == high || *most < at_least) return {};
    return {low, high, *most / std::max(*least, at_least), *least >= at_least};
}

template <class Value>
Pair widest(const std::vector<const Timing*>& timings, Value value, double at_least) {
    const Timing *low = nullptr, *high = nullptr;
    for (const Timing* t : timings) {
        const std::optional<double> v = value(*t);
        if (!v) continue;
        if (!low || *v < *value(*low)) low = t;
        if (!high || *v > *value(*high)) high = t;
    }
    return low ? paired(low, high, value, at_least) : Pair{};
}

std::optional<double> real_s(const Timing& t) {
    return t.real_s ? std::optional(*t.real_s) : std::nullopt;
}
std::optional<double> inputs(const Timing& t) {
    return t.inputs ? std::optional(static_cast<double>(*t.inputs)) : std::nullopt;
}
std::optional<double> outputs(const Timing& t) {
    return t.outputs ? std::optional(static_cast<double>(*t.outputs)) : std::nullopt;
}

std::string line_of(const Timing& t) {
    const Provenance& from = t.real_s ? t.real_s.from() : t.outputs.from();
    return from.line() ? fmt::format(" (line {})", from.line()) : std::string{};
}

void check(const RuleContext& context, Findings& out) {
    std::map<std::string, std::vector<const Timing*>> by_command;
    std::vector<std::string> order;
    for (const Timing& t : context.host.timings) {
        const std::string name = normalised(t.command);
        if (name.empty() || name == "?") continue;
        auto& list = by_command[name];
        if (list.empty()) order.push_back(name);
        list.push_back(&t);
    }
    const Thresholds& limits = context.thresholds;
    for (const auto& name : order) {
        const auto& timings = by_command[name];
        if (timings.size() < 2) continue;
        const Pair time = widest(timings, real_s, context.thresholds.same_command_seconds);
        const bool by_time = time && time.ratio >= limits.same_command_time_factor;
        std::string_view direction = "written";
        const auto wider_io = [&](auto pair_of) {
            Pair io = pair_of(outputs);
            direction = "written";
            if (const Pair in = pair_of(inputs); in && in.ratio > io.ratio) io = in, direction = "read";
            return io;
        };
        // The runs whose times differ are the pair to speak of, where their I/O differs as well.
        Pair io;
        if (by_time)
            io = wider_io([&](auto value) {
                return paired(time.low, time.high, value, context.thresholds.same_command_operations);
            });
        if (io.ratio < limits.same_command_io_factor)
            io = wider_io([&](auto value) {
                return widest(timings, value, context.thresholds.same_command_operations);
            });
        const bool by_io = io && io.ratio >= limits.same_command_io_factor;
        if (!by_time && !by_io) continue;
        const auto io_of = [&](const Timing& t) { return direction == "read" ? *inputs(t) : *outputs(t); };
        const auto factor = [](const Pair& pair, std::string_view of_what) {
            return pair.factor_speaks ? fmt::format(", {} times as {}", short_number(pair.ratio), of_what)
                                      : std::string{};
        };
        std::string text;
        if (by_time)
            text =
                fmt::format("took {} s{} and {} s{}{}", short_number(*time.low->real_s), line_of(*time.low),
                            short_number(*time.high->real_s), line_of(*time.high), factor(time, "long"));
        if (by_io)
            text += fmt::format("{}{} {:.0f}{} and {:.0f}{} blocks{}", text.empty() ? "has " : "; it has ",
                                direction, io_of(*io.low), line_of(*io.low), io_of(*io.high),
                                line_of(*io.high), factor(io, "many"));
        auto report = out.report(name);
        report.message("the same command " + text);
        if (by_time) report.evidence(time.low->real_s).evidence(time.high->real_s);
        if (by_io) {
            const auto from = [&](const Timing& t) {
                return direction == "read" ? t.inputs.from() : t.outputs.from();
            };
            report.evidence(from(*io.low)).evidence(from(*io.high));
        }
        std::string causes =
            "Usual causes: the first run reads what later runs find in the cache; a run leaves files behind "
            "that change the next; another job or a sync loop runs beside one of them; a mount option, "
            "sysctl or journal setting differs between them; writes of an earlier run are still being "
            "drained.";
        if (context.host.is(Os::netbsd))
            causes +=
                " With a NetBSD journal the writes depend on how often the log is flushed: a loop of sync "
                "beside a parallel build gathered the commits and cut the blocks written by 15, turning off "
                "the disk cache flush the time by 5.";
        report
            .cost(by_time ? fmt::format("{} s against {} s", short_number(*time.high->real_s),
                                        short_number(*time.low->real_s))
                          : fmt::format("{:.0f} block operations against {:.0f}", io_of(*io.high),
                                        io_of(*io.low)))
            .note(causes +
                  " Repeat both under equal conditions (same state before, sync after, nothing else running) "
                  "before drawing a conclusion; say which setting changed between the runs.");
    }
}

}  // namespace

extern const Rule io_same_command_differs;
const Rule io_same_command_differs{
    {.code = "IO009",
     .slug = "same-command-differs",
     .severity = Severity::info,
     .impact = 1,
     .summary = "timings of one command differ widely",
     .why = "Two runs of one command that differ by two in time or by five in block operations did not do "
            "the same work under the same conditions. Either the difference is the answer (a setting was "
            "changed between them) or one of them must not be used.",
     .cost = "None by itself. On NetBSD 5 a parallel build took 2:19:20 with 688,241 block writes, and 22:00 "
             "with 44,423 while sync ran every second beside it (kern/39564).",
     .remedy = "Repeat with the cache in the same state and nothing else running, and compare until sync has "
               "returned.",
     .bad = R"({"timings": [{"command": "tar xf a.tar", "real_s": 41.7, "inputs": 3120, "outputs": 11204},
                            {"command": "tar xf a.tar", "real_s": 189.12, "inputs": 61844, "outputs": 11310}]})",
     .good = R"({"timings": [{"command": "tar xf a.tar", "real_s": 41.7, "inputs": 3120, "outputs": 11204},
                             {"command": "tar xf a.tar", "real_s": 48.3, "inputs": 3300, "outputs": 11310}]})",
     .references = "time(1), csh(1)"},
    check};

}  // namespace diskwright
