// SPDX-License-Identifier: BSD-2-Clause
// RAID013: logical sectors that differ between components, or grow from one layer to the next.
#include <fmt/format.h>

#include <algorithm>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

Number logical_sector(const StorageGraph& graph, const Component& component) {
    if (component.logical_sector_bytes) return component.logical_sector_bytes;
    if (component.name.empty()) return {};
    if (const Volume* below = graph.on_volume(component.name).volume)
        return below->crypto_sector_bytes ? below->crypto_sector_bytes : below->logical_sector_bytes;
    return graph.medium(component.name).logical_sector_bytes;
}

bool check_components(const RuleContext& context, const Volume& set, Findings& out) {
    const Component *small = nullptr, *large = nullptr, *unknown = nullptr;
    Number smallest, largest;
    for (const Component* c : data_components(set)) {
        const Number sector = logical_sector(context.graph, *c);
        if (!sector && !c->name.empty()) unknown = c;
        if (!sector) continue;
        if (!smallest || *sector < *smallest) smallest = sector, small = c;
        if (!largest || *sector > *largest) largest = sector, large = c;
    }
    if (small && *smallest == *largest && unknown)
        out.skip(set.name, {sector_command(context.host, disk_name(unknown->name))});
    if (!small || *smallest == *largest) return false;
    out.report(set.name)
        .message(fmt::format("{} has logical sectors of {} bytes, {} of {}: the set takes the larger ones",
                             name_of(*small), *smallest, name_of(*large), *largest))
        .evidence(smallest)
        .evidence(largest)
        .note(
            "what was made for 512-byte sectors (a partition table, XFS or LUKS with sectors of 512, guests "
            "doing direct I/O) is not readable on the set. Use disks of one kind; many 4Kn disks can be "
            "reformatted to 512-byte logical sectors, which erases them");
    return true;
}

// The host's own file system or pool on a crypto layer is made for its sectors and gains by them.
bool carries_own_data(const RuleContext& context, const Volume& layer) {
    const auto on_it = [&](std::string_view device) {
        return context.graph.on_volume(device).volume == &layer;
    };
    for (const Filesystem& fs : context.host.filesystems)
        if (on_it(fs.device)) return true;
    for (const Mount& m : context.host.mounts)
        if (m.device && on_it(*m.device)) return true;
    for (const FstabEntry& e : context.host.fstab)
        if (on_it(e.device)) return true;
    for (const SwapArea& s : context.host.swap)
        if (on_it(s.device)) return true;
    for (const Volume& pool : context.host.volumes)
        if (pool.kind.is(VolumeKind::zfs))
            for (const Component& c : pool.components)
                if (!c.name.empty() && on_it(c.name)) return true;
    return false;
}

void check_layer(const RuleContext& context, const Volume& layer, Findings& out) {
    if (layer.kind.is(VolumeKind::graid3)) return;  // its sector is that of all data disks together
    const Number& logical =
        layer.crypto_sector_bytes ? layer.crypto_sector_bytes : layer.logical_sector_bytes;
    if (!logical) return;
    const Number physical = context.graph.medium(layer.name).physical_sector_bytes;
    if (!physical || *logical <= *physical) return;
    // The lowest layer that enlarges them is the one to name.
    for (const Component& c : layer.components)
        if (const Number below = logical_sector(context.graph, c); below && *below >= *logical) return;
    const bool crypto = layer.kind.is(VolumeKind::crypto) || layer.crypto_format || !layer.kind;
    if (crypto && carries_own_data(context, layer)) return;
    out.report(layer.name)
        .at_most(Severity::info)
        .message(fmt::format("the layer has logical sectors of {} bytes, the disk below has {} throughout",
                             *logical, *physical))
        .evidence(logical)
        .evidence(physical)
        .note(
            "whatever above it reads or writes 512 bytes at a time (guests with 512-byte disks and direct "
            "I/O, old tools) fails. Fine where only the host's own file systems lie on it");
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (set.kind.is(VolumeKind::zfs) || set.kind.is(VolumeKind::hardware)) continue;
        if (!check_components(context, set, out)) check_layer(context, set, out);
    }
}

}  // namespace

extern const Rule raid_sector_sizes_mixed;
const Rule raid_sector_sizes_mixed{
    {.code = "RAID013",
     .slug = "sector-sizes-mixed",
     .severity = Severity::warning,
     .impact = 1.5,
     .summary = "logical sectors differ between components, or grow from one layer to the next",
     .why = "A set of a 512-byte and a 4096-byte disk shows 4096-byte sectors: partition tables, file "
            "systems and guests made for 512 no longer fit, often noticed only when a disk is replaced. A "
            "crypto layer of 4096-byte sectors on a 512-byte disk does the same to what is above it; below "
            "the host's own file system or pool it is a good choice. graid3 and ZFS enlarge sectors by "
            "design.",
     .cost = "Nothing in speed; I/O that fails, or a set that can't be used after a disk change.",
     .remedy = "Disks with one logical sector in a set; 4096-byte crypto sectors only where everything above "
               "can work with them.",
     .bad =
         R"({"os": {"name": "linux"}, "disks": [{"name": "sda", "logical_sector_bytes": 512, "physical_sector_bytes": 4096}, {"name": "sdb", "logical_sector_bytes": 4096, "physical_sector_bytes": 4096}], "volumes": [{"name": "md0", "kind": "md", "level": "1", "columns": 2, "parity_map": true, "state": "optimal", "components": [{"name": "sda1", "state": "optimal"}, {"name": "sdb1", "state": "optimal"}]}]})",
     .good =
         R"({"os": {"name": "linux"}, "disks": [{"name": "sda", "logical_sector_bytes": 512, "physical_sector_bytes": 4096}, {"name": "sdb", "logical_sector_bytes": 512, "physical_sector_bytes": 512}], "volumes": [{"name": "md0", "kind": "md", "level": "1", "columns": 2, "parity_map": true, "state": "optimal", "components": [{"name": "sda1", "state": "optimal"}, {"name": "sdb1", "state": "optimal"}]}]})",
     .references = "md(4), cryptsetup(8), geli(8), lsblk(8)"},
    check};

}  // namespace diskwright
