// SPDX-License-Identifier: BSD-2-Clause
// RAID014: a component failed, a spare is there, and nobody told it.
#include <fmt/format.h>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        // The members of a set that does not run are listed as spares; a waiting rebuild has been told.
        if (is_inactive(set) || set.kind.is(VolumeKind::zfs)) continue;
        if (set.level && !is_redundant(set)) continue;
        const Losses losses = diskwright::losses(set);
        if (losses.lost.empty() || !losses.rebuilding.empty()) continue;
        if (set.activity && *set.activity != Activity::check && !set.activity_progress.is(Progress::paused))
            continue;
        const auto idle = idle_spares(set);
        if (!idle && takes_spares(set)) out.skip(set.name, {status_command(set)});
        if (!idle || *idle == 0) continue;
        const Component& failed = *losses.lost.front();
        const Component* spare = nullptr;
        for (const Component& c : set.components)
            if (!spare && c.state.is(ComponentState::spare)) spare = &c;
        auto report = out.report(set.name);
        report
            .message(fmt::format("{} is lost while {} stands by unused", name_of(failed),
                                 spare ? name_of(*spare) : "a spare"))
            .evidence(failed.state)
            .evidence(spare ? spare->state.from() : set.spares.from())
            .evidence(set.spares);
        if (set.kind.is(VolumeKind::hardware))
            report.note("start the rebuild with the controller's own tool");
        else
            report.change(Setting::raid_rebuild, set.name, failed.name)
                .note(set.kind.is(VolumeKind::md) ? "md starts by itself as a rule: see whether sync_action "
                                                    "says frozen or the spare is too small"
                                                  : "the set can be used during the rebuild");
    }
}

}  // namespace

extern const Rule raid_spare_idle;
const Rule raid_spare_idle{
    {.code = "RAID014",
     .slug = "spare-idle",
     .severity = Severity::warning,
     .impact = 600,
     .summary = "a component failed while a spare stands unused",
     .why =
         "RAIDframe does not rebuild by itself: a hot spare is only taken when the administrator says so "
         "(raidctl -F). Until then the set runs without redundancy although all that is needed is there. "
         "softraid, md and controllers start alone when the failure happens, unless rebuilding was frozen, "
         "the spare is too small, or it was added afterwards (bioctl -R).",
     .cost = "All data at the next failure.",
     .remedy = "raidctl -F the failed component; it stays listed as failed with the spare in use, which is "
               "right. Later replace the disk and copy back or make it the new spare.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 16384, "autoconfigure": true, "parity_map": true, "spares": 1, "state": "degraded", "components": [{"name": "sd1e", "state": "optimal"}, {"name": "sd2e", "state": "failed"}, {"name": "sd3e", "state": "optimal"}, {"name": "sd4e", "state": "spare"}]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 16384, "autoconfigure": true, "parity_map": true, "spares": 1, "state": "optimal", "components": [{"name": "sd1e", "state": "optimal"}, {"name": "sd2e", "state": "failed"}, {"name": "sd3e", "state": "optimal"}, {"name": "sd4e", "state": "used_spare"}]}]})",
     .references = "raidctl(8), bioctl(8), md(4)"},
    check};

}  // namespace diskwright
