// SPDX-License-Identifier: BSD-2-Clause
// RAID009: a parity set under small writes.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"
#include "rules/workload.hpp"

namespace diskwright {
namespace {

struct Writes {
    double per_s = 0, bytes = 0;  // mean rate, mean size
    std::vector<Provenance> from;
};

// The mean over the intervals of a trace; the report since boot only where there is nothing else.
std::optional<Writes> writes_of(const IoTrace& trace) {
    constexpr std::size_t quoted = 3;
    for (const bool since_boot : {false, true}) {
        double rate = 0, kb = 0, samples = 0;
        Writes out;
        for (const IoSample& s : trace.samples) {
            if (s.since_boot != since_boot || !s.writes_per_s || !s.write_kb_per_s) continue;
            rate += *s.writes_per_s, kb += *s.write_kb_per_s, ++samples;
            if (out.from.size() < quoted && !s.from.empty()) out.from.push_back(s.from);
        }
        if (samples == 0 || rate <= 0) continue;
        out.per_s = rate / samples, out.bytes = kb * 1024 / rate;
        return out;
    }
    return std::nullopt;
}

void check_set(const RuleContext& context, const Volume& set, Findings& out) {
    const Number stripe = full_stripe_bytes(set);
    const WorkloadWord* load = find_workload(context.workload);
    const bool stated = load && load->small_writes;
    std::optional<Writes> seen;
    bool traced = false;
    for (const IoTrace& trace : context.host.io_traces) {
        if (!same_device(trace.device, set.name)) continue;
        traced = true;
        const auto writes = writes_of(trace);
        if (!writes || !stripe || writes->per_s < context.thresholds.small_write_rate) continue;
        if (writes->bytes >= context.thresholds.small_write_stripe_share * static_cast<double>(*stripe))
            continue;
        if (!seen || writes->per_s > seen->per_s) seen = writes;
    }
    if (!seen && !stated) {
        if (traced && !stripe)
            out.skip(set.name, {status_command(set)});
        else if (!traced && context.workload.empty())
            out.skip(set.name, {"--for WORKLOAD"});
        return;
    }
    auto report = out.report(set.name);
    const int operations = set.level.is(RaidLevel::raid6) ? 6 : 4;
    const auto end = fmt::format("each costs up to {} disk operations, half of them reads", operations);
    if (seen) {
        report.message(
            fmt::format("{:.0f} writes a second of {:.1f} KiB on average, against a stripe of {}: {}",
                        seen->per_s, seen->bytes / 1024, human_size(*stripe), end));
        for (const Provenance& from : seen->from) report.evidence(from);
    } else {
        report.message(
            fmt::format("a {} workload writes little at a time on to parity: {}", context.workload, end));
    }
    report.evidence(set.level).evidence(set.stripe_unit_bytes);
    if (context.graph.medium(set.name).rotational.is(false)) report.at_most(Severity::info);
    report.note(
        "no setting makes this go away. In order of effect: a mirror or RAID 1+0 for what writes small; a "
        "controller cache with a battery; fewer commits (soft updates or no log in place of one, noatime); "
        "on FFS a block that is a whole stripe, or lies in one unit, on a partition that starts on a stripe");
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes)
        // raidz writes whole stripes of its own width.
        if (has_parity_units(set) && !set.kind.is(VolumeKind::zfs) && !is_only_configured(set))
            check_set(context, set, out);
}

}  // namespace

extern const Rule raid_parity_small_writes;
const Rule raid_parity_small_writes{
    {.code = "RAID009",
     .slug = "parity-small-writes",
     .severity = Severity::notice,
     .impact = 4,
     .summary = "a parity set carries a load of small writes",
     .why =
         "A write that does not cover a whole stripe has to read the old data and parity, or the rest of the "
         "stripe, before it can write: 4 operations in place of 1 on RAID 4 and 5, 6 on RAID 6, and a turn "
         "of the disk between reading and writing a sector. Journals, mail, databases and unpacking source "
         "trees do little else.",
     .cost = "raidctl(8): a short write takes 2 to 4 times as long as a full-stripe write. md RAID 6 of ten "
             "disks, random writes: 19.6 MB/s in full stripes, 0.12 to 0.17 MB/s in 4 KiB (kernel commit "
             "that added RMW to RAID 6).",
     .remedy =
         "Mirrors for such loads; otherwise larger writes, fewer commits, or a protected write-back cache.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 16384, "spares": 1, "autoconfigure": true, "parity_map": true, "state": "optimal"}], "io_traces": [{"device": "raid0", "interval_s": 10, "samples": [{"writes_per_s": 130, "write_kb_per_s": 1040}]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 16384, "spares": 1, "autoconfigure": true, "parity_map": true, "state": "optimal"}], "io_traces": [{"device": "raid0", "interval_s": 10, "samples": [{"writes_per_s": 130, "write_kb_per_s": 8320}]}]})",
     .references = "raidctl(8), md(4), raid(4)"},
    check};

}  // namespace diskwright
