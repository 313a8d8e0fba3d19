// SPDX-License-Identifier: BSD-2-Clause
// IO007: figures that should not be relied on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rules/io/traces.hpp"

namespace diskwright {
namespace {

using io::short_number;

// Busy time is counted to a fraction of a per cent; more than this above 100 is no rounding.
constexpr double rounding_percent = 1;

struct Run {
    const IoTrace* shortest = nullptr;
    const IoTrace* loaded = nullptr;
    const IoTrace* impossible = nullptr;
    const IoSample* worst = nullptr;
    std::size_t over = 0;
    const IoTrace* busiest = nullptr;
    double most = -1;
};

void judge_run(const Run& run, const Thresholds& t, Findings& out) {
    std::vector<std::string> reasons;
    if (run.shortest)
        reasons.push_back(fmt::format("its samples cover {} s, under {:.0f} s",
                                      short_number(*run.shortest->interval_s), t.interval_s));
    if (run.impossible)
        reasons.push_back(
            fmt::format("{} was busy {} % of the time, which cannot be{}", run.impossible->device,
                        short_number(*run.worst->busy_percent),
                        run.over > 1 ? fmt::format(" ({} figures above 100)", run.over) : std::string{}));
    if (run.loaded) reasons.push_back(fmt::format("something else was running: {}", *run.loaded->load));
    if (reasons.empty()) return;
    const IoTrace* subject = run.impossible ? run.impossible
                             : run.busiest  ? run.busiest
                             : run.shortest ? run.shortest
                                            : run.loaded;
    std::string text;
    for (const auto& r : reasons) text += (text.empty() ? "" : "; ") + r;
    auto report = out.report(subject->device);
    report.message("this measurement is not reliable: " + text);
    if (run.shortest) report.evidence(run.shortest->interval_s);
    if (run.worst) report.evidence(run.worst->from);
    if (run.loaded) report.evidence(run.loaded->load);
    report.cost("no cost by itself; conclusions from it may be wrong by any factor")
        .note(
            "Take at least three samples of 10 s each while nothing else uses the disks, and leave out the "
            "first report, which is the average since boot.");
}

// A rate measured while a set on the same disks was busy with itself says nothing of the disks.
void judge_throughputs(const RuleContext& context, Findings& out) {
    for (const Volume& busy : context.host.volumes) {
        if (!busy.activity) continue;
        if (busy.activity_progress && !busy.activity_progress.is(Progress::running)) continue;
        const auto shared = context.graph.disks_under(busy.name);
        const std::set<std::string> disks(shared.begin(), shared.end());
        const Throughput* first = nullptr;
        std::string names;
        std::set<std::string> seen;
        for (const Throughput& t : context.host.throughputs) {
            const auto under = context.graph.disks_under(t.device);
            if (std::none_of(under.begin(), under.end(),
                             [&](const std::string& d) { return disks.contains(d); }))
                continue;
            if (!first) first = &t;
            if (seen.insert(t.device).second && seen.size() <= 6)
                names += (names.empty() ? "" : ", ") + t.device;
        }
        if (!first) continue;
        out.report(first->device)
            .message(fmt::format(
                "the rates of {} were taken while {} was running on {}, which uses the same disks", names,
                *busy.activity == Activity::check ? "a check" : "a rebuild or synchronisation", busy.name))
            .evidence(first->bytes_per_s)
            .evidence(busy.activity)
            .cost("no cost by itself; the figures show what the other work left over")
            .note("Measure again when it has finished.");
    }
}

void check(const RuleContext& context, Findings& out) {
    const Thresholds& t = context.thresholds;
    std::map<std::uint64_t, Run> runs;
    for (const IoTrace& trace : context.host.io_traces) {
        Run& run = runs[trace.run.value_or(0)];
        if (trace.interval_s && *trace.interval_s < t.interval_s && !run.shortest) run.shortest = &trace;
        if (trace.load && !run.loaded) run.loaded = &trace;
        for (const IoSample& s : trace.samples) {
            if (!s.busy_percent) continue;
            if (*s.busy_percent > run.most) run.most = *s.busy_percent, run.busiest = &trace;
            if (*s.busy_percent <= 100 + rounding_percent) continue;
            ++run.over;
            if (!run.worst || *s.busy_percent > *run.worst->busy_percent)
                run.worst = &s, run.impossible = &trace;
        }
    }
    for (const auto& [number, run] : runs) judge_run(run, t, out);
    judge_throughputs(context, out);
    for (const Event& e : context.host.events) {
        if (e.kind != Event::Kind::background_load) continue;
        std::string subject = e.subject;
        if (subject.empty() && !context.host.io_traces.empty())
            subject = context.host.io_traces.front().device;
        if (subject.empty() && !context.host.timings.empty()) subject = context.host.timings.front().command;
        if (subject.empty() && !context.host.throughputs.empty())
            subject = context.host.throughputs.front().device;
        if (subject.empty()) continue;  // nothing was measured
        out.report(subject)
            .message(fmt::format("something else was running during the measurement: {}",
                                 e.detail.empty() ? "another job" : e.detail))
            .evidence(e.from)
            .cost("no cost by itself; the figures are those of both loads together")
            .note("Measure again while nothing else uses the disks.");
    }
}

}  // namespace

extern const Rule io_measurement_unreliable;
const Rule io_measurement_unreliable{
    {.code = "IO007",
     .slug = "measurement-unreliable",
     .severity = Severity::info,
     .impact = 1,
     .summary = "a measurement is too short, disturbed or impossible",
     .why = "Rates over less than two seconds depend on where the sample was cut: a disk may be shown busy "
            "for more than the time that passed. A rebuild, a check or another job on the same disks takes "
            "its share. Figures that cannot be (more than 100 % busy) prove the problem. One single sample "
            "of 10 s and more is not unreliable.",
     .cost = "None by itself. No figure was published for it.",
     .remedy = "Three samples of 10 s or more, nothing else running, the report since boot left out.",
     .bad =
         R"({"io_traces": [{"device": "ada0", "run": 0, "interval_s": 0.057, "samples": [{"reads_per_s": 316, "busy_percent": 111.8}]}]})",
     .good =
         R"({"io_traces": [{"device": "ada0", "run": 0, "interval_s": 10.004, "samples": [{"reads_per_s": 316, "busy_percent": 100.2}]}]})",
     .references = "gstat(8), iostat(8), hdparm(8)"},
    check};

}  // namespace diskwright
