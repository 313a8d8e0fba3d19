// SPDX-License-Identifier: BSD-2-Clause
// RAID017: a set made of sets that is to come up by itself.
#include <fmt/format.h>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check_raidframe(const Volume& set, const Component& layered, Findings& out) {
    const bool root = set.root && !set.root->empty() && *set.root != "No" && *set.root != "no";
    if (!root && !set.autoconfigure.is(true) && !set.boot_wanted.is(true)) return;
    auto report = out.report(set.name);
    report
        .message(fmt::format("the set lies on another set ({}): the kernel configures no such set by itself, "
                             "and root can't be on it",
                             name_of(layered)))
        .evidence(source_of(layered));
    if (root) report.evidence(set.root).change(Setting::raid_root, set.name, std::string("No"));
    if (set.autoconfigure.is(true))
        report.evidence(set.autoconfigure).change(Setting::raid_autoconfigure, set.name, false);
    report.evidence(set.boot_wanted).evidence(source_of(set));
    report.note(
        "configure it from rc.conf (raidframe=YES and /etc/raidN.conf) after the sets below, and put root on "
        "a mirror of its own. For a stripe of mirrors no layers are needed: RAID level 1 with four or more "
        "components is one, and may be autoconfigured");
}

bool carries_root(const RuleContext& context, const Volume& set) {
    const auto on_it = [&](std::string_view device) {
        return context.graph.on_volume(device).volume == &set;
    };
    for (const Mount& m : context.host.mounts)
        if (m.point == "/" && m.device && on_it(*m.device)) return true;
    for (const FstabEntry& e : context.host.fstab)
        if (e.point == "/" && on_it(e.device)) return true;
    return false;
}

bool is_softraid(const Volume& set) {
    return set.kind.is(VolumeKind::softraid) ||
           (set.kind.is(VolumeKind::crypto) && set.crypto_format.is("softraid"));
}

void check_softraid(const RuleContext& context, const Volume& set, Findings& out) {
    for (const Component& c : set.components) {
        const Volume* below = c.name.empty() ? nullptr : context.graph.on_volume(c.name).volume;
        if (!below || below == &set || !is_softraid(*below)) continue;
        if (!set.boot_wanted.is(true) && !carries_root(context, set)) return;
        out.report(set.name)
            .message(fmt::format(
                "the volume lies on another softraid volume ({}): neither the boot loader nor the kernel "
                "assembles such a one at boot",
                below->name))
            .evidence(source_of(c))
            .evidence(set.boot_wanted)
            .evidence(source_of(set))
            .note(
                "boot from a plain RAID 1 or CRYPTO volume; RAID1C (OpenBSD 6.8 and later) is mirror and "
                "encryption in one");
        return;
    }
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (is_softraid(set)) check_softraid(context, set, out);
        if (!set.kind.is(VolumeKind::raidframe)) continue;
        if (const Component* layered = component_on_set(context.graph, set))
            check_raidframe(set, *layered, out);
    }
}

}  // namespace

extern const Rule raid_layered_set_limits;
const Rule raid_layered_set_limits{
    {.code = "RAID017",
     .slug = "layered-set-limits",
     .severity = Severity::notice,
     .impact = 5,
     .summary = "a set on top of sets is wanted at boot",
     .why = "The NetBSD kernel looks for RAIDframe components on disks and wedges once, before any set "
            "exists; a set whose components are other sets is not found and has to be configured from a file "
            "later. So root can't be on it, and the autoconfigure flag does nothing. OpenBSD's softraid "
            "likewise assembles no volume on a volume at boot.",
     .cost = "A system that does not come up.",
     .remedy = "Root on a simple RAID 1; the layered set from rc.conf, or RAIDframe level 1 with an even "
               "number of components of four or more, which is a stripe of mirrors in one set.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "columns": 2, "data_disks": 2, "stripe_unit_bytes": 65536, "autoconfigure": true, "root": "Force", "state": "optimal", "components": [{"name": "raid1a", "state": "optimal"}, {"name": "raid2a", "state": "optimal"}]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "columns": 2, "data_disks": 2, "stripe_unit_bytes": 65536, "autoconfigure": false, "root": "No", "state": "optimal", "components": [{"name": "raid1a", "state": "optimal"}, {"name": "raid2a", "state": "optimal"}]}]})",
     .references = "raidctl(8), raid(4), softraid(4), boot(8)"},
    check};

}  // namespace diskwright
