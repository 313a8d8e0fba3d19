// SPDX-License-Identifier: BSD-2-Clause
// RAID020: a gmirror that reads from one disk only, or cuts small reads in pieces.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// To prefer a solid-state disk over a rotating one is what "prefer" is for.
bool halves_differ(const RuleContext& context, const Volume& set) {
    bool rotating = false, solid = false;
    for (const Component& c : set.components) {
        if (c.name.empty()) continue;
        const Flag rotational = context.graph.medium(c.name).rotational;
        rotating = rotating || rotational.is(true);
        solid = solid || rotational.is(false);
    }
    return rotating && solid;
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (!set.kind.is(VolumeKind::gmirror) || !set.balance) continue;
        if (*set.balance == "prefer") {
            if (halves_differ(context, set)) continue;
            out.report(set.name)
                .message("all reads go to the component of the highest priority; the others only write")
                .evidence(set.balance)
                .change(Setting::gmirror_balance, set.name, std::string("load"));
        } else if (*set.balance == "split") {
            if (!set.balance_slice_bytes) {
                out.skip(set.name, {status_command(set)});
                continue;
            }
            if (*set.balance_slice_bytes >= context.thresholds.gmirror_slice_bytes) continue;
            out.report(set.name)
                .message(fmt::format("reads above {} are cut and each piece moves the heads of another disk",
                                     human_size(*set.balance_slice_bytes)))
                .evidence(set.balance)
                .evidence(set.balance_slice_bytes)
                .change(Setting::gmirror_balance, set.name, std::string("load"))
                .note("or keep split with slices of 128 KiB and more (gmirror configure -s 131072)");
        }
    }
}

}  // namespace

extern const Rule raid_mirror_balance_poor;
const Rule raid_mirror_balance_poor{
    {.code = "RAID020",
     .slug = "mirror-balance-poor",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "gmirror reads from one disk only, or splits small reads",
     .why = "With 'prefer' one disk serves all reads while the other idles; it is meant for halves of very "
            "different speed (a solid-state disk beside a rotating one). With 'split' every read above the "
            "slice is cut into as many pieces as there are disks: with the default slice of 4096 bytes each "
            "read keeps all disks busy and gains nothing. 'load' sends a read to the less busy disk.",
     .cost = "Reads run at the speed of one disk in place of two when several processes read. No figure is "
             "published.",
     .remedy = "gmirror configure -b load, in place.",
     .bad =
         R"({"os": {"name": "freebsd"}, "volumes": [{"name": "mirror/gm0", "kind": "gmirror", "level": "1", "state": "optimal", "balance": "prefer"}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "volumes": [{"name": "mirror/gm0", "kind": "gmirror", "level": "1", "state": "optimal", "balance": "load", "balance_slice_bytes": 4096}]})",
     .references = "gmirror(8)"},
    check};

}  // namespace diskwright
