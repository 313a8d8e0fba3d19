// SPDX-License-Identifier: BSD-2-Clause
// RAID021: RAIDframe RAID 4 or 5 of one or two components.
#include <fmt/format.h>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (!set.kind.is(VolumeKind::raidframe) || !has_parity_units(set)) continue;
        const auto columns = columns_of(set);
        if (!columns) out.skip(set.name, {status_command(set)});
        if (!columns || *columns == 0 || *columns > 2) continue;
        auto report = out.report(set.name);
        report.evidence(set.level).evidence(set.columns).evidence(source_of(set));
        if (*columns == 1) {
            report.message("a parity set of one component: the kernel panics when it is used")
                .note("use the disk as it is");
        } else {
            report
                .message(
                    "a parity set of two components: writes that do not begin at a stripe unit leave the "
                    "parity wrong, so a rebuild returns garbage")
                .change(Setting::raid_level, set.name, std::string("1"))
                .note(
                    "save the data, make a RAID 1 of the two, initialise its parity, restore. RAIDframe "
                    "can't add a third component to a RAID 5 later in any case");
        }
    }
}

}  // namespace

extern const Rule raid_parity_set_too_small;
const Rule raid_parity_set_too_small{
    {.code = "RAID021",
     .slug = "parity-set-too-small",
     .severity = Severity::error,
     .impact = 900,
     .summary = "RAIDframe RAID 4 or 5 with one or two components",
     .why = "raidctl takes such a configuration without a word. With two components any write that does not "
            "start at the start of a stripe unit leaves wrong parity; with one the kernel panics later. "
            "Measured with RAIDframe of NetBSD 7.99.34.",
     .cost = "The contents of a failed disk are rebuilt from wrong parity.",
     .remedy = "RAID 1 for two disks; three or more for RAID 5.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 2, "data_disks": 1, "stripe_unit_bytes": 32768, "spares": 1, "autoconfigure": true, "parity_map": true, "parity_clean": true, "state": "optimal"}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "1", "columns": 2, "data_disks": 1, "stripe_unit_bytes": 32768, "autoconfigure": true, "parity_map": true, "parity_clean": true, "state": "optimal"}]})",
     .references = "raidctl(8), NetBSD sys/dev/raidframe/rf_raid5.c"},
    check};

}  // namespace diskwright
