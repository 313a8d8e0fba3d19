// SPDX-License-Identifier: BSD-2-Clause
// FFS007: less space kept free than the allocator needs.
#include <fmt/format.h>

#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    const Number preset = default_minfree(context);
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs)) continue;
        if (!fs.minfree_percent) {
            out.skip(fs.device, {superblock_command(context, fs)});
            continue;
        }
        // Whatever system it is, 5 is the least of the defaults.
        const std::uint64_t least = preset.value_or(5);
        if (*fs.minfree_percent >= least) continue;
        auto report = out.report(fs.device);
        report.message(fmt::format("keeps {} % free; the default is {} %", *fs.minfree_percent, least))
            .evidence(fs.minfree_percent)
            .change(Setting::ffs_minfree, fs.device, least);
        if (fs.optimization.is(Optimization::space))
            report.evidence(fs.optimization)
                .change(Setting::ffs_optimization, fs.device, std::string("time"));
        report.note(
            "tunefs works on the unmounted or read-only file system; users see that much less free space");
    }
}

}  // namespace

extern const Rule ffs_minfree_low;
const Rule ffs_minfree_low{
    {.code = "FFS007",
     .slug = "minfree-low",
     .severity = Severity::warning,
     .impact = 2,
     .summary = "less space is kept free than the default of the system",
     .why = "FFS finds good places by hashing into cylinder groups that have room; the fuller they are, the "
            "longer it searches and the more it scatters. The reserve keeps that from happening, and keeps "
            "root able to work when users have filled the rest. Below the default newfs and tunefs also "
            "switch to optimising for space.",
     .cost = "tunefs(8): up to a factor of three in throughput with no reserve against 10 %, on a full file "
             "system.",
     .remedy = "tunefs -m 8 (FreeBSD) or -m 5 (NetBSD, OpenBSD), together with -o time.",
     .bad =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "pst0s2d", "type": "ffs2", "minfree_percent": 0, "optimization": "space"}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "pst0s2d", "type": "ffs2", "minfree_percent": 8, "optimization": "time"}]})",
     .references = "tunefs(8) -m, newfs(8) -m"},
    check};

}  // namespace diskwright
