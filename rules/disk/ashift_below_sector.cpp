// SPDX-License-Identifier: BSD-2-Clause
// ZFS001: a pool that writes in units smaller than the physical sector.
#include <fmt/format.h>

#include "rules/rule.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t largest_ashift = 16;

void check(const RuleContext& context, Findings& out) {
    for (const Volume& v : context.host.volumes) {
        if (!v.kind.is(VolumeKind::zfs) || !v.ashift || *v.ashift > largest_ashift) continue;
        const std::uint64_t unit = std::uint64_t{1} << *v.ashift;
        const auto medium = context.graph.medium(v.name);
        if (!medium.physical_sector_bytes) {
            std::vector<std::string> missing;
            if (unit < 4096)
                for (const auto& disk : context.graph.disks_under(v.name))
                    missing.push_back(sector_command(context.host, disk));
            if (!missing.empty()) out.skip(v.name, std::move(missing));
            continue;
        }
        if (unit >= *medium.physical_sector_bytes) continue;
        std::uint64_t wanted = *v.ashift;
        while (wanted < largest_ashift && (std::uint64_t{1} << wanted) < *medium.physical_sector_bytes)
            ++wanted;
        auto report = out.report(v.name);
        report
            .message(fmt::format("ashift {} makes writes of {} bytes on physical sectors of {}", *v.ashift,
                                 unit, *medium.physical_sector_bytes))
            .evidence(v.ashift)
            .evidence(medium.physical_sector_bytes)
            .change(Setting::zfs_ashift, v.name, wanted)
            .note(
                "ashift of an existing vdev is fixed: send the data to a new pool made with the larger one");
        if (medium.rotational.is(false)) report.at_most(Severity::notice);
    }
}

}  // namespace

extern const Rule disk_ashift_below_sector;
const Rule disk_ashift_below_sector{
    {.code = "ZFS001",
     .slug = "ashift-below-sector",
     .severity = Severity::warning,
     .impact = 1.6,
     .summary = "the ashift of a vdev is below the physical sector",
     .why = "ashift is the power of two that every ZFS allocation is a multiple of, fixed when the vdev is "
            "made. With 9 (512 bytes) on 4096-byte sectors small blocks and metadata share sectors, and each "
            "write of part of one costs a read and a rotation. It comes from disks that report 512, and from "
            "pools made before the tools knew better; a replacement disk of 4096-byte sectors inherits it.",
     .cost = "Published: 39 % of the write rate lost with ashift 9 on 4096-byte disks (openzfs issue 967).",
     .remedy = "Make a new pool with ashift=12 (Linux: zpool create -o ashift=12; FreeBSD: sysctl "
               "vfs.zfs.min_auto_ashift=12 first) and send the data over.",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada1", "physical_sector_bytes": 4096, "logical_sector_bytes": 512, "rotational": true}], "volumes": [{"name": "tank", "kind": "zfs", "ashift": 9, "components": [{"name": "ada1"}]}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada1", "physical_sector_bytes": 4096, "logical_sector_bytes": 512, "rotational": true}], "volumes": [{"name": "tank", "kind": "zfs", "ashift": 12, "components": [{"name": "ada1"}]}]})",
     .references = "zpool(8), zpoolprops(7), zdb(8) -C"},
    check};

}  // namespace diskwright
