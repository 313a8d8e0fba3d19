// SPDX-License-Identifier: BSD-2-Clause
// RAID011: a set is being rebuilt, made equal or reshaped.
#include <fmt/format.h>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

std::string_view phrase(Activity activity) {
    switch (activity) {
        case Activity::rebuild:
            return "a rebuild is running";
        case Activity::resync:
            return "a resynchronisation is running";
        case Activity::reshape:
            return "a reshape is running";
        case Activity::copyback:
            return "data is being copied back from the spare";
        case Activity::parity_rewrite:
            return "the parity is being rewritten";
        case Activity::check:
            break;
    }
    return "a check is running";
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (is_inactive(set)) continue;
        const Losses losses = diskwright::losses(set);
        std::string message;
        if (set.activity) {
            // A check only reads, and one that waits or was stopped loads nobody.
            if (*set.activity == Activity::check ||
                (set.activity_progress && *set.activity_progress != Progress::running))
                continue;
            if (set.activity_percent && *set.activity_percent >= 100) continue;
            message = phrase(*set.activity);
        } else if (!losses.rebuilding.empty()) {
            message = fmt::format("{} is being rebuilt", name_of(*losses.rebuilding.front()));
        } else if (set.state.is(VolumeState::rebuilding)) {
            message = "a rebuild is running";
        } else {
            continue;
        }
        if (set.activity_percent) message += fmt::format(" ({:.1f} % done)", *set.activity_percent);
        auto report = out.report(set.name);
        report.message(message + ": until it ends the set is slow, and figures taken now say little")
            .evidence(set.activity)
            .evidence(set.activity_percent);
        for (const Component* c : losses.rebuilding) report.evidence(c->state);
        if (!set.activity && losses.rebuilding.empty()) report.evidence(set.state);
        std::string note = "it ends by itself; measure and tune afterwards";
        if (set.kind.is(VolumeKind::md))
            note +=
                ". Its share is bounded by /proc/sys/dev/raid/speed_limit_min and speed_limit_max; sets that "
                "share disks slow each other down, and md lets a second one of them wait";
        else if (set.kind.is(VolumeKind::gmirror))
            note += ". kern.geom.mirror.sync_requests sets how much it keeps in flight";
        report.note(note);
    }
}

}  // namespace

extern const Rule raid_rebuild_in_progress;
const Rule raid_rebuild_in_progress{
    {.code = "RAID011",
     .slug = "rebuild-in-progress",
     .severity = Severity::notice,
     .impact = 3,
     .summary = "a rebuild, resynchronisation or reshape is running",
     .why = "It reads and writes every disk of the set from one end to the other, and each of the host's "
            "requests takes the heads away from it and back. Slowness at that time is no sign of a wrong "
            "set-up. A check only reads and is no concern here; nor is a job that waits or was stopped. Sets "
            "on the same disks are all affected.",
     .cost = "Depends on the speed limits: one report of four md sets on six disks shows reads of 0.06 to "
             "1.3 MB/s during a rebuild at 3.8 MB/s with the drives' write caches off. RAIDframe rebuilds "
             "6.4 MB/s at HZ=100 (tech-kern, 2011).",
     .remedy = "Wait. Where the host has to work, lower md's speed limits; where it is idle, raise them.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "6", "columns": 6, "data_disks": 4, "stripe_unit_bytes": 65536, "spares": 1, "parity_map": true, "state": "optimal", "activity": "resync", "activity_progress": "running", "activity_percent": 41.2}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "6", "columns": 6, "data_disks": 4, "stripe_unit_bytes": 65536, "spares": 1, "parity_map": true, "state": "optimal", "activity": "check", "activity_progress": "running", "activity_percent": 41.2}]})",
     .references = "md(4), raidctl(8), gmirror(8)"},
    check};

}  // namespace diskwright
