// SPDX-License-Identifier: BSD-2-Clause
// FFS010: inodes run out before space does.
#include <fmt/format.h>

#include <algorithm>

#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// df -i alone does not tell the type. On a BSD what is named like a partition and counts inodes is FFS; ZFS
// datasets are not named so, and Linux may have XFS there, which makes inodes as it needs them.
bool fixed_inodes(const RuleContext& context, const Filesystem& fs) {
    if (fs.type) return is_ffs(fs) || fs.type->starts_with("ext");
    return context.host.os.name && !context.host.is(Os::linux_) && !whole_device_name(fs.device).empty();
}

// The largest power of two that leaves room for half as many files again, given the space.
std::uint64_t better_density(std::uint64_t size, std::uint64_t used, double factor) {
    std::uint64_t density = 2048;
    while (density < 65536 && static_cast<double>(size) / (2.0 * static_cast<double>(density)) >=
                                  2 * factor * static_cast<double>(used))
        density *= 2;
    return density;
}

void check(const RuleContext& context, Findings& out) {
    const Thresholds& t = context.thresholds;
    for (const Filesystem& fs : context.host.filesystems) {
        if (is_ffs(fs) && context.graph.mount_of(fs.device) && (!fs.inodes || !fs.inodes_used))
            out.skip(fs.device, {"df -i"});
        if (!fixed_inodes(context, fs) || fs.inodes.value_or(0) == 0) continue;
        const double inodes = static_cast<double>(*fs.inodes);
        const double percent = 100.0 * static_cast<double>(fs.inodes_used.value_or(0)) / inodes;
        const double wanted = t.inode_population_factor * static_cast<double>(fs.inodes_expected.value_or(0));
        const bool used_up = percent >= t.inode_use_high_percent;
        if (!used_up && wanted <= inodes) continue;
        auto report = out.report(fs.device);
        report
            .message(used_up ? fmt::format("{:.0f} % of {} inodes are used", percent, *fs.inodes)
                             : fmt::format("{} files are expected, and there are {} inodes",
                                           *fs.inodes_expected, *fs.inodes))
            .evidence(used_up ? fs.inodes_used.from() : fs.inodes_expected.from())
            .evidence(fs.inodes);
        const Number size = size_of_filesystem(context, fs);
        if (is_ffs(fs) && size) {
            const std::uint64_t files = std::max(fs.inodes_used.value_or(0), fs.inodes_expected.value_or(0));
            const std::uint64_t density =
                std::max(better_density(*size, files, t.inode_population_factor), fs.fsize.value_or(0));
            if (static_cast<double>(*size) / static_cast<double>(density) >
                t.inode_population_factor * static_cast<double>(files))
                report.change(Setting::ffs_density, fs.device, density);
        }
        report.note(
            "the number of inodes is fixed when the file system is made: save it, newfs with a smaller -i, "
            "restore");
    }
}

}  // namespace

extern const Rule ffs_inode_shortage;
const Rule ffs_inode_shortage{
    {.code = "FFS010",
     .slug = "inode-shortage",
     .severity = Severity::warning,
     .impact = 20,
     .summary = "the inodes are used up, or too few for the files expected",
     .why = "newfs fixes the number of files a file system can ever hold: its size divided by the density "
            "(-i). Mail and news spools, ports trees and caches of small files reach it long before the "
            "space is used up. Then creating a file fails with \"No space left\" or \"No inodes free\" while "
            "df shows room.",
     .cost = "New files fail when the rest is used; a published example had 94 % of the inodes taken by one "
             "ports tree.",
     .remedy = "Save, newfs -i with the mean size of the files there (2048 is the least that makes sense), "
               "restore; until then remove or pack small files.",
     .bad =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "da1p1", "type": "ffs2", "bsize": 32768, "fsize": 4096, "size_bytes": 214748364800, "inodes": 233470, "inodes_used": 231904, "bytes_per_inode": 925696}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "da1p1", "type": "ffs2", "bsize": 32768, "fsize": 4096, "size_bytes": 214748364800, "inodes": 26214400, "inodes_used": 6319040, "bytes_per_inode": 8192}]})",
     .references = "newfs(8) -i, df(1) -i"},
    check};

}  // namespace diskwright
