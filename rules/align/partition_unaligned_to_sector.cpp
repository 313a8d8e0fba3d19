// SPDX-License-Identifier: BSD-2-Clause
// ALIGN001: a partition that does not start on a physical sector boundary of its disk.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/placement.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// On a striped volume whose unit holds whole 4096-byte sectors a start off the unit is ALIGN002's or
// ALIGN003's finding, and a certain one.
bool said_by_stripe_rules(const RuleContext& context, const Partition& p, const SectorVerdict& verdict) {
    const auto below = context.graph.on_volume(p.name);
    if (!below.volume || !is_striped(*below.volume)) return false;
    const auto unit = below.volume->stripe_unit_bytes.value_or(0);
    return unit >= 4096 && unit % 4096 == 0 && verdict.start_bytes % unit != 0;
}

// What tools said of misaligned starts, by device. A tool says it once or twice, never thousands of times.
std::vector<const Event*> misaligned_events(const HostFacts& host) {
    std::vector<const Event*> out;
    for (const Event& e : host.events)
        if (e.kind == Event::Kind::misaligned && !e.subject.empty() && out.size() < 100) out.push_back(&e);
    return out;
}
const Event* about(const std::vector<const Event*>& events, std::string_view device) {
    for (const Event* e : events)
        if (same_device(e->subject, device)) return e;
    return nullptr;
}

void fix(const RuleContext& context, const Partition& p, Findings::Report& report) {
    if (advise_member_move(context, p, report)) return;
    const auto changes = move_start(context, p);
    for (const Change& c : changes) report.change(c.setting, c.subject, c.value);
    const Partition* slice = p.parent.empty() ? nullptr : context.graph.partition(p.parent);
    if (changes.empty())
        report.note("make the partition again at a multiple of 1 MiB");
    else if (slice && slice->start_bytes && *slice->start_bytes % 4096 != 0)
        report.note("the slice " + slice->name +
                    " is what starts off the boundary: starting it at 1 MiB cures every partition in it");
    else
        report.note("save the data first; the file system has to be made anew in the moved partition");
}

void judge_partition(const RuleContext& context, const Partition& p, const Event* event, Findings& out) {
    const auto verdict = sector_verdict(context, p);
    const auto sector_number = verdict.start_bytes / 512;
    const bool reported = p.misaligned_reported.is(true) || event;
    switch (verdict.kind) {
        case SectorVerdict::Kind::aligned:
            return;
        case SectorVerdict::Kind::unaligned: {
            auto report = out.report(p.name);
            report.message(fmt::format(
                "starts at byte {} (sector {}) of {}, which is no multiple of the {}-byte physical sector",
                verdict.start_bytes, sector_number, verdict.base, *verdict.sector_bytes));
            for (const auto& from : verdict.evidence) report.evidence(from);
            fix(context, p, report);
            return;
        }
        case SectorVerdict::Kind::unaligned_if_4096: {
            if (said_by_stripe_rules(context, p, verdict)) return;
            auto report = out.report(p.name);
            report.message(fmt::format("starts at byte {} (sector {}) of {}, which is no multiple of 4096",
                                       verdict.start_bytes, sector_number, verdict.base));
            for (const auto& from : verdict.evidence) report.evidence(from);
            if (reported) {
                report.evidence(event ? event->from : p.misaligned_reported.from());
            } else {
                report.conditional("physical sector is 4096");
            }
            fix(context, p, report);
            if (!reported && !verdict.missing.empty())
                report.note(fmt::format("{} shows the physical sector; nothing to do where it is 512",
                                        verdict.missing.front()));
            return;
        }
        case SectorVerdict::Kind::unknown:
            break;
    }
    if (reported) {
        out.report(p.name)
            .message(
                "a tool refuses or warns because this partition does not start on a physical sector boundary")
            .evidence(event ? event->from : p.misaligned_reported.from())
            .note("make the partition again at a multiple of 1 MiB; never override the warning");
    } else if (!verdict.missing.empty()) {
        out.skip(p.name, verdict.missing);
    }
}

void check(const RuleContext& context, Findings& out) {
    const NamedTwice named_twice(context);
    const auto events = misaligned_events(context.host);
    for (const Partition& p : context.host.partitions) {
        if (!start_matters(context, p) || named_twice(p)) continue;
        judge_partition(context, p, about(events, p.name), out);
    }
    // Devices that a tool complained of and no listing shows.
    for (const Event* e : events) {
        const bool known = context.graph.partition(e->subject) || context.graph.disk(e->subject) ||
                           context.graph.volume(e->subject);
        if (known || about(events, e->subject) != e) continue;
        out.report(e->subject)
            .message(
                "a tool refuses or warns because this partition does not start on a physical sector boundary")
            .evidence(e->from)
            .note("make the partition again at a multiple of 1 MiB; never override the warning");
    }
}

}  // namespace

extern const Rule align_partition_unaligned_to_sector;
const Rule align_partition_unaligned_to_sector{
    {.code = "ALIGN001",
     .slug = "partition-unaligned-to-sector",
     .severity = Severity::warning,
     .impact = 5,
     .summary = "a partition does not start on a physical sector boundary",
     .why = "A disk of 4096-byte physical sectors that shows 512-byte ones must read, change and rewrite a "
            "whole sector for every write that covers part of it. FFS, ext and XFS put every block at a "
            "multiple of its size from the start of the partition, so one bad start makes nearly every write "
            "of the file system begin and end inside a sector. Sector 63 (MBR tracks), 34 (first free sector "
            "of a GPT) and 16 sectors into a slice are the usual ways to get there. Reads are hardly slower, "
            "and nothing is lost where the physical sector is 512 bytes. Whole-disk entries, boot, EFI and "
            "reserved partitions, extended containers and slices that only hold a label are not judged, nor "
            "schemes that are bound to cylinders (VTOC8).",
     .cost = "Published: 3.0 times (4 KiB writes) and 3.7 times (8 KiB writes) slower on a 2 TB drive of "
             "2010 (lulf.no), 10 times slower restores and 5 times slower newfs (freebsd-current, January "
             "2010, 014683), 250 against 366 MiB/s on a RAID 10 (A-Team Systems, 2012).",
     .remedy =
         "Start partitions at multiples of 1 MiB (gpart add -a 1m, gpt add -a 1m, sector 2048 in fdisk and "
         "disklabel). An existing partition must be saved, moved and restored.",
     .bad =
         R"({"disks": [{"name": "ada0", "size_bytes": 2000398934016, "logical_sector_bytes": 512, "physical_sector_bytes": 4096, "rotational": true}], "partitions": [{"name": "ada0p1", "parent": "ada0", "scheme": "gpt", "start_bytes": 17408, "size_bytes": 2000398900000, "type": "freebsd-ufs"}]})",
     .good =
         R"({"disks": [{"name": "ada0", "size_bytes": 2000398934016, "logical_sector_bytes": 512, "physical_sector_bytes": 4096, "rotational": true}], "partitions": [{"name": "ada0p1", "parent": "ada0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 2000397868544, "type": "freebsd-ufs"}]})",
     .references =
         "gpart(8), gpt(8), disklabel(8), newfs(8); FreeBSD sys/cam/ata/ata_da.c (drives known to be 4096)"},
    check};

}  // namespace diskwright
