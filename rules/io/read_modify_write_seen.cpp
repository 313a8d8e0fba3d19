// SPDX-License-Identifier: BSD-2-Clause
// IO004: the members of a parity set read although the set is only written to.
#include <fmt/format.h>

#include <algorithm>

#include "rules/io/traces.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

using namespace io;

struct Sums {
    double read_kb = 0, write_kb = 0, reads = 0, writes = 0;
    void add(const IoSample& s) {
        read_kb += s.read_kb_per_s.value_or(0), write_kb += s.write_kb_per_s.value_or(0);
        reads += s.reads_per_s.value_or(0), writes += s.writes_per_s.value_or(0);
    }
    // Reads of a small share are noise: atime, a shell.
    bool write_only(double noise) const {
        return writes > 0 && reads <= noise * (reads + writes) && read_kb <= noise * (read_kb + write_kb);
    }
};

bool tells_both(const IoTrace& trace) {
    return std::all_of(trace.samples.begin(), trace.samples.end(), [](const IoSample& s) {
        return s.reads_per_s && s.writes_per_s && s.read_kb_per_s && s.write_kb_per_s;
    });
}

// All samples count here: even the average since boot shows what the members do.
Sums sums_of(const IoTrace& trace) {
    Sums out;
    for (const IoSample& s : trace.samples) out.add(s);
    const auto n = static_cast<double>(std::max<std::size_t>(trace.samples.size(), 1));
    out.read_kb /= n, out.write_kb /= n, out.reads /= n, out.writes /= n;
    return out;
}

void check(const RuleContext& context, Findings& out) {
    const TraceIndex index(context);
    for (const IoTrace& trace : context.host.io_traces) {
        const Volume* volume = context.graph.volume(trace.device);
        if (!volume || !is_parity(*volume) || volume->level.is(RaidLevel::raid3)) continue;
        // Rebuilding and checking read by nature.
        if (volume->activity && !volume->activity_progress.is(Progress::pending)) continue;
        if (volume->state.is(VolumeState::rebuilding)) continue;
        const Sums set = sums_of(trace);
        if (!set.write_only(context.thresholds.write_only_share) ||
            set.writes < context.thresholds.small_write_rate)
            continue;
        const auto members = index.members(*volume, trace);
        if (members.size() < 2) out.skip(volume->name, {iostat_command(context.host)});
        if (members.size() < 2 || !tells_both(trace) ||
            !std::all_of(members.begin(), members.end(), [](const IoTrace* m) { return tells_both(*m); }))
            continue;
        Sums all;
        std::size_t readers = 0;
        for (const IoTrace* m : members) {
            const Sums one = sums_of(*m);
            all.read_kb += one.read_kb, all.write_kb += one.write_kb, all.reads += one.reads,
                all.writes += one.writes;
            if (one.writes > 0 && one.read_kb >= 0.1 * one.write_kb) ++readers;
        }
        // More than that comes from somewhere.
        const double share = context.thresholds.member_reads_share;
        if (all.read_kb < share * all.write_kb && all.reads < share * all.writes) continue;
        if (all.read_kb <= 2 * set.read_kb || readers * 2 < members.size()) continue;
        auto report = out.report(volume->name);
        report.message(fmt::format(
            "the members read {}/s although the set is only written to: its writes are partial stripes",
            short_size(all.read_kb * 1024)));
        report.evidence(volume->level);
        for (const IoSample& s : trace.samples) report.evidence(s.from);
        for (const IoTrace* m : members)
            if (!m->samples.empty()) report.evidence(m->samples.front().from);
        const auto stripe = full_stripe_bytes(*volume);
        const double mean = set.write_kb * 1024 / set.writes;
        report
            .cost(
                fmt::format("{} writes/s of {} on average{} cost the members {} reads/s and {} writes/s; a "
                            "full-stripe write needs no read",
                            short_number(set.writes), short_size(mean),
                            stripe ? fmt::format(" into stripes of {}", human_size(*stripe)) : std::string{},
                            short_number(all.reads), short_number(all.writes)))
            .note(
                "Old data and old parity are read before each short write. What helps, in this order: "
                "file-system blocks that fill an aligned stripe, a smaller stripe, a write-back cache with a "
                "battery that gathers writes, RAID 1 or 10 for this load.");
    }
}

}  // namespace

extern const Rule io_read_modify_write_seen;
const Rule io_read_modify_write_seen{
    {.code = "IO004",
     .slug = "read-modify-write-seen",
     .severity = Severity::warning,
     .impact = 4,
     .summary = "parity members read under a write-only load",
     .why = "A write that does not cover an aligned full stripe makes a RAID 4, 5 or 6 read what it needs to "
            "compute the new parity. Reads on the members while the set itself is only written to are that, "
            "seen at work. During a rebuild, a check or a reshape members read anyway, so nothing is said "
            "then.",
     .cost = "Each short write is two reads and two writes on RAID 5 (raidctl(8): 2 to 4 times a full-stripe "
             "write), three and three on RAID 6.",
     .remedy = "Match block, stripe and alignment (FFS002, ALIGN003), choose a smaller unit, or put loads of "
               "small writes on mirrors.",
     .bad =
         R"({"volumes": [{"name": "raid0", "level": "5", "spares": 1, "components": [{"name": "wd1e"}, {"name": "wd2e"}, {"name": "wd3e"}]}],
        "io_traces": [{"device": "raid0", "run": 0, "samples": [{"reads_per_s": 0, "read_kb_per_s": 0, "writes_per_s": 130, "write_kb_per_s": 1040}]},
         {"device": "wd1", "run": 0, "samples": [{"reads_per_s": 86, "read_kb_per_s": 690, "writes_per_s": 87, "write_kb_per_s": 700}]},
         {"device": "wd2", "run": 0, "samples": [{"reads_per_s": 87, "read_kb_per_s": 695, "writes_per_s": 86, "write_kb_per_s": 690}]},
         {"device": "wd3", "run": 0, "samples": [{"reads_per_s": 86, "read_kb_per_s": 690, "writes_per_s": 87, "write_kb_per_s": 700}]}]})",
     .good =
         R"({"volumes": [{"name": "raid0", "level": "5", "spares": 1, "components": [{"name": "wd1e"}, {"name": "wd2e"}, {"name": "wd3e"}]}],
        "io_traces": [{"device": "raid0", "run": 0, "samples": [{"reads_per_s": 0, "read_kb_per_s": 0, "writes_per_s": 1300, "write_kb_per_s": 83200}]},
         {"device": "wd1", "run": 0, "samples": [{"reads_per_s": 0, "read_kb_per_s": 0, "writes_per_s": 1300, "write_kb_per_s": 41600}]},
         {"device": "wd2", "run": 0, "samples": [{"reads_per_s": 0, "read_kb_per_s": 0, "writes_per_s": 1300, "write_kb_per_s": 41600}]},
         {"device": "wd3", "run": 0, "samples": [{"reads_per_s": 0, "read_kb_per_s": 0, "writes_per_s": 1300, "write_kb_per_s": 41600}]}]})",
     .references = "raidctl(8), md(4), iostat(8)"},
    check};

}  // namespace diskwright
