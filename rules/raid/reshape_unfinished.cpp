// SPDX-License-Identifier: BSD-2-Clause
// RAID019: a change of level, width or chunk that stopped half way.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        const bool reshaping = set.activity.is(Activity::reshape);
        const bool stopped =
            reshaping && set.activity_progress && *set.activity_progress != Progress::running;
        // While it runs the members record it as well: that is RAID011.
        if (reshaping && !stopped && !is_inactive(set)) continue;
        if (!set.reshape_position_bytes && !stopped) continue;
        auto report = out.report(set.name);
        std::string message = "a reshape was begun and not finished";
        if (set.reshape_change) message += fmt::format(" ({})", *set.reshape_change);
        if (set.reshape_position_bytes)
            message += fmt::format(", it stopped at {}", human_size(*set.reshape_position_bytes));
        report.message(message)
            .evidence(set.reshape_position_bytes)
            .evidence(set.reshape_change)
            .evidence(stopped ? set.activity_progress.from() : Provenance{})
            .change(Setting::raid_reshape_continue, set.name, true)
            .note(
                "assemble with all members, and with the backup file when --grow was given one; never create "
                "the set anew over them: before the position the data lies in the new order, behind it in "
                "the old one");
    }
}

}  // namespace

extern const Rule raid_reshape_unfinished;
const Rule raid_reshape_unfinished{
    {.code = "RAID019",
     .slug = "reshape-unfinished",
     .severity = Severity::warning,
     .impact = 400,
     .summary = "members record a reshape or level change that was not finished",
     .why = "mdadm --grow moves every stripe to its new place and notes in each member how far it got. After "
            "a crash the set goes on from there when it is assembled, as long as all members (and the backup "
            "file, where one was used) are there; otherwise it stays inactive. Until it is done, half of the "
            "set is in the old order and half in the new.",
     .cost = "A set that does not start; all data if it is created anew by hand over a half-moved set.",
     .remedy =
         "mdadm --assemble with all members, --backup-file where one was used, then mdadm --grow --continue.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 524288, "spares": 1, "parity_map": true, "state": "inactive", "reshape_position_bytes": 5368709120, "reshape_change": "raid devices 4->5"}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 524288, "spares": 1, "parity_map": true, "state": "optimal", "activity": "reshape", "activity_progress": "running", "reshape_position_bytes": 5368709120}]})",
     .references = "mdadm(8), md(4)"},
    check};

}  // namespace diskwright
