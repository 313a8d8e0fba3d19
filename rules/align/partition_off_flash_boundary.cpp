// SPDX-License-Identifier: BSD-2-Clause
// ALIGN007: a partition on flash that does not start on an erase block, as far as that is known.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/placement.hpp"
#include "rules/rule.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

bool names_nvme(std::string_view disk) {
    return disk.starts_with("nvme") || disk.starts_with("nvd") || disk.starts_with("nda");
}

void check(const RuleContext& context, Findings& out) {
    const NamedTwice named_twice(context);
    for (const Partition& p : context.host.partitions) {
        if (!start_matters(context, p) || named_twice(p)) continue;
        const auto start = context.graph.start_on_base(p.name);
        const Disk* disk = context.graph.disk(start.base);
        if (!start.bytes || (!disk && context.graph.volume(start.base))) continue;
        const auto medium = context.graph.medium(start.base);
        const bool nvme = names_nvme(start.base);
        if (medium.rotational.is(true) || medium.thin.is(true)) continue;
        const Number erase = disk ? disk->erase_block_bytes : Number{};
        const bool measured = erase.value_or(0) > 0;
        const std::uint64_t boundary = measured ? *erase : context.thresholds.flash_boundary_bytes;
        if (boundary == 0 || *start.bytes % boundary == 0) continue;
        const auto sector = sector_verdict(context, p);
        if (sector.kind == SectorVerdict::Kind::unaligned ||
            sector.kind == SectorVerdict::Kind::unaligned_if_4096)
            continue;
        if (!medium.rotational && !nvme) {
            if (disk) out.skip(p.name, {rotation_command(context.host, start.base)});
            continue;
        }
        auto report = out.report(p.name);
        report
            .message(fmt::format(
                "starts at byte {} of {}, which is no multiple of {}", *start.bytes, start.base,
                measured ? fmt::format("the measured erase block of {}", human_size(boundary))
                         : fmt::format("{}, the least that erase blocks are", human_size(boundary))))
            .evidence(p.start_bytes)
            .evidence(medium.rotational);
        if (measured) report.evidence(erase);
        if (!measured && *start.bytes % 4096 == 0) report.at_most(Severity::info);
        const auto changes = move_start(context, p, boundary);
        for (const Change& c : changes) report.change(c.setting, c.subject, c.value);
        report.note(
            "worth it when the disk is partitioned again anyway, not by itself; the data must be saved "
            "first");
    }
}

}  // namespace

extern const Rule align_partition_off_flash_boundary;
const Rule align_partition_off_flash_boundary{
    {.code = "ALIGN007",
     .slug = "partition-off-flash-boundary",
     .severity = Severity::notice,
     .impact = 1.1,
     .summary = "a partition on flash does not start on an erase block",
     .why = "Flash is written in pages and erased in blocks of 64 KiB to several MiB. A file system whose "
            "blocks straddle pages or erase blocks makes the controller move more data than was written, "
            "which costs speed on simple controllers (cards, sticks, old SSDs) and life on all. A start on "
            "4096 bytes avoids the worst; whole erase blocks matter little on a good SSD, so that is only "
            "info.",
     .cost = "No figure is published for good SSDs. On cheap cards the step at the erase block is measurable "
             "(flashbench); there 4 MiB is the usual boundary.",
     .remedy = "Start partitions at a multiple of 1 MiB (4 MiB on cards) when the disk is next partitioned.",
     .bad =
         R"({"disks": [{"name": "ada0", "rotational": false, "size_bytes": 256060514304, "logical_sector_bytes": 512, "physical_sector_bytes": 512}], "partitions": [{"name": "ada0p2", "parent": "ada0", "scheme": "gpt", "start_bytes": 32256, "size_bytes": 200000000000, "type": "freebsd-ufs"}]})",
     .good =
         R"({"disks": [{"name": "ada0", "rotational": false, "size_bytes": 256060514304, "logical_sector_bytes": 512, "physical_sector_bytes": 512}], "partitions": [{"name": "ada0p2", "parent": "ada0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 200000000000, "type": "freebsd-ufs"}]})",
     .references = "gpart(8) -a, gpt(8) -a; flashbench"},
    check};

}  // namespace diskwright
