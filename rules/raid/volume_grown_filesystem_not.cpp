// SPDX-License-Identifier: BSD-2-Clause
// RAID018: the set was grown and the file system does not know.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/raid/stripe_geometry.hpp"

namespace diskwright {
namespace {

// What the file system could fill: its partition, or the set when it is the only one there.
Number room_for(const RuleContext& context, const Filesystem& fs, const Volume& set) {
    if (same_device(fs.device, set.name)) return set.size_bytes;
    const Partition* own = context.graph.partition(fs.device);
    if (!own) return {};
    if (own->size_bytes) return own->size_bytes;
    std::size_t beside = 0;
    for (const Partition& p : context.host.partitions)
        if (&p != own && context.graph.on_volume(p.name).volume == &set) ++beside;
    const std::uint64_t start = own->start_bytes.value_or(0);
    if (beside > 0 || !set.size_bytes || *set.size_bytes <= start) return {};
    return Number(*set.size_bytes - start, set.size_bytes.from());
}

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        const Volume* set = context.graph.on_volume(fs.device).volume;
        if (!set || set->kind.is(VolumeKind::zfs) || fs.type.is("zfs")) continue;
        const Number room = room_for(context, fs, *set);
        if (room && !fs.size_bytes && is_ffs(fs)) out.skip(fs.device, {superblock_command(context, fs)});
        const bool comparable = fs.size_bytes && room && *room > *fs.size_bytes;
        const std::uint64_t lacking = comparable ? *room - *fs.size_bytes : 0;
        const bool smaller = lacking > context.thresholds.unused_above_bytes &&
                             100.0 * static_cast<double>(lacking) >
                                 context.thresholds.unused_share_percent * static_cast<double>(*room);
        const auto geometry = stripe_geometry(context, fs);
        const bool older = geometry && geometry->older_disks;
        if (!smaller && !older) continue;
        auto report = out.report(fs.device);
        if (smaller) {
            report
                .message(
                    fmt::format("the file system has {}, {} has {}: {} were added below and are not used",
                                human_size(*fs.size_bytes),
                                same_device(fs.device, set->name) ? set->name : "its partition",
                                human_size(*room), human_size(lacking)))
                .evidence(fs.size_bytes)
                .evidence(room)
                .change(Setting::filesystem_size, fs.device, std::uint64_t{0});
        } else {
            report.message(fmt::format("the file system is still laid out for {} data disks, the set has {}",
                                       *geometry->older_disks, *geometry->set->data_disks));
        }
        if (older)
            report.evidence(geometry->width)
                .evidence(geometry->set->data_disks)
                .change(geometry->unit_setting, fs.device, *geometry->set->stripe_unit_bytes)
                .change(geometry->width_setting, fs.device, geometry->right_width);
        report.note(
            "growing takes place on the mounted file system with XFS and ext4; FFS has to be unmounted or "
            "read-only except with growfs on FreeBSD. Have a backup");
    }
}

}  // namespace

extern const Rule raid_volume_grown_filesystem_not;
const Rule raid_volume_grown_filesystem_not{
    {.code = "RAID018",
     .slug = "volume-grown-filesystem-not",
     .severity = Severity::warning,
     .impact = 1.4,
     .summary = "the file system is smaller than the volume it lies on, or laid out for fewer disks",
     .why = "Growing a set takes three steps: the set, the partition, the file system. The last is easily "
            "forgotten, and df then shows the old size for years. The same goes for the stripe width that "
            "ext4 and XFS remember: after the set got more disks it is that of the old one.",
     .cost = "The space between; with an old width, large writes that no longer fill whole stripes. No "
             "figure is published.",
     .remedy = "xfs_growfs, resize2fs, growfs (FreeBSD), resize_ffs (NetBSD), growfs (OpenBSD); then the "
               "stripe width with tune2fs -E or the XFS mount options.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 524288, "size_bytes": 8001054310400, "spares": 1, "parity_map": true, "state": "optimal"}], "filesystems": [{"device": "md0", "type": "xfs", "bsize": 4096, "size_bytes": 6000790732800}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 524288, "size_bytes": 8001054310400, "spares": 1, "parity_map": true, "state": "optimal"}], "filesystems": [{"device": "md0", "type": "xfs", "bsize": 4096, "size_bytes": 8001054310400}]})",
     .references = "xfs_growfs(8), resize2fs(8), growfs(8), resize_ffs(8), mdadm(8)"},
    check};

}  // namespace diskwright
