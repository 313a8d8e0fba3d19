// SPDX-License-Identifier: BSD-2-Clause
// RAID016: too many components for so little parity.
#include <fmt/format.h>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (!is_parity(set)) continue;
        const auto columns = columns_of(set);
        if (!columns) out.skip(set.name, {status_command(set)});
        const bool two = set.level.is(RaidLevel::raid6);
        const std::uint64_t most =
            two ? context.thresholds.double_parity_components : context.thresholds.single_parity_components;
        if (!columns || *columns <= most) continue;
        out.report(set.name)
            .message(fmt::format(
                "{} components share {}: the more there are, the likelier it is that another one fails, or "
                "can't be read, before a rebuild ends",
                *columns, two ? "two parities" : "one parity"))
            .evidence(set.columns)
            .evidence(set.level)
            .evidence(source_of(set))
            .note(fmt::format("two or more sets of at most {} components each, under a stripe or a volume "
                              "group, rebuild sooner and lose less; that means making it again",
                              most));
    }
}

}  // namespace

extern const Rule raid_set_too_wide;
const Rule raid_set_too_wide{
    {.code = "RAID016",
     .slug = "set-too-wide",
     .severity = Severity::notice,
     .impact = 2,
     .summary = "single parity over more than 9 components, or double parity over more than 18",
     .why = "During a rebuild every sector of every other component has to be read. The chance of a second "
            "failure or an unreadable sector grows with their number and size, and so does the time it "
            "takes. A wide stripe also makes full-stripe writes rare, so that nearly all writes read first.",
     .cost = "Longer exposure at each failure. One report: a check of 36 disks of 14 TB in a RAID 6 would "
             "have taken 4 days at 38 MB/s a disk.",
     .remedy = "Several smaller sets under a stripe, or RAID 6 in place of RAID 5.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 10, "data_disks": 9, "stripe_unit_bytes": 65536, "spares": 1, "parity_map": true, "state": "optimal"}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "6", "columns": 10, "data_disks": 8, "stripe_unit_bytes": 65536, "spares": 1, "parity_map": true, "state": "optimal"}]})",
     .references = "md(4), raidctl(8)"},
    check};

}  // namespace diskwright
