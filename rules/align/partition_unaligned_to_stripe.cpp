// SPDX-License-Identifier: BSD-2-Clause
// ALIGN003: blocks could be whole stripes of a parity volume, but the partition does not start on one.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/placement.hpp"
#include "rules/align/stripe_start.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Partition& p : context.host.partitions) {
        const auto at = stripe_start(context, p);
        if (at && is_parity(*at->volume) && !at->stripe) out.skip(p.name, {status_command(*at->volume)});
        if (at && at->stripe && is_parity(*at->volume) && at->start % *at->stripe != 0 && at->filesystem &&
            is_ffs(*at->filesystem) && !at->block)
            out.skip(p.name, {superblock_command(context, *at->filesystem)});
        if (!at || !stripe_rule_applies(*at)) continue;
        auto report = out.report(p.name);
        report
            .message(
                fmt::format("blocks of {} could be whole stripes of {}, but byte {} of {} is inside a stripe",
                            human_size(*at->block), human_size(*at->stripe), at->start, at->volume->name))
            .evidence(p.start_bytes)
            .evidence(at->volume->stripe_unit_bytes)
            .evidence(at->filesystem->bsize);
        advise_move(context, p, "the full stripe", report);
    }
}

}  // namespace

extern const Rule align_partition_unaligned_to_stripe;
const Rule align_partition_unaligned_to_stripe{
    {.code = "ALIGN003",
     .slug = "partition-unaligned-to-stripe",
     .severity = Severity::warning,
     .impact = 8,
     .summary =
         "a partition of a parity volume does not start on a full stripe although its blocks fill stripes",
     .why = "A write that covers a whole aligned stripe lets the driver compute parity from the data alone. "
            "The block size of this file system is a whole multiple of the stripe, so every block write "
            "could be such a write; the start of the partition shifts all of them, and each becomes two "
            "partial writes that read old data and parity first. The usual cause is a label that starts at "
            "sector 63 or 64.",
     .cost = "Published: a wrong offset loses 50 to 75 % of the write bandwidth of a RAID 5 "
             "(freebsd-current, December 2009, 014538); large sequential writes can lose far more than small "
             "ones.",
     .remedy = "Start the partition at a multiple of stripe unit x data disks (sector 0 of the volume, or 1 "
               "MiB where the stripe divides it), then make the file system anew and restore the data.",
     .bad =
         R"({"volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 16384, "data_disks": 4, "columns": 5, "size_bytes": 2000427089920, "spares": 1, "autoconfigure": true, "parity_clean": true, "parity_map": true}], "partitions": [{"name": "raid0e", "parent": "raid0", "scheme": "disklabel", "start_bytes": 32256, "size_bytes": 2000427008000, "type": "4.2BSD"}], "filesystems": [{"device": "raid0e", "type": "ffs2", "bsize": 65536, "fsize": 8192}]})",
     .good =
         R"({"volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 16384, "data_disks": 4, "columns": 5, "size_bytes": 2000427089920, "spares": 1, "autoconfigure": true, "parity_clean": true, "parity_map": true}], "partitions": [{"name": "raid0e", "parent": "raid0", "scheme": "disklabel", "start_bytes": 65536, "size_bytes": 2000426958848, "type": "4.2BSD"}], "filesystems": [{"device": "raid0e", "type": "ffs2", "bsize": 65536, "fsize": 8192}]})",
     .references = "raidctl(8), disklabel(8), newfs(8)"},
    check};

}  // namespace diskwright
