// SPDX-License-Identifier: BSD-2-Clause
// RAID004: nothing stands by for the next failure.
#include <algorithm>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        // The members of a set that does not run are all listed as spares.
        if (is_inactive(set)) continue;
        // Nothing can be rebuilt any more, and nothing is to be written (RAID001).
        if (set.state.is(VolumeState::failed)) continue;
        const Losses losses = diskwright::losses(set);
        const bool lacks_one = is_redundant(set) && losses.rebuilding.empty() &&
                               (!losses.lost.empty() || set.state.is(VolumeState::degraded));
        const bool unknown_level = !set.level && !losses.lost.empty() && set.state.is(VolumeState::degraded);
        const bool parity = is_parity(set) && !set.kind.is(VolumeKind::graid3);
        if (!parity && !lacks_one && !unknown_level) continue;
        if (!set.kind) {
            out.skip(set.name, {status_command(set)});
            continue;
        }
        std::optional<std::uint64_t> idle = idle_spares(set);
        if (!takes_spares(set))
            idle = 0;  // gmirror and graid3 know no hot spare; it is a disk to be inserted
        if (!idle) {
            if (set.kind.is(VolumeKind::md) || set.kind.is(VolumeKind::raidframe) ||
                set.kind.is(VolumeKind::softraid))
                out.skip(set.name, {status_command(set)});
            continue;
        }
        // A spare that took a failed disk's place did what it was for; the disk to replace is known.
        const bool one_in_use =
            std::any_of(set.components.begin(), set.components.end(),
                        [](const Component& c) { return c.state.is(ComponentState::used_spare); });
        if (*idle > 0 || (one_in_use && losses.lost.empty())) continue;
        auto report = out.report(set.name);
        report.evidence(set.spares).evidence(source_of(set));
        if (!losses.lost.empty()) {
            report.message("the set lacks a component and has no spare to rebuild on")
                .evidence(losses.lost.front()->state);
            if (set.kind.is(VolumeKind::hardware)) {
                report.note("give the controller a spare with its own tool");
            } else if (takes_spares(set) && !set.kind.is(VolumeKind::softraid) &&
                       !set.kind.is(VolumeKind::zfs)) {
                report.change(Setting::raid_spare, set.name, std::string{})
                    .change(Setting::raid_rebuild, set.name, losses.lost.front()->name);
            } else {
                // bioctl -R, zpool replace and graid3 insert rebuild on a new disk at once: the same advice
                // as for the loss itself (RAID001).
                report.change(Setting::raid_add_component, set.name, std::string{});
            }
        } else {
            report.message(
                "no spare stands by: from a failure until somebody comes, the set has less redundancy");
            if (takes_spares(set) && !set.kind.is(VolumeKind::hardware) && !is_only_configured(set))
                report.change(Setting::raid_spare, set.name, std::string{});
            else
                report.note(is_only_configured(set)
                                ? "name it under START spare and count it in the array line"
                                : "assign one with the controller's own tool");
        }
    }
}

}  // namespace

extern const Rule raid_no_spare;
const Rule raid_no_spare{
    {.code = "RAID004",
     .slug = "no-spare",
     .severity = Severity::info,
     .impact = 2,
     .summary = "a parity set, or any degraded set, has no spare",
     .why =
         "With a spare the rebuild can begin at once; without one a set stays unprotected until somebody has "
         "found and built in a disk. Whether that matters depends on how near the administrator is, hence no "
         "more than a remark. md, softraid, ZFS (with zfsd or zed running) and hardware controllers start by "
         "themselves; RAIDframe has to be told.",
     .cost = "The hours between the failure and the start of the rebuild, in which the next failure loses "
             "data. No figure is published.",
     .remedy = "raidctl -a, mdadm --add, bioctl -H, zpool add POOL spare with a device at least as large as "
               "the others. gmirror and graid3 have no spares: keep a disk ready, for gmirror insert and "
               "graid3 insert.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 65536, "parity_map": true, "spares": 0, "state": "optimal"}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 65536, "parity_map": true, "spares": 1, "state": "optimal"}]})",
     .references = "raidctl(8), mdadm(8), bioctl(8), zpool(8), graid3(8)"},
    check};

}  // namespace diskwright
