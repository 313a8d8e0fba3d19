// SPDX-License-Identifier: BSD-2-Clause
// DISK002: an MBR on a disk that it cannot describe to the end.
#include <fmt/format.h>

#include "rules/disk/tables.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

using namespace tables;

void check(const RuleContext& context, Findings& out) {
    for (const PartitionTable& table : context.host.tables) {
        if (!table.scheme.is(Scheme::mbr) || table.protective.is(true)) continue;
        // Beside a GPT it protects or mirrors that.
        if (has_table(context.host, table.parent, Scheme::gpt)) continue;
        Number size = context.graph.size_of(table.parent);
        if (!size) size = table.total_bytes;
        const Number sector = sector_of(context, table);
        if (!size || *size < sectors_32bit * 512) continue;
        if (!sector && *size < sectors_32bit * 4096) {
            out.skip(table.parent, {sector_command(context.host, device_name(table.parent))});
            continue;
        }
        const std::uint64_t bytes = sector.value_or(4096);
        if (bytes == 0 || *size / bytes < sectors_32bit) continue;
        out.report(table.parent)
            .message(fmt::format("an MBR counts 32-bit sectors and cannot describe a disk of {} ({} sectors)",
                                 human_size(*size), *size / bytes))
            .evidence(size)
            .evidence(table.scheme)
            .cost(fmt::format("everything beyond {} is out of reach: {} here",
                              human_size(sectors_32bit * bytes), human_size(*size - sectors_32bit * bytes)))
            .change(Setting::table_scheme, device_name(table.parent), std::string("gpt"))
            .note(
                "A new table loses the partitions of the old one unless they are entered again at the same "
                "sectors; GPT needs 33 free sectors at the end and 34 at the start of the disk. Back up "
                "first. To boot from it the machine needs UEFI or a boot program for GPT.");
    }
}

}  // namespace

extern const Rule disk_mbr_size_limit;
const Rule disk_mbr_size_limit{
    {.code = "DISK002",
     .slug = "mbr-size-limit",
     .severity = Severity::error,
     .impact = 50,
     .summary = "an MBR on a disk of 2^32 sectors or more",
     .why = "Start and length of an MBR entry are 32-bit counts of sectors: 2 TiB with sectors of 512 bytes, "
            "16 TiB with 4096. Some tools clip silently, others wrap around and point into the beginning of "
            "the disk. A protective MBR in front of a GPT is as it should be.",
     .cost = "The part beyond the limit is unusable; an entry that wraps around destroys data. No figure "
             "applies.",
     .remedy = "GPT. Where the disk holds data: back up, make the new table, restore.",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "da0", "size_bytes": 3999955681280, "logical_sector_bytes": 512, "physical_sector_bytes": 512}],
        "tables": [{"parent": "da0", "scheme": "mbr"}], "partitions": [{"name": "da0s1", "parent": "da0", "scheme": "mbr",
        "start_bytes": 1048576, "size_bytes": 2199022206464, "type": "freebsd"}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "da0", "size_bytes": 3999955681280, "logical_sector_bytes": 512, "physical_sector_bytes": 512}],
        "tables": [{"parent": "da0", "scheme": "gpt"}]})",
     .references = "gpart(8), fdisk(8), gpt(8)"},
    check};

}  // namespace diskwright
