// SPDX-License-Identifier: BSD-2-Clause
// FFS001: a fragment smaller than the physical sector below it.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t largest_block = 65536;

// newfs -b and -f together, in the ratio of 8 that FFS is made for.
void fix(const RuleContext& context, const Filesystem& fs, std::uint64_t sector, Findings::Report& report) {
    const std::uint64_t block = std::max(fs.bsize.value_or(0), 8 * sector);
    if (block > largest_block || striped_volume_below(context, fs)) {
        report.note(
            "save the data and run newfs with a fragment of at least the physical sector and a block that "
            "suits the set");
        return;
    }
    report.change(Setting::ffs_bsize, fs.device, block)
        .change(Setting::ffs_fsize, fs.device, block / 8)
        .note("newfs destroys what is on the file system: save it first");
}

std::string settle(const RuleContext& context, const Filesystem& fs) {
    const auto disks = context.graph.disks_under(fs.device);
    return sector_command(context.host, disks.empty() ? "" : disks.front());
}

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs)) continue;
        if (!fs.fsize) {
            out.skip(fs.device, {superblock_command(context, fs)});
            continue;
        }
        const auto medium = context.graph.medium(fs.device);
        if (!medium.physical_sector_bytes.known()) {
            constexpr std::uint64_t probably = 4096;
            if (*fs.fsize >= probably) continue;
            // What little a small file system could lose does not deserve an "if".
            const std::uint64_t size = std::max(size_of_filesystem(context, fs).value_or(0),
                                                context.graph.size_of(fs.device).value_or(0));
            if (size > 0 && size <= context.thresholds.small_filesystem_bytes) continue;
            auto report = out.report(fs.device);
            report
                .message(
                    fmt::format("the fragment of {} bytes is smaller than a 4096-byte sector", *fs.fsize))
                .evidence(fs.fsize)
                .conditional("physical sector is 4096");
            fix(context, fs, probably, report);
            report.note(fmt::format("{} shows the physical sector; nothing to do where it is 512",
                                    settle(context, fs)));
            continue;
        }
        const std::uint64_t sector = *medium.physical_sector_bytes;
        if (*fs.fsize >= sector) continue;
        auto report = out.report(fs.device);
        report
            .message(fmt::format("the fragment of {} bytes is smaller than the physical sector of {}",
                                 *fs.fsize, sector))
            .evidence(fs.fsize)
            .evidence(medium.physical_sector_bytes);
        if (!medium.rotational.is(true)) report.at_most(Severity::notice);
        fix(context, fs, sector, report);
    }
}

}  // namespace

extern const Rule ffs_fragment_below_sector;
const Rule ffs_fragment_below_sector{
    {.code = "FFS001",
     .slug = "fragment-below-sector",
     .severity = Severity::warning,
     .impact = 3,
     .summary = "the fragment is smaller than the physical sector",
     .why = "A fragment is the smallest piece FFS writes: tails of small files, directories, and on FreeBSD "
            "most metadata of small file systems. When it is smaller than the physical sector the drive "
            "reads the sector, changes a part and writes it back one rotation later, and two fragments that "
            "share a sector are written twice. SSDs hide most of it behind their own mapping, so there it is "
            "a notice.",
     .cost = "Published: unpacking the ports tree took 420 s with 2 KiB fragments (and a bad start) on a "
             "4096-byte disk against 55 s (different machines, so the ratio is rough).",
     .remedy =
         "newfs -f 4096 -b 32768 (after a dump). The fragment of an existing file system cannot be changed.",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada0", "physical_sector_bytes": 4096, "logical_sector_bytes": 512, "rotational": true}], "partitions": [{"name": "ada0p2", "parent": "ada0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 107374182400, "type": "freebsd-ufs"}], "filesystems": [{"device": "ada0p2", "type": "ffs2", "bsize": 16384, "fsize": 2048}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada0", "physical_sector_bytes": 4096, "logical_sector_bytes": 512, "rotational": true}], "partitions": [{"name": "ada0p2", "parent": "ada0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 107374182400, "type": "freebsd-ufs"}], "filesystems": [{"device": "ada0p2", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .references = "newfs(8) -f; FFS superblock, fs_fsize"},
    check};

}  // namespace diskwright
