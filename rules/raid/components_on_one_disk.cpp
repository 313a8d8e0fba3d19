// SPDX-License-Identifier: BSD-2-Clause
// RAID006: two components of one set on the same disk.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

bool is_striped_or_redundant(const Volume& set) {
    if (set.kind.is(VolumeKind::hardware) || set.kind.is(VolumeKind::crypto)) return false;
    if (set.kind.is(VolumeKind::zfs)) return true;  // a pool stripes over whatever it is given
    return set.level && !set.level.is(RaidLevel::concat);
}

// Labels, WWNs and the like say nothing of the disk unless the input lists them as partitions.
bool names_a_disk(const StorageGraph& graph, std::string_view name) {
    if (name.empty()) return false;
    if (graph.partition(name) || graph.volume(name) || graph.disk(name)) return true;
    static constexpr std::array<std::string_view, 5> sets{"mirror/", "stripe/", "raid3/", "concat/", "raid/"};
    if (std::any_of(sets.begin(), sets.end(), [&](std::string_view s) { return name.starts_with(s); }))
        return true;
    return name.find_first_of("/:#-") == std::string_view::npos;
}

// On a linear set or a volume group of several disks nothing tells on which of them a part lies.
bool place_is_certain(const StorageGraph& graph, std::string_view device) {
    std::set<std::string> seen;
    std::vector<std::string> open{device_name(device)};
    while (!open.empty()) {
        const std::string name = std::move(open.back());
        open.pop_back();
        if (!seen.insert(name).second) continue;
        const Volume* v = graph.on_volume(name).volume;
        if (!v || v->kind.is(VolumeKind::hardware)) continue;
        const bool linear =
            v->level.is(RaidLevel::concat) || v->kind.is(VolumeKind::gconcat) || v->kind.is(VolumeKind::lvm);
        if (linear && v->components.size() > 1) return false;
        for (const Component& c : v->components)
            if (!c.name.empty()) open.push_back(device_name(c.name));
    }
    return true;
}

void check_set(const RuleContext& context, const Volume& set, Findings& out) {
    std::map<std::string, std::vector<const Component*>> on_disk;
    for (const Component* c : data_components(set)) {
        if (c->state.is(ComponentState::failed) || c->state.is(ComponentState::missing)) continue;
        const std::string name = device_name(c->name);
        if (!names_a_disk(context.graph, name) || !place_is_certain(context.graph, name)) continue;
        for (const std::string& disk : context.graph.disks_under(name)) on_disk[disk].push_back(c);
    }
    std::string shared;
    std::set<const Component*> sharing, to_move;
    for (const auto& [disk, components] : on_disk) {
        if (components.size() < 2) continue;
        shared += (shared.empty() ? "" : ", ") + disk;
        for (std::size_t i = 0; i < components.size(); ++i) {
            sharing.insert(components[i]);
            if (i > 0) to_move.insert(components[i]);
        }
    }
    if (sharing.empty()) return;
    auto report = out.report(set.name);
    const bool redundant = is_redundant(set);
    report.message(fmt::format("{} components lie on the same disk ({}): {}", sharing.size(), shared,
                               redundant
                                   ? "when it fails, the set loses several at once and its data with them"
                                   : "its heads travel between them instead of sharing the load"));
    if (!redundant) report.at_most(Severity::warning).impact(3);
    for (const Component& c : set.components) {
        if (!sharing.contains(&c)) continue;
        const Partition* p = context.graph.partition(c.name);
        report.evidence(p && p->start_bytes ? p->start_bytes.from() : source_of(c));
        if (to_move.contains(&c)) report.change(Setting::raid_component_move, set.name, c.name);
    }
    report.evidence(source_of(set))
        .note(
            "a component can only move to another disk by a rebuild there, one at a time, and that only "
            "where the rest still holds all data; otherwise make the set anew");
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes)
        if (is_striped_or_redundant(set)) {
            // A controller shows no disks.
            if (data_components(set).empty() && !set.kind.is(VolumeKind::hardware))
                out.skip(set.name, {status_command(set)});
            check_set(context, set, out);
        }
}

}  // namespace

extern const Rule raid_components_on_one_disk;
const Rule raid_components_on_one_disk{
    {.code = "RAID006",
     .slug = "components-on-one-disk",
     .severity = Severity::error,
     .impact = 800,
     .summary = "two components of one set lie on the same disk",
     .why = "A set protects against the loss of one disk (two on RAID 6). Components that share a disk are "
            "lost together, so a RAID 5 with two of them on one disk has no redundancy at all, and a stripe "
            "makes that disk's heads seek between its parts. Sets below count too: a stripe over arrays that "
            "are slices of the same disks. Linear volumes, logs, caches and spares do not.",
     .cost = "All data with the first failure of that disk; on a stripe each request on the shared disk pays "
             "a long seek. No figure is published.",
     .remedy = "One component per disk: move the surplus ones to other disks, or make a set that fits the "
               "disks there are.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 16384, "spares": 1, "autoconfigure": true, "parity_map": true, "state": "optimal", "components": [{"name": "wd0e", "state": "optimal"}, {"name": "wd0f", "state": "optimal"}, {"name": "wd1e", "state": "optimal"}]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 16384, "spares": 1, "autoconfigure": true, "parity_map": true, "state": "optimal", "components": [{"name": "wd0e", "state": "optimal"}, {"name": "wd1e", "state": "optimal"}, {"name": "wd2e", "state": "optimal"}]}]})",
     .references = "raidctl(8), md(4)"},
    check};

}  // namespace diskwright
