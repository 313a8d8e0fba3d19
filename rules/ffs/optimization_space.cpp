// SPDX-License-Identifier: BSD-2-Clause
// FFS008: an FFS that allocates for space instead of time.
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (is_ffs(fs) && !fs.optimization) out.skip(fs.device, {superblock_command(context, fs)});
        if (!fs.optimization.is(Optimization::space)) continue;
        auto report = out.report(fs.device);
        report.message("the file system allocates for space, so it fills gaps fragment by fragment")
            .evidence(fs.optimization)
            .evidence(fs.used_percent);
        report.change(Setting::ffs_optimization, fs.device, std::string("time"));
        // Below the default tunefs and the kernel go back to space by themselves.
        const Number least = default_minfree(context);
        if (least && fs.minfree_percent && *fs.minfree_percent < *least)
            report.evidence(fs.minfree_percent).change(Setting::ffs_minfree, fs.device, *least);
        report.note(
            "tunefs works on the unmounted or read-only file system; files already scattered stay so until "
            "they are rewritten");
    }
}

}  // namespace

extern const Rule ffs_optimization_space;
const Rule ffs_optimization_space{
    {.code = "FFS008",
     .slug = "optimization-space",
     .severity = Severity::notice,
     .impact = 1.2,
     .summary = "optimization is space",
     .why = "With optimization 'space' the allocator looks for the tightest fit for every fragment, so that "
            "files are copied from fragment to fragment as they grow and end up scattered. It is meant for "
            "file systems that are nearly full; newfs and tunefs also turn it on by themselves when minfree "
            "goes below its default.",
     .cost = "More searching per write and more seeks per read; grows with time.",
     .remedy = "tunefs -o time on the unmounted (or read-only) file system.",
     .bad =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "ada0p2", "type": "ffs2", "minfree_percent": 8, "optimization": "space"}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "ada0p2", "type": "ffs2", "minfree_percent": 8, "optimization": "time"}]})",
     .references = "tunefs(8), newfs(8)"},
    check};

}  // namespace diskwright
