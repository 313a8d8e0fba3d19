// SPDX-License-Identifier: BSD-2-Clause
// FFS006: a small block on a large file system.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    const Thresholds& t = context.thresholds;
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs)) continue;
        const Number size = size_of_filesystem(context, fs);
        if (!size || !fs.bsize) out.skip(fs.device, {superblock_command(context, fs)});
        if (!size || fs.bsize.value_or(0) == 0) continue;
        const std::uint64_t wanted = *size > t.ffs_block_32k_above_bytes   ? 32 * KiB
                                     : *size > t.ffs_block_16k_above_bytes ? 16 * KiB
                                                                           : 0;
        if (*fs.bsize >= wanted) continue;
        auto report = out.report(fs.device);
        report.message(fmt::format("blocks of {} on {}", human_size(*fs.bsize), human_size(*size)))
            .evidence(fs.bsize)
            .evidence(size);
        if (fs.cylinder_groups) report.evidence(fs.cylinder_groups);
        if (journalled(fs).is(true)) report.at_most(Severity::info);
        if (!striped_volume_below(context, fs))
            report.change(Setting::ffs_bsize, fs.device, 32 * KiB)
                .change(Setting::ffs_fsize, fs.device, 4 * KiB);
        report.note("the block of an existing file system cannot be changed: save it, newfs, restore");
    }
}

}  // namespace

extern const Rule ffs_block_small_for_volume;
const Rule ffs_block_small_for_volume{
    {.code = "FFS006",
     .slug = "block-small-for-volume",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "the block is small for the size of the file system",
     .why = "The bitmap of a cylinder group must fit in one block, so small blocks mean many small groups: "
            "tens of thousands on a large disk. Each has a superblock copy, a bitmap and inode tables that "
            "fsck reads one by one, large files are spread over many of them, and indirect blocks multiply. "
            "With a journal fsck is rare, so it is only info there.",
     .cost = "Longer fsck and more seeks for large files; no figure is published for current disks.",
     .remedy = "newfs -b 32768 -f 4096 (the default of FreeBSD 9 and later, and of NetBSD 7 and later above "
               "128 GB).",
     .bad =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "da0p1", "type": "ffs2", "bsize": 8192, "fsize": 1024, "size_bytes": 2000395698176}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "da0p1", "type": "ffs2", "bsize": 32768, "fsize": 4096, "size_bytes": 2000395698176}]})",
     .references = "newfs(8) -b; NetBSD sbin/newfs/newfs.c (defaults by size)"},
    check};

}  // namespace diskwright
