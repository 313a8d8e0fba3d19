// SPDX-License-Identifier: BSD-2-Clause
// RAID005: a RAIDframe set that the kernel does not configure by itself.
#include <fmt/format.h>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (!set.kind.is(VolumeKind::raidframe) || set.autoconfigure.is(true)) continue;
        // The kernel looks for components on disks and wedges only, not on other sets.
        if (component_on_set(context.graph, set)) continue;
        if (!set.autoconfigure) {
            if (!is_only_configured(set) && set.level &&
                (!context.host.os.name || context.host.is(Os::netbsd)))
                out.skip(set.name, {status_command(set)});
            continue;
        }
        std::string note = "its components must be of type RAID in the label (raidframe in a GPT)";
        for (const Component& c : set.components) {
            const Partition* p = c.name.empty() ? nullptr : context.graph.partition(c.name);
            if (p && p->type && *p->type != "RAID" && *p->type != "raidframe" && *p->type != "raid")
                note =
                    fmt::format("{} is of type {}: set it to RAID first, or the kernel does not look there",
                                name_of(c), *p->type);
        }
        out.report(set.name)
            .message(
                "the kernel does not configure the set by itself: it depends on a configuration file and on "
                "disk names that stay")
            .evidence(set.autoconfigure)
            .change(Setting::raid_autoconfigure, set.name, true)
            .note(note);
    }
}

}  // namespace

extern const Rule raid_autoconfig_off;
const Rule raid_autoconfig_off{
    {.code = "RAID005",
     .slug = "autoconfig-off",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "a RAIDframe set is not autoconfigured",
     .why = "An autoconfigured set is found by the labels of its components, wherever the disks are "
            "attached. Without it the set is built from a file by device name: another controller or one "
            "dead disk moves the names, and the wrong disks, or too few, are taken. Sets made of other sets "
            "can't be autoconfigured and are left out.",
     .cost =
         "A set that does not come up, or comes up degraded, after a change of hardware; no loss of speed.",
     .remedy = "raidctl -A yes; the components' partitions must be of type RAID.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "columns": 2, "autoconfigure": false, "state": "optimal"}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "columns": 2, "autoconfigure": true, "state": "optimal"}]})",
     .references = "raidctl(8), raid(4)"},
    check};

}  // namespace diskwright
