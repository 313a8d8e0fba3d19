// SPDX-License-Identifier: BSD-2-Clause
// FFS003: on RAID 0 or 10, a stripe unit that is no multiple of the block.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs)) continue;
        const Volume* volume = striped_volume_below(context, fs);
        if (!volume || is_parity(*volume)) continue;
        if (!volume->stripe_unit_bytes || !fs.bsize) {
            out.skip(fs.device, {fs.bsize ? status_command(*volume) : superblock_command(context, fs)});
            continue;
        }
        const std::uint64_t unit = volume->stripe_unit_bytes.value_or(0), block = fs.bsize.value_or(0);
        // A unit below the block is RAID008's.
        if (unit == 0 || block == 0 || unit < block || unit % block == 0) continue;
        auto report = out.report(fs.device);
        report
            .message(fmt::format(
                "the stripe unit of {} of {} is no multiple of the {} block, so some blocks lie on two disks",
                human_size(unit), volume->name, human_size(block)))
            .evidence(fs.bsize)
            .evidence(volume->stripe_unit_bytes);
        const bool software = volume->kind.is(VolumeKind::raidframe) || volume->kind.is(VolumeKind::gstripe);
        if (const auto better = add(unit, block - unit % block); software && better)
            report.change(Setting::raid_stripe_unit, volume->name, *better);
        report.note("when the set is next made: a new stripe unit loses its contents");
    }
}

}  // namespace

extern const Rule ffs_block_straddles_stripe_unit;
const Rule ffs_block_straddles_stripe_unit{
    {.code = "FFS003",
     .slug = "block-straddles-stripe-unit",
     .severity = Severity::notice,
     .impact = 1.3,
     .summary = "on RAID 0 or 10 the stripe unit is no multiple of the block",
     .why =
         "Blocks lie at multiples of their size. When the unit is larger than the block but no multiple of "
         "it, every few blocks one is cut by a unit border: its request goes to two disks, and the slower of "
         "them decides. All other blocks are on one disk, so the loss is a fraction of that of a unit that "
         "is too small (RAID008).",
     .cost = "No figure is published; with a unit of 1.5 blocks every third block moves two heads.",
     .remedy = "Make the set with a unit that is a multiple of the block (powers of two: 64 or 128 KiB).",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "stripe_unit_bytes": 24576, "data_disks": 3, "columns": 3, "autoconfigure": true}], "partitions": [{"name": "raid0a", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 3221102592, "type": "4.2BSD"}], "filesystems": [{"device": "raid0a", "type": "ffs2", "bsize": 16384, "fsize": 2048}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "stripe_unit_bytes": 32768, "data_disks": 3, "columns": 3, "autoconfigure": true}], "partitions": [{"name": "raid0a", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 3221102592, "type": "4.2BSD"}], "filesystems": [{"device": "raid0a", "type": "ffs2", "bsize": 16384, "fsize": 2048}]})",
     .references = "raidctl(8), gstripe(8), newfs(8)"},
    check};

}  // namespace diskwright
