// SPDX-License-Identifier: BSD-2-Clause
// FFS002: on a parity volume, a block that neither fills whole stripes nor stays within one unit.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/stripe_start.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t smallest_unit = 4096, request_limit = 65536;  // MAXPHYS of NetBSD and OpenBSD

// A unit that suits the block; nothing when none does without a stripe that no request can fill.
std::uint64_t better_unit(std::uint64_t block, std::uint64_t data_disks) {
    if (data_disks == 0) return 0;
    const bool power = (data_disks & (data_disks - 1)) == 0;
    if (power && block % data_disks == 0 && block / data_disks >= smallest_unit && block <= request_limit)
        return block / data_disks;
    const auto stripe = multiply(block, data_disks);
    return stripe && *stripe <= request_limit ? block : 0;
}

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (!is_ffs(fs)) continue;
        const Volume* volume = context.graph.on_volume(fs.device).volume;
        if (!volume || !is_parity(*volume) || volume->level.is(RaidLevel::raid3)) continue;
        const std::uint64_t unit = volume->stripe_unit_bytes.value_or(0);
        const Number stripe = full_stripe_bytes(*volume);
        if (!fs.bsize || *fs.bsize == 0) {
            out.skip(fs.device, {superblock_command(context, fs)});
            continue;
        }
        if (unit == 0 || !stripe || *stripe == 0) continue;
        const std::uint64_t block = *fs.bsize;
        if (block % *stripe == 0 || (block <= unit && unit % block == 0)) continue;
        auto report = out.report(fs.device);
        report
            .message(fmt::format(
                "blocks of {} are neither a whole number of {} stripes nor contained in one {} unit of {}",
                human_size(block), human_size(*stripe), human_size(unit), volume->name))
            .evidence(fs.bsize)
            .evidence(volume->stripe_unit_bytes)
            .evidence(volume->data_disks);
        const std::uint64_t better = better_unit(block, volume->data_disks.value_or(0));
        if (volume->kind.is(VolumeKind::raidframe) && better != 0) {
            report.change(Setting::raid_stripe_unit, volume->name, better)
                .note(
                    "a new configuration of the set loses its contents: save them, initialise the parity, "
                    "run newfs, restore");
            move_to_new_stripe(context, *volume, better, report);
        } else {
            report.note(
                "choose a stripe unit that is a multiple of the block, or a block that is the full stripe, "
                "when the set or the file system is next made");
        }
    }
}

}  // namespace

extern const Rule ffs_block_stripe_mismatch;
const Rule ffs_block_stripe_mismatch{
    {.code = "FFS002",
     .slug = "block-stripe-mismatch",
     .severity = Severity::warning,
     .impact = 2.5,
     .summary = "on a parity volume, blocks neither fill whole stripes nor stay within one unit",
     .why = "There are two good ways to put a file system on RAID 4, 5 or 6: a block that is the whole "
            "stripe, so that parity comes from the data alone, or a block within one unit, so that a write "
            "touches one data disk and the parity. A block in between touches several disks and still reads "
            "old data and parity first: it has the cost of both and the gain of neither.",
     .cost = "raidctl(8) puts a write of less than a full stripe at 2 to 4 times the cost of a full one; "
             "each disk more that a block touches adds a read and a write.",
     .remedy = "Make the set with a unit of block / data disks (data disks a power of two) or a multiple of "
               "the block; or make the file system with a block that fits the unit.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 12288, "data_disks": 2, "columns": 3, "spares": 1, "autoconfigure": true, "parity_clean": true, "parity_map": true}], "partitions": [{"name": "raid0a", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 107374182400, "type": "4.2BSD"}], "filesystems": [{"device": "raid0a", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 16384, "data_disks": 2, "columns": 3, "spares": 1, "autoconfigure": true, "parity_clean": true, "parity_map": true}], "partitions": [{"name": "raid0a", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 107374182400, "type": "4.2BSD"}], "filesystems": [{"device": "raid0a", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .references = "raidctl(8), section on performance tuning; newfs(8) -b"},
    check};

}  // namespace diskwright
