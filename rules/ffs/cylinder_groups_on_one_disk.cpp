// SPDX-License-Identifier: BSD-2-Clause
// FFS011: cylinder groups that all begin on the same disk of a striped volume.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t most_groups = 4096;  // enough to tell: the columns repeat with a short period
constexpr std::uint64_t most_columns = 64;

// Of `groups` groups the largest number that begin on one column; nothing when a start cannot be mapped.
std::optional<std::uint64_t> on_busiest(const Volume& volume, std::uint64_t start, std::uint64_t group_bytes,
                                        std::uint64_t groups) {
    std::vector<std::uint64_t> count(most_columns, 0);
    for (std::uint64_t c = 0; c < groups; ++c) {
        const auto offset = multiply(c, group_bytes);
        const auto byte = offset ? add(start, *offset) : std::nullopt;
        const auto where = byte ? map_byte(volume, *byte) : std::nullopt;
        if (!where || where->column >= most_columns) return std::nullopt;
        ++count[where->column];
    }
    return *std::max_element(count.begin(), count.end());
}

// Where the partition starts is not shown: what holds for every start. When a group is a whole number of
// units only the unit the start lies in matters, and units repeat after columns x (columns - 1) at the
// latest.
std::optional<std::uint64_t> on_busiest_for_any_start(const Volume& volume, std::uint64_t columns,
                                                      std::uint64_t group_bytes, std::uint64_t groups) {
    const std::uint64_t unit = *volume.stripe_unit_bytes;
    if (group_bytes % unit != 0 || columns > 16) return std::nullopt;
    groups = std::min<std::uint64_t>(groups, 256);
    std::uint64_t least = groups;
    for (std::uint64_t u = 0; u < columns * columns; ++u) {
        const auto count = on_busiest(volume, u * unit, group_bytes, groups);
        if (!count) return std::nullopt;
        least = std::min(least, *count);
    }
    return least * 1000 / groups;  // in thousandths
}

void judge_filesystem(const RuleContext& context, const Filesystem& fs, const Volume& volume, Findings& out) {
    const Thresholds& t = context.thresholds;
    const std::uint64_t unit = volume.stripe_unit_bytes.value_or(0),
                        columns = volume.columns.value_or(data_components(volume).size());
    if (unit == 0 || unit > GiB || columns < 2 || columns > most_columns) return;
    if (!fs.fragments_per_group || !fs.fsize) {
        out.skip(fs.device, {superblock_command(context, fs)});
        return;
    }
    const auto group_bytes = multiply(*fs.fragments_per_group, *fs.fsize);
    const Number size = size_of_filesystem(context, fs);
    if (!group_bytes || *group_bytes == 0) return;
    if (!fs.cylinder_groups && !size) return;
    const std::uint64_t all = fs.cylinder_groups ? *fs.cylinder_groups : *size / *group_bytes;
    if (all < t.groups_at_least) return;
    // The heads of so few groups stay in the buffer cache.
    const std::uint64_t in_groups = multiply(all, *group_bytes).value_or(0);
    if (std::min(size.value_or(in_groups), in_groups) <= t.small_filesystem_bytes) return;
    const std::uint64_t groups = std::min(all, most_groups);
    const auto on = context.graph.on_volume(fs.device);
    std::optional<std::uint64_t> thousandths;
    if (on.offset_bytes) {
        if (const auto count = on_busiest(volume, *on.offset_bytes, *group_bytes, groups))
            thousandths = *count * 1000 / groups;
    } else {
        thousandths = on_busiest_for_any_start(volume, columns, *group_bytes, groups);
    }
    if (!thousandths || static_cast<double>(*thousandths) <= 1000 * t.groups_on_one_disk_share) return;
    auto report = out.report(fs.device);
    report
        .message(fmt::format(
            "{} % of the {} cylinder groups begin on one component of {}: a group is {:.0f} units of {}",
            *thousandths / 10, all, volume.name,
            static_cast<double>(*group_bytes) / static_cast<double>(unit), human_size(unit)))
        .evidence(fs.fragments_per_group)
        .evidence(fs.cylinder_groups)
        .evidence(volume.stripe_unit_bytes);
    if (on.offset_bytes) report.evidence(on.offset_bytes);
    report.note(
        "when the file system is next made, give newfs a slightly smaller size (-s one block less) or other "
        "inodes (-i) until the number of blocks per group is odd or no multiple of the stripe; nothing can "
        "be changed in place");
}

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs)) continue;
        if (const Volume* volume = striped_volume_below(context, fs))
            judge_filesystem(context, fs, *volume, out);
    }
}

}  // namespace

extern const Rule ffs_cylinder_groups_on_one_disk;
const Rule ffs_cylinder_groups_on_one_disk{
    {.code = "FFS011",
     .slug = "cylinder-groups-on-one-disk",
     .severity = Severity::notice,
     .impact = 1.4,
     .summary = "most cylinder groups begin on the same component of a striped volume",
     .why = "Each cylinder group begins with a superblock copy, its bitmap and the inode tables, which are "
            "read and written far more often than data. When a group is a whole number of stripes all of "
            "them begin on the same disk, and that disk gets most of the metadata traffic while the others "
            "wait. Large power-of-two units make it likely. On left-symmetric RAID 5 units go round all "
            "columns, so it is the number of columns that counts, not of data disks.",
     .cost = "No figure is published; iostat shows it as one component clearly busier than the rest "
             "(tuning(7) advises off-centre units for this reason).",
     .remedy = "newfs with a size or density that gives another group size; or a stripe unit that is no "
               "power of two but a multiple of the block.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "stripe_unit_bytes": 65536, "data_disks": 2, "columns": 2, "autoconfigure": true}], "partitions": [{"name": "raid0e", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 549755813888, "type": "4.2BSD"}], "filesystems": [{"device": "raid0e", "type": "ffs2", "bsize": 65536, "fsize": 8192, "size_bytes": 549755813888, "cylinder_groups": 161, "fragments_per_group": 416832}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "stripe_unit_bytes": 65536, "data_disks": 2, "columns": 2, "autoconfigure": true}], "partitions": [{"name": "raid0e", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 549755813888, "type": "4.2BSD"}], "filesystems": [{"device": "raid0e", "type": "ffs2", "bsize": 65536, "fsize": 8192, "size_bytes": 549755813888, "cylinder_groups": 161, "fragments_per_group": 416104}]})",
     .references = "tuning(7), newfs(8); sys/ufs/ffs/fs.h (cgbase)"},
    check};

}  // namespace diskwright
