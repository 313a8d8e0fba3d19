// SPDX-License-Identifier: BSD-2-Clause
// IO006: requests wait in the set while its members are idle.
#include <fmt/format.h>

#include <algorithm>

#include "rules/io/traces.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

using namespace io;

bool idle(const IoSample& s, bool writes) {
    const auto& rate = writes ? s.writes_per_s : s.reads_per_s;
    return rate && *rate <= 0;
}

std::optional<double> wait_of(const IoSample& s, bool writes) {
    const auto& await = writes ? s.write_await_ms : s.read_await_ms;
    if (idle(s, writes)) return std::nullopt;
    return await ? await : s.service_ms;
}

bool waits(const IoTrace& trace, const Thresholds& t) {
    return std::any_of(trace.samples.begin(), trace.samples.end(), [&](const IoSample& s) {
        return wait_of(s, false).value_or(0) >= t.delay_ms || wait_of(s, true).value_or(0) >= t.delay_ms;
    });
}

struct Delay {
    double volume_ms = 0, member_ms = 0, members_busy = 0;
    bool writes = false;
    Provenance volume_from, member_from;
};

// The report with the longest delay; reports of one tool are compared by their number.
std::optional<Delay> worst_delay(const IoTrace& trace, const std::vector<const IoTrace*>& members,
                                 const Thresholds& t) {
    std::optional<Delay> worst;
    for (std::size_t i = 0; i < trace.samples.size(); ++i) {
        double busy = 0;
        bool known = !members.empty();
        for (const IoTrace* m : members) {
            known = known && i < m->samples.size() && m->samples[i].busy_percent.has_value();
            if (known) busy = std::max(busy, *m->samples[i].busy_percent);
        }
        if (!known || busy > t.members_busy_percent) continue;
        for (const bool writes : {false, true}) {
            const auto volume_ms = wait_of(trace.samples[i], writes);
            if (!volume_ms || *volume_ms < t.delay_ms) continue;
            double slowest = 0;
            Provenance from;
            bool seen = false, all = true;
            for (const IoTrace* m : members) {
                const auto ms = wait_of(m->samples[i], writes);
                all = all && (ms || idle(m->samples[i], writes));
                if (!ms) continue;
                if (!seen || *ms > slowest) slowest = *ms, from = m->samples[i].from;
                seen = true;
            }
            if (!seen || !all || *volume_ms < t.delay_factor * slowest) continue;
            if (!worst || *volume_ms > worst->volume_ms)
                worst = Delay{*volume_ms, slowest, busy, writes, trace.samples[i].from, from};
        }
    }
    return worst;
}

void check(const RuleContext& context, Findings& out) {
    const TraceIndex index(context);
    for (const IoTrace& trace : context.host.io_traces) {
        const Volume* volume = context.graph.volume(trace.device);
        if (!volume || volume->kind.is(VolumeKind::hardware)) continue;
        const auto members = index.members(*volume, trace);
        if (members.empty() && waits(trace, context.thresholds))
            out.skip(volume->name, {iostat_command(context.host)});
        const auto delay = worst_delay(trace, members, context.thresholds);
        if (!delay) continue;
        out.report(volume->name)
            .message(
                fmt::format("{} wait {} ms in the set while its members need {} ms and are at most {} % busy",
                            delay->writes ? "writes" : "reads", short_number(delay->volume_ms),
                            short_number(delay->member_ms), short_number(delay->members_busy)))
            .evidence(delay->volume_from)
            .evidence(delay->member_from)
            .cost(fmt::format("{} times what the disks need is lost above them",
                              short_number(delay->volume_ms / std::max(delay->member_ms, 0.01))))
            .note(volume->kind.is(VolumeKind::md)
                      ? "The wait is in md: writes are held for a stripe to fill or for the bitmap to be "
                        "written first. Larger stripe_cache_size and group_thread_cnt in the set's sysfs "
                        "folder, a larger bitmap chunk, and for small writes another level are what to try, "
                        "measuring each."
                      : "The wait is in the driver of the set: its queue limit, its parity lock, or writes "
                        "that are held back for a log or a flush. Compare with the flushes per second, and "
                        "with the set's queue depth.");
    }
}

}  // namespace

extern const Rule io_delay_above_members;
const Rule io_delay_above_members{
    {.code = "IO006",
     .slug = "delay-above-members",
     .severity = Severity::warning,
     .impact = 3,
     .summary = "requests wait in the set while its members are idle",
     .why =
         "When a set takes 50 ms and more for a request, five times what its slowest member takes, and no "
         "member is more than half busy, the time is lost between them: in the stripe cache, the "
         "write-intent bitmap, a parity lock, a queue limit or flushes. Faster disks would not help. Reads "
         "are compared with reads, writes with writes.",
     .cost = "The share of the wait above the members; in one RAID 6 of seven disks writes took 99 ms, on "
             "the members 10 ms at 3 % busy.",
     .remedy =
         "Tune or avoid the layer: md stripe cache and threads, bitmap chunk, write size; fewer flushes.",
     .bad =
         R"({"volumes": [{"name": "md0", "kind": "md", "level": "1", "parity_map": true, "components": [{"name": "sda1"}, {"name": "sdb1"}]}],
        "io_traces": [{"device": "md0", "run": 0, "samples": [{"writes_per_s": 43.6, "write_await_ms": 99.3, "busy_percent": 13.9}]},
         {"device": "sda", "run": 0, "samples": [{"writes_per_s": 44, "write_await_ms": 7.7, "busy_percent": 2.4}]},
         {"device": "sdb", "run": 0, "samples": [{"writes_per_s": 44, "write_await_ms": 9.7, "busy_percent": 2.6}]}]})",
     .good =
         R"({"volumes": [{"name": "md0", "kind": "md", "level": "1", "parity_map": true, "components": [{"name": "sda1"}, {"name": "sdb1"}]}],
        "io_traces": [{"device": "md0", "run": 0, "samples": [{"writes_per_s": 43.6, "write_await_ms": 99.3, "busy_percent": 97}]},
         {"device": "sda", "run": 0, "samples": [{"writes_per_s": 44, "write_await_ms": 15, "busy_percent": 93}]},
         {"device": "sdb", "run": 0, "samples": [{"writes_per_s": 44, "write_await_ms": 14, "busy_percent": 91}]}]})",
     .references = "iostat(1), md(4), gstat(8)"},
    check};

}  // namespace diskwright
