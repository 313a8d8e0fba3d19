// SPDX-License-Identifier: BSD-2-Clause
// RAID010: ext4 or XFS lays out its files for another stripe than the set has.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/raid/stripe_geometry.hpp"

namespace diskwright {
namespace {

std::string shown(const Number& size) {
    return size ? human_size(*size) : "none";
}

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        const auto geometry = stripe_geometry(context, fs);
        if (const Volume* set = set_below(context.graph, fs.device);
            !geometry && set && is_striped(*set) && (fs.sunit_bytes || fs.stride_bytes) &&
            (!set->stripe_unit_bytes || stripe_widths(*set).empty()))
            out.skip(fs.device, {status_command(*set)});
        if (!geometry || (!geometry->unit_wrong && !geometry->width_wrong)) continue;
        if (geometry->older_disks) continue;  // RAID018: the set was grown, the file system not told
        const Volume& set = *geometry->set;
        auto report = out.report(fs.device);
        report
            .message(
                fmt::format("the file system is laid out for units of {} and stripes of {}, {} has {} and {}",
                            shown(geometry->unit), shown(geometry->width), set.name,
                            human_size(*set.stripe_unit_bytes), human_size(geometry->right_width)))
            .evidence(geometry->unit)
            .evidence(geometry->width)
            .evidence(set.stripe_unit_bytes)
            .evidence(set.data_disks)
            .change(geometry->unit_setting, fs.device, *set.stripe_unit_bytes)
            .change(geometry->width_setting, fs.device, geometry->right_width);
        report.note(geometry->unit_setting == Setting::xfs_sunit
                        ? "XFS takes the new values as mount options, in 512-byte units, and keeps them; it "
                          "refuses a unit that its allocation groups are not aligned to. Files stay where "
                          "they are"
                        : "in place, mounted or not; what is written from then on is laid out by it");
    }
}

}  // namespace

extern const Rule raid_chunk_filesystem_mismatch;
const Rule raid_chunk_filesystem_mismatch{
    {.code = "RAID010",
     .slug = "chunk-filesystem-mismatch",
     .severity = Severity::warning,
     .impact = 1.5,
     .summary = "the stripe that ext4 or XFS was made for is not that of the set",
     .why = "Both spread their metadata over the disks and align large allocations by the unit (stride, "
            "sunit) and width (stripe_width, swidth) they were told. With wrong values the metadata gathers "
            "on some disks and large writes straddle stripes, so that a parity set reads before it writes. "
            "mke2fs checks neither number. For md RAID 10 the width that the kernel advertises is right as "
            "well.",
     .cost = "No figure is published for it alone; a parity write that misses the stripe costs 2 to 4 times "
             "a full-stripe write (raidctl(8) for RAID 5).",
     .remedy = "tune2fs -E stride=,stripe_width= in place (in file system blocks); XFS: mount -o "
               "sunit=,swidth= once (in 512-byte units).",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 4, "data_disks": 3, "stripe_unit_bytes": 524288, "spares": 1, "parity_map": true, "state": "optimal"}], "filesystems": [{"device": "md0", "type": "ext4", "bsize": 4096, "stride_bytes": 65536, "stripe_width_bytes": 196608}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 4, "data_disks": 3, "stripe_unit_bytes": 524288, "spares": 1, "parity_map": true, "state": "optimal"}], "filesystems": [{"device": "md0", "type": "ext4", "bsize": 4096, "stride_bytes": 524288, "stripe_width_bytes": 1572864}]})",
     .references = "mke2fs(8), tune2fs(8), mkfs.xfs(8), xfs(5), md(4)"},
    check};

}  // namespace diskwright
