// SPDX-License-Identifier: BSD-2-Clause
// FFS005: a block that is not eight fragments.
#include <fmt/format.h>

#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t largest_block = 65536;

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs)) continue;
        if (!fs.bsize || !fs.fsize) out.skip(fs.device, {superblock_command(context, fs)});
        if (fs.bsize.value_or(0) == 0 || fs.fsize.value_or(0) == 0) continue;
        if (*fs.bsize % *fs.fsize == 0 && *fs.bsize / *fs.fsize == 8) continue;
        auto report = out.report(fs.device);
        report
            .message(fmt::format("a block of {} bytes has {} fragments of {}, not 8", *fs.bsize,
                                 *fs.bsize / *fs.fsize, *fs.fsize))
            .evidence(fs.bsize)
            .evidence(fs.fsize);
        // The fragment was chosen for the sector: the block follows it, where nothing striped depends on the
        // block.
        if (*fs.fsize <= largest_block / 8 && *fs.fsize >= 512 && !striped_volume_below(context, fs))
            report.change(Setting::ffs_bsize, fs.device, *fs.fsize * 8);
        report.note("only worth it when the file system is made anyway: newfs destroys what is on it");
    }
}

}  // namespace

extern const Rule ffs_fragment_ratio_unusual;
const Rule ffs_fragment_ratio_unusual{
    {.code = "FFS005",
     .slug = "fragment-ratio-unusual",
     .severity = Severity::info,
     .impact = 1.05,
     .summary = "the block is not eight fragments",
     .why = "FFS was designed, and is tested, with eight fragments to a block. Fewer waste space in the "
            "tails of small files; a fragment as large as the block turns the fragment allocator off. "
            "newfs(8) allows 1, 2 and 4 and advises against them.",
     .cost = "Published for RAIDframe RAID 1: 16 KiB fragments with 16 KiB blocks were 1.27 to 1.48 times "
             "slower than 2 KiB ones at unpacking a source tree (zhadum.org.uk).",
     .remedy = "newfs with -b eight times -f, or without both options.",
     .bad =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "ada1p1", "type": "ffs2", "bsize": 16384, "fsize": 4096}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "ada1p1", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .references = "newfs(8) -b, -f"},
    check};

}  // namespace diskwright
