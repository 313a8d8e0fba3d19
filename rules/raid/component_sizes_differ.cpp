// SPDX-License-Identifier: BSD-2-Clause
// RAID007: the smallest component decides, the rest of the larger ones lies idle.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// Drivers that use of every component what the smallest has. md RAID 0, ccd and concatenations use all of
// each.
bool cuts_to_smallest(const Volume& set) {
    if (!set.level || set.level.is(RaidLevel::concat) || !set.kind) return false;
    switch (*set.kind) {
        case VolumeKind::raidframe:
        case VolumeKind::gmirror:
        case VolumeKind::gstripe:
        case VolumeKind::graid3:
        case VolumeKind::graid:
        case VolumeKind::softraid:
            return true;
        case VolumeKind::md:
            return !set.level.is(RaidLevel::raid0);
        default:
            return false;
    }
}

std::string sizes_command(const HostFacts& host, const Volume& set) {
    const std::string disk = disk_name(data_components(set).front()->name);
    if (host.is(Os::linux_)) return "lsblk -b";
    return fmt::format("{} {}", host.is(Os::freebsd) ? "gpart show" : "disklabel", disk);
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (!cuts_to_smallest(set)) continue;
        struct Sized {
            const Component* component;
            Number size;
        };
        std::vector<Sized> sized;
        for (const Component* c : data_components(set)) {
            if (c->state.is(ComponentState::failed) || c->state.is(ComponentState::missing)) continue;
            if (Number size = component_size(context.graph, *c); size.known())
                sized.push_back({c, std::move(size)});
        }
        const Sized* smallest = nullptr;
        for (const Sized& s : sized)
            if (!smallest || *s.size < *smallest->size) smallest = &s;
        if (sized.size() < 2 && data_components(set).size() > 1)
            out.skip(set.name, {sizes_command(context.host, set)});
        if (!smallest) continue;
        std::string larger;
        std::uint64_t most = 0;
        std::vector<Provenance> evidence;
        for (const Sized& s : sized) {
            const std::uint64_t unused = *s.size - *smallest->size;
            const double share = 100.0 * static_cast<double>(unused) / static_cast<double>(*s.size);
            if (unused <= context.thresholds.unused_above_bytes ||
                share <= context.thresholds.unused_share_percent)
                continue;
            larger += (larger.empty() ? "" : ", ") + name_of(*s.component);
            most = std::max(most, unused);
            evidence.push_back(s.size.from());
        }
        if (larger.empty()) continue;
        auto report = out.report(set.name);
        report.message(fmt::format("{} of {} cannot be used, because {} is smaller", human_size(most), larger,
                                   name_of(*smallest->component)));
        for (const Provenance& from : evidence) report.evidence(from);
        report.evidence(smallest->size)
            .note(
                "cut the components to one size and give the rest to something that may share the disk's "
                "time, or replace the smaller disk and grow the set");
    }
}

}  // namespace

extern const Rule raid_component_sizes_differ;
const Rule raid_component_sizes_differ{
    {.code = "RAID007",
     .slug = "component-sizes-differ",
     .severity = Severity::notice,
     .impact = 1.1,
     .summary = "part of a component is unused because the components differ in size",
     .why = "Of every component a set uses what the smallest one has. The rest is lost, silently. Disks of "
            "one nominal size differ by a few megabytes; that is why a difference below 1 % or 1 GiB is not "
            "worth a word. md RAID 0 and concatenations use all of each disk.",
     .cost = "Space, no speed.",
     .remedy = "Components of one size; partition the larger disk and use the rest for something of its own, "
               "or replace the small disk and grow (mdadm --grow --size=max, gmirror resize).",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada0", "size_bytes": 1000204886016}, {"name": "ada1", "size_bytes": 2000398934016}], "volumes": [{"name": "mirror/gm0", "kind": "gmirror", "level": "1", "state": "optimal", "components": [{"name": "ada0", "state": "optimal"}, {"name": "ada1", "state": "optimal"}]}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada0", "size_bytes": 1000204886016}, {"name": "ada1", "size_bytes": 1000215724032}], "volumes": [{"name": "mirror/gm0", "kind": "gmirror", "level": "1", "state": "optimal", "components": [{"name": "ada0", "state": "optimal"}, {"name": "ada1", "state": "optimal"}]}]})",
     .references = "raidctl(8), gmirror(8), mdadm(8)"},
    check};

}  // namespace diskwright
