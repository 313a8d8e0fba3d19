// SPDX-License-Identifier: BSD-2-Clause
// DISK001: a SATA disk behind a driver in legacy ATA mode.
#include <fmt/format.h>

#include "rules/rule.hpp"

namespace diskwright {
namespace {

// The largest parallel ATA drive held 750 GB; what is larger is SATA.
constexpr std::uint64_t largest_parallel_bytes = 760'000'000'000;

bool is_sata(const Disk& disk) {
    if (disk.transport) return iequals(*disk.transport, "sata");
    return disk.size_bytes && *disk.size_bytes > largest_parallel_bytes;
}

const Event* said_so(const HostFacts& host, const std::string& disk) {
    for (const Event& e : host.events)
        if (e.kind == Event::Kind::legacy_driver && same_device(e.subject, disk)) return &e;
    return nullptr;
}

void report_on(const RuleContext& context, std::string_view subject, const Provenance& from, Findings& out) {
    out.report(subject)
        .message("the disk is driven in legacy ATA mode, so it takes one request at a time")
        .evidence(from)
        .cost(
            "without native command queueing the drive cannot order its work: under parallel small reads and "
            "writes a 7200 rpm disk loses a third to a half; no figure was published for this host")
        .note(context.host.is(Os::freebsd)
                  ? "Set the controller to AHCI in the firmware and let ahci(4) attach; since FreeBSD 9 the "
                    "disks are then ada0 instead of ad4: put labels or GPT names into /etc/fstab and "
                    "loader.conf before the change."
                  : "Set the controller to AHCI in the firmware. Names of disks may change with it: make "
                    "sure that fstab does not depend on them.");
}

void check(const RuleContext& context, Findings& out) {
    for (const Disk& disk : context.host.disks) {
        const Event* event = said_so(context.host, disk.name);
        const bool legacy =
            disk.driver_mode && (iequals(*disk.driver_mode, "ata") || iequals(*disk.driver_mode, "ide"));
        if (event)
            report_on(context, disk.name, event->from, out);
        else if (legacy && is_sata(disk))
            report_on(context, disk.name, disk.driver_mode.from(), out);
        else if (legacy && !disk.transport)
            out.skip(disk.name, {"dmesg"});
    }
    // A controller, or a disk of which nothing else is known.
    for (const Event& e : context.host.events)
        if (e.kind == Event::Kind::legacy_driver && !e.subject.empty() && !context.graph.disk(e.subject))
            report_on(context, e.subject, e.from, out);
}

}  // namespace

extern const Rule disk_legacy_driver_mode;
const Rule disk_legacy_driver_mode{
    {.code = "DISK001",
     .slug = "legacy-driver-mode",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "a SATA disk is driven in legacy ATA mode",
     .why = "In IDE or legacy mode a SATA controller behaves like one for parallel ATA: one command at a "
            "time, no hot plug, no native command queueing. A drive of real parallel ATA cannot do better "
            "and is not reported.",
     .cost = "Matters for parallel random load; a single sequential stream hardly notices. No figure is "
             "published.",
     .remedy = "Set the controller to AHCI in the firmware; check device names in fstab first.",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ad4", "model": "WDC WD5002ABYS-02B1B0", "size_bytes": 500107862016,
        "transport": "sata", "driver_mode": "ata"}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada0", "model": "WDC WD5002ABYS-02B1B0", "size_bytes": 500107862016,
        "transport": "sata", "driver_mode": "ahci"}]})",
     .references = "ahci(4), ata(4), ahcisata(4)"},
    check};

}  // namespace diskwright
