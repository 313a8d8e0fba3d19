// SPDX-License-Identifier: BSD-2-Clause
// FFS013: much space set aside for inodes that nobody uses.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// df gives the capacity without superblocks and inode tables: a lower bound.
Number size_by_any_means(const RuleContext& context, const Filesystem& fs) {
    const Number size = size_of_filesystem(context, fs);
    if (size) return size;
    if (fs.used_bytes && fs.available_bytes) {
        const auto sum = add(*fs.used_bytes, *fs.available_bytes);
        if (sum) return Number(*sum, fs.used_bytes.from());
    }
    // newfs made one inode for each so many bytes.
    if (fs.bytes_per_inode && fs.inodes)
        if (const auto product = multiply(*fs.bytes_per_inode, *fs.inodes))
            return Number(*product, fs.bytes_per_inode.from());
    return size;
}

// The density to make it with: the largest of these that still holds ten times the files there are.
std::uint64_t better_density(std::uint64_t size, std::uint64_t used, std::uint64_t inode) {
    for (std::uint64_t density = 65536; density >= 32 * inode; density /= 2)
        if (size / density / 10 >= used) return density;
    return 32 * inode;
}

void check(const RuleContext& context, Findings& out) {
    const Thresholds& t = context.thresholds;
    for (const Filesystem& fs : context.host.filesystems) {
        if (is_ffs(fs) && context.graph.mount_of(fs.device) && (!fs.inodes || !fs.inodes_used))
            out.skip(fs.device, {"df -i"});
        if (!is_ffs(fs) || fs.inodes.value_or(0) == 0 || !fs.inodes_used) continue;
        // What is there, or shall be.
        const std::uint64_t files = std::max(*fs.inodes_used, fs.inodes_expected.value_or(0));
        const Number size = size_by_any_means(context, fs);
        if (!size || *size <= t.inode_excess_above_bytes) continue;
        const std::uint64_t inode = inode_bytes(fs).value_or(128);  // version unknown: the smaller one
        const auto tables = multiply(*fs.inodes, inode);
        if (!tables) continue;
        const double share = 100.0 * static_cast<double>(*tables) / static_cast<double>(*size);
        const double used = 100.0 * static_cast<double>(files) / static_cast<double>(*fs.inodes);
        if (share <= t.inode_tables_share_percent || used >= t.inode_use_low_percent) continue;
        auto report = out.report(fs.device);
        report
            .message(fmt::format("inode tables take {} ({:.1f} %), and {:.1f} % of {} inodes are used",
                                 human_size(*tables), share, used, *fs.inodes))
            .evidence(fs.inodes)
            .evidence(fs.inodes_used)
            .evidence(size);
        const std::uint64_t density = better_density(*size, files, inode);
        if (fs.size_bytes && *size / density > 2 * files)
            report.change(Setting::ffs_density, fs.device, density);
        report.note(
            "the number of inodes is fixed when the file system is made: use a larger newfs -i next time");
    }
}

}  // namespace

extern const Rule ffs_inode_excess;
const Rule ffs_inode_excess{
    {.code = "FFS013",
     .slug = "inode-excess",
     .severity = Severity::notice,
     .impact = 1.2,
     .summary = "inode tables take much space that is not used",
     .why = "Inodes are set aside when the file system is made, one per -i bytes. A density meant for news "
            "or mail on a large file system of large files costs several percent of the space, and every "
            "full fsck, dump and snapshot walks all of them.",
     .cost = "The space of the tables, and fsck and snapshots longer in proportion to the inodes.",
     .remedy = "newfs -i 65536 or more for large files (the default is 8192 on FreeBSD, 16384 on NetBSD and "
               "OpenBSD).",
     .bad =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "pst0s2d", "type": "ffs2", "bsize": 16384, "fsize": 2048, "size_bytes": 911685976064, "inodes": 445159294, "inodes_used": 2, "bytes_per_inode": 2048}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "pst0s2d", "type": "ffs2", "bsize": 16384, "fsize": 2048, "size_bytes": 911685976064, "inodes": 13911223, "inodes_used": 2, "bytes_per_inode": 65536}]})",
     .references = "newfs(8) -i"},
    check};

}  // namespace diskwright
