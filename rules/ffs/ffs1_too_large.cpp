// SPDX-License-Identifier: BSD-2-Clause
// FFS009: the old format on a file system that has outgrown it.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// Fragment numbers are signed 32-bit in FFSv1 (sys/ufs/ffs/fs.h, ufs_daddr_t); newfs stops there.
constexpr std::uint64_t fragment_limit = std::uint64_t{1} << 31;

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs) || !fs.type->ends_with('1')) continue;
        const Number size = size_of_filesystem(context, fs);
        if (!size) continue;
        const std::uint64_t fragments = fs.fsize.value_or(0) > 0 ? *size / *fs.fsize : 0;
        const bool at_limit = fragments >= fragment_limit - fragment_limit / 100;
        if (!at_limit) {
            if (*size <= context.thresholds.ffs1_without_journal_above_bytes || journalled(fs).is(true))
                continue;
            if (!journalled(fs).known() && !context.host.is(Os::openbsd) &&
                !context.graph.mount_of(fs.device)) {
                out.skip(fs.device, {"mount", superblock_command(context, fs)});
                continue;
            }
        }
        auto report = out.report(fs.device);
        report
            .message(at_limit
                         ? fmt::format("FFSv1 of {} has {} fragments and is at the end of its 32-bit numbers",
                                       human_size(*size), fragments)
                         : fmt::format("FFSv1 of {} without a journal", human_size(*size)))
            .evidence(fs.type)
            .evidence(size)
            .change(Setting::ffs_format, fs.device, std::string("ffs2"))
            .note("save the data first: newfs -O 2 makes an empty file system");
        if (at_limit) report.severity(Severity::error).impact(100);
    }
}

}  // namespace

extern const Rule ffs_ffs1_too_large;
const Rule ffs_ffs1_too_large{
    {.code = "FFS009",
     .slug = "ffs1-too-large",
     .severity = Severity::warning,
     .impact = 2,
     .summary = "FFSv1 on a file system that has outgrown it",
     .why = "FFSv1 numbers fragments with 31 bits and inodes' times end in 2038. A file system near the "
            "limit cannot grow, and sizes beyond it wrap. Well below it, the format sets up all inodes at "
            "newfs time, so that a full fsck of more than 1 TiB reads tens of gigabytes of inode tables and "
            "takes hours; without a journal every crash leads to it. NetBSD's newfs still makes FFSv1 unless "
            "told -O 2.",
     .cost = "Hours of fsck after a crash; no growth past 2^31 fragments (8 TiB with 4 KiB fragments).",
     .remedy = "Save, newfs -O 2, restore. Where that has to wait, a journal (mount -o log on NetBSD) spares "
               "the fsck.",
     .bad =
         R"({"os": {"name": "openbsd", "release": "7.6"}, "filesystems": [{"device": "sd1a", "type": "ffs1", "bsize": 65536, "fsize": 8192, "size_bytes": 4000785104896}]})",
     .good =
         R"({"os": {"name": "openbsd", "release": "7.6"}, "filesystems": [{"device": "sd1a", "type": "ffs2", "bsize": 65536, "fsize": 8192, "size_bytes": 4000785104896}]})",
     .references = "newfs(8) -O; sys/ufs/ffs/fs.h"},
    check};

}  // namespace diskwright
