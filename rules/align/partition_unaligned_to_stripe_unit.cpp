// SPDX-License-Identifier: BSD-2-Clause
// ALIGN002: a partition of a striped volume that does not start on a stripe unit.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/placement.hpp"
#include "rules/align/stripe_start.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Partition& p : context.host.partitions) {
        const auto at = stripe_start(context, p);
        if (const Volume* below = at ? nullptr : context.graph.on_volume(p.name).volume;
            below && is_striped(*below) && !below->stripe_unit_bytes && start_matters(context, p))
            out.skip(p.name, {status_command(*below)});
        if (!at || at->start % at->unit == 0) continue;
        if (stripe_rule_applies(*at)) continue;  // ALIGN003 says it
        // No block straddles a unit when both begin and repeat on block boundaries.
        if (at->block && at->start % *at->block == 0 && at->unit % *at->block == 0) continue;
        auto report = out.report(p.name);
        std::string more;
        for (const std::string& words :
             {straddling_share(*at), straddling_block(*at), off_sector(context, *at)})
            if (!words.empty()) more += "; " + words;
        report
            .message(fmt::format("starts at byte {} of {}, which is no multiple of its stripe unit of {}{}",
                                 at->start, at->volume->name, human_size(at->unit), more))
            .evidence(p.start_bytes)
            .evidence(at->volume->stripe_unit_bytes);
        if (at->filesystem) report.evidence(at->filesystem->bsize);
        if (!at->block || role_of(context, p) == PartitionRole::swap) report.at_most(Severity::notice);
        advise_move(context, p, "the stripe", report);
    }
}

}  // namespace

extern const Rule align_partition_unaligned_to_stripe_unit;
const Rule align_partition_unaligned_to_stripe_unit{
    {.code = "ALIGN002",
     .slug = "partition-unaligned-to-stripe-unit",
     .severity = Severity::warning,
     .impact = 2,
     .summary = "a partition of a striped volume does not start on a stripe unit",
     .why = "Blocks lie at multiples of their size from the start of the partition. When that start is "
            "inside a stripe unit, some blocks lie on two disks: one request becomes two, both disks have to "
            "seek, and the slower of them decides; on parity levels such a write also touches two columns of "
            "the stripe. Where the start and the unit are both multiples of the block no block can straddle, "
            "and nothing is reported. Levels 0, 4, 5, 6 and 10.",
     .cost = "Published: random reads of 16 KiB blocks on a two-disk stripe were twice as fast when aligned "
             "(freebsd-arch, December 2009, 009770).",
     .remedy =
         "Start partitions on the volume at a multiple of the stripe unit, better of the full stripe or 1 "
         "MiB (gpart add -a 1m, disklabel offset). An existing partition must be saved, moved and restored.",
     .bad =
         R"({"volumes": [{"name": "stripe/data", "kind": "gstripe", "level": "0", "stripe_unit_bytes": 65536, "data_disks": 2, "columns": 2, "size_bytes": 2000409771008}], "partitions": [{"name": "stripe/datap2", "parent": "stripe/data", "scheme": "gpt", "start_bytes": 544768, "size_bytes": 1999999000576, "type": "freebsd-ufs"}], "filesystems": [{"device": "stripe/datap2", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .good =
         R"({"volumes": [{"name": "stripe/data", "kind": "gstripe", "level": "0", "stripe_unit_bytes": 65536, "data_disks": 2, "columns": 2, "size_bytes": 2000409771008}], "partitions": [{"name": "stripe/datap2", "parent": "stripe/data", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 1999999000576, "type": "freebsd-ufs"}], "filesystems": [{"device": "stripe/datap2", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .references = "gstripe(8), raidctl(8), gpart(8), disklabel(8)"},
    check};

}  // namespace diskwright
