// SPDX-License-Identifier: BSD-2-Clause
// ALIGN004: the component starts on a physical sector, but what its driver reserves in front of the data does
// not end on one.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/placement.hpp"
#include "rules/rule.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

// The tool's own choice is aligned where it has one.
std::string_view what_to_create(const Volume& volume) {
    if (volume.kind.is(VolumeKind::md))
        return "create the set again without --data-offset (mdadm's own choice is aligned)";
    if (volume.kind.is(VolumeKind::lvm))
        return "create the physical volume again without --dataalignment and --dataalignmentoffset "
               "(pvcreate's own choice is 1 MiB)";
    if (volume.kind.is(VolumeKind::crypto) && volume.crypto_format &&
        volume.crypto_format->starts_with("LUKS"))
        return "format the device again without --offset and --align-payload (cryptsetup's own choice is "
               "aligned)";
    return "create the set again on components whose start makes up for the reserved area";
}

void judge_component(const RuleContext& context, const Volume& volume, const Component& component,
                     Findings& out) {
    const Number start = context.graph.start_on_disk(component.name),
                 data = component_data_start(context.graph, volume, component);
    if (!start || !data) return;
    const auto medium = context.graph.medium(component.name);
    const bool known = medium.physical_sector_bytes.known();
    const std::uint64_t sector = medium.physical_sector_bytes.value_or(4096);
    if (sector == 0) return;
    const std::uint64_t offset = medium.physical_offset_bytes.value_or(0) % sector;
    // A bad start of the partition itself is ALIGN001's.
    if (*start % sector != offset || *data % sector == offset) return;
    auto report = out.report(component.name);
    report
        .message(fmt::format(
            "the partition is aligned, but its data in {} begins at byte {} of the disk, no multiple of {}",
            volume.name, *data, sector))
        .evidence(start)
        .evidence(component.data_offset_bytes.known() ? component.data_offset_bytes.from()
                                                      : volume.kind.from())
        .evidence(medium.physical_sector_bytes);
    if (!known) report.conditional("physical sector is 4096");
    std::string note = fmt::format("{}, after saving the data", what_to_create(volume));
    if (!known)
        note += fmt::format("; {} shows the physical sector",
                            sector_command(context.host, disk_name(component.name)));
    report.note(std::move(note));
}

// Where an md member keeps its data is in its own metadata.
void ask_members(const RuleContext& context, const Volume& volume, Findings& out) {
    std::string names;
    for (const Component* c : data_components(volume))
        if (!c->name.empty() && context.graph.start_on_disk(c->name) &&
            !component_data_start(context.graph, volume, *c))
            names += " /dev/" + device_name(c->name);
    if (!names.empty()) out.skip(volume.name, {"mdadm -E" + names});
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& v : context.host.volumes) {
        for (const Component* c : data_components(v))
            if (!c->name.empty()) judge_component(context, v, *c, out);
        if (v.kind.is(VolumeKind::md)) ask_members(context, v, out);
    }
}

}  // namespace

extern const Rule align_component_data_unaligned;
const Rule align_component_data_unaligned{
    {.code = "ALIGN004",
     .slug = "component-data-unaligned",
     .severity = Severity::warning,
     .impact = 5,
     .summary = "the data area of a component does not start on a physical sector boundary",
     .why = "Most drivers keep an area of their own in front of the data of each component: RAIDframe 64 "
            "sectors, softraid 528, md, LUKS and LVM what their headers say. Those of RAIDframe and softraid "
            "are whole "
            "4096-byte sectors; an md set can be created with any offset, and old versions of mdadm chose "
            "odd ones. The partition then looks aligned while every write of the set begins and ends inside "
            "a sector.",
     .cost = "As for an unaligned partition: 3 to 10 times slower small writes on 4096-byte sectors (reports "
             "of 2010).",
     .remedy = "Create the set again with the default offset and restore the data; the offset of an existing "
               "set cannot be moved by less than a chunk.",
     .bad =
         R"({"disks": [{"name": "sdb", "physical_sector_bytes": 4096, "logical_sector_bytes": 512}], "partitions": [{"name": "sdb1", "parent": "sdb", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 1000202241024, "type": "Linux RAID"}], "volumes": [{"name": "md0", "kind": "md", "level": "1", "components": [{"name": "sdb1", "data_offset_bytes": 1049600}]}]})",
     .good =
         R"({"disks": [{"name": "sdb", "physical_sector_bytes": 4096, "logical_sector_bytes": 512}], "partitions": [{"name": "sdb1", "parent": "sdb", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 1000202241024, "type": "Linux RAID"}], "volumes": [{"name": "md0", "kind": "md", "level": "1", "components": [{"name": "sdb1", "data_offset_bytes": 1048576}]}]})",
     .references = "md(4), mdadm(8) --data-offset; NetBSD sys/dev/raidframe (protected sectors), OpenBSD "
                   "sys/dev/softraidvar.h"},
    check};

}  // namespace diskwright
