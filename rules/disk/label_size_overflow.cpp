// SPDX-License-Identifier: BSD-2-Clause
// DISK003: a disklabel with 32-bit counts on a disk beyond them.
//
// NetBSD sys/sys/disklabel.h and FreeBSD sys/sys/disklabel.h: d_secperunit and p_size are 32 bits wide.
// OpenBSD's label has had 48-bit sizes since 4.x and is never meant here.
#include <fmt/format.h>

#include "rules/disk/tables.hpp"

namespace diskwright {
namespace {

using namespace tables;

// Wedges are in use somewhere, so a label the kernel made up need not be what this disk is used by.
bool wedges_in_use(const HostFacts& host) {
    const auto wedge = [](std::string_view device) {
        const std::string name = device_name(device);
        return name.size() > 2 && name.starts_with("dk") && name[2] >= '0' && name[2] <= '9';
    };
    for (const Mount& m : host.mounts)
        if (m.device && wedge(*m.device)) return true;
    for (const Filesystem& f : host.filesystems)
        if (wedge(f.device)) return true;
    return false;
}

void check(const RuleContext& context, Findings& out) {
    if (context.host.is(Os::openbsd) || context.host.is(Os::linux_)) return;
    for (const PartitionTable& table : context.host.tables) {
        if (!table.scheme.is(Scheme::disklabel)) continue;
        if (has_table(context.host, table.parent, Scheme::gpt)) continue;
        const std::uint64_t sector = sector_of(context, table).value_or(512);
        if (sector == 0) continue;
        const Number device = context.graph.size_of(table.parent);
        const bool too_large = device && *device / sector >= sectors_32bit;
        // The label's own total stands at the largest 32-bit number: it was clipped, whatever the device's
        // size.
        const bool clipped = table.total_bytes && *table.total_bytes / sector == sectors_32bit - 1;
        if (!too_large && !clipped) continue;
        if (device && !too_large) continue;
        // A label of OpenBSD counts further.
        if (!context.host.os.name) {
            out.skip(table.parent, {"--os NAME-RELEASE"});
            continue;
        }
        if (table.fictitious.is(true) && wedges_in_use(context.host)) {
            out.skip(table.parent, {fmt::format("gpt show {}", device_name(table.parent))});
            continue;
        }
        auto report = out.report(table.parent);
        report
            .message(
                fmt::format("the disklabel counts 32-bit sectors and cannot describe {}{}{}",
                            too_large ? fmt::format("this device of {}", human_size(*device)) : "this device",
                            clipped ? fmt::format("; it is clipped at {} sectors", sectors_32bit - 1) : "",
                            table.fictitious.is(true) ? "; the label shown is 'fictitious': the kernel made "
                                                        "it up, nothing is written on the disk yet"
                                                      : ""))
            .evidence(table.total_bytes);
        if (too_large) report.evidence(device);
        report.evidence(table.fictitious)
            .cost(too_large ? fmt::format("{} beyond {} are out of reach",
                                          human_size(*device - (sectors_32bit - 1) * sector),
                                          human_size((sectors_32bit - 1) * sector))
                            : "everything beyond 2^32 sectors is out of reach")
            .change(Setting::table_scheme, device_name(table.parent), std::string("gpt"))
            .note(table.fictitious.is(true) ? "Nothing has been written, so nothing is lost: make a GPT and "
                                              "a wedge on it, and do not write this label."
                                            : "What the label's partitions hold has to be backed up first, "
                                              "or entered in the new table at the same sectors.");
    }
}

}  // namespace

extern const Rule disk_label_size_overflow;
const Rule disk_label_size_overflow{
    {.code = "DISK003",
     .slug = "label-size-overflow",
     .severity = Severity::error,
     .impact = 50,
     .summary = "a 32-bit disklabel on a device of 2^32 sectors or more",
     .why = "The disklabels of NetBSD and FreeBSD hold sizes and offsets in 32 bits. On a larger device the "
            "total is clipped at 4294967295 sectors (2 TiB with sectors of 512 bytes); a label that the "
            "kernel makes up for a disk without one is called fictitious and clipped in the same way. Where "
            "a GPT is in use the label does not matter; OpenBSD's label has 48-bit sizes.",
     .cost = "The part beyond the limit is unusable, and a partition typed by hand may wrap around. No "
             "figure applies.",
     .remedy = "GPT and wedges (NetBSD gpt(8), dkctl(8)), or gpart(8).",
     .bad =
         R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd1", "size_bytes": 6001175126016, "logical_sector_bytes": 512, "physical_sector_bytes": 512}],
        "tables": [{"parent": "wd1", "scheme": "disklabel", "total_bytes": 2199023255040, "sector_bytes": 512, "fictitious": true}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd1", "size_bytes": 2000398934016, "logical_sector_bytes": 512, "physical_sector_bytes": 512}],
        "tables": [{"parent": "wd1", "scheme": "disklabel", "total_bytes": 2000398934016, "sector_bytes": 512, "fictitious": true}]})",
     .references = "disklabel(5), disklabel(8), gpt(8), dkctl(8), bsdlabel(8)"},
    check};

}  // namespace diskwright
