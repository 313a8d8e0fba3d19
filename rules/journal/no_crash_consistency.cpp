// SPDX-License-Identifier: BSD-2-Clause
// JRNL001: a file system that needs a long fsck after a crash and may lose more than the last seconds.
#include <fmt/format.h>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

Number size_of(const RuleContext& context, const std::string& device) {
    if (const Filesystem* fs = context.graph.filesystem(device)) {
        if (fs->size_bytes) return fs->size_bytes;
        if (fs->used_bytes && fs->available_bytes)
            if (const auto sum = add(*fs->used_bytes, *fs->available_bytes))
                return Number(*sum, fs->used_bytes.from());
    }
    return context.graph.size_of(device);
}

// SD cards and eMMC by their drivers' names, and what is known to be removable.
bool small_medium(const RuleContext& context, const std::string& device) {
    if (context.graph.medium(device).removable.is(true)) return true;
    for (const auto& name : context.graph.disks_under(device)) {
        if (name.starts_with("mmcsd") || name.starts_with("sdmmc") || name.starts_with("mmcblk")) return true;
        const Disk* d = context.graph.disk(name);
        if (d && d->transport)
            for (const std::string_view bus : {"sd", "mmc", "emmc", "sdmmc"})
                if (iequals(*d->transport, bus)) return true;
    }
    return false;
}

void check(const RuleContext& context, Findings& out) {
    const HostFacts& host = context.host;
    if (!host.os.name || host.is(Os::linux_)) return;
    const auto release = release_of(host);
    for (const Mount& mount : host.mounts) {
        if (!mount.device || !mount.type || !is_ffs(*mount.type) || !mount.options) continue;
        const std::string device = device_name(*mount.device);
        if (read_only(mount) || is_memory_disk(context, device)) continue;
        // Mounted sync it is consistent at a price (MOUNT002); mounted async MOUNT001 says it, and mends
        // both.
        if (has_mount_option(mount.options, "sync") || has_mount_option(mount.options, "async")) continue;
        if (has_log(context, mount) || has_softupdates(context, mount) || has_gjournal(context, mount))
            continue;
        // mount -p prints fstab's options ("rw"), which do not tell of soft updates.
        if (host.is(Os::freebsd) || host.is(Os::dragonfly)) {
            const Filesystem* fs = context.graph.filesystem(device);
            if (has_mount_option(mount.options, "rw") && (!fs || !fs->softupdates)) {
                out.skip(mount.point, {"tunefs -p " + mount.point});
                continue;
            }
        }
        const FstabEntry* entry = fstab_at(host, mount.point);
        if (entry && (has_mount_option(entry->options, "noauto") || has_mount_option(entry->options, "ro")))
            continue;
        if (host.is(Os::openbsd)) {
            if (!release) {
                out.skip(mount.point, {"uname -r"});
                continue;
            }
            if (*release >= Release{7, 4}) continue;
        }
        const Number size = size_of(context, device);
        if (size && *size <= context.thresholds.unjournalled_above_bytes) continue;

        auto report = out.report(mount.point);
        report
            .message(fmt::format("{}{} is mounted read-write with neither a journal nor soft updates", device,
                                 size ? fmt::format(" of {}", human_size(*size)) : std::string{}))
            .evidence(mount.options);
        if (const Filesystem* fs = context.graph.filesystem(device)) report.evidence(fs->softupdates);
        report.evidence(size).cost(
            "after a crash or power failure the whole file system is checked before it can be used, minutes "
            "to hours, and directories may be lost; creating and removing files waits for the disk each time "
            "(untarring, one disk, NetBSD 2008: 156 minutes with sync, 36 with a journal, 39 with soft "
            "updates)");
        if (!size || small_medium(context, device)) report.at_most(Severity::notice);
        if (host.is(Os::openbsd)) report.at_most(Severity::info);
        add_journal(context, mount, report);
        if (host.is(Os::netbsd))
            report.note(parity_below(context, device)
                            ? "The log lies on a set with parity: its small synchronous writes cost there "
                              "(JRNL002), and still less than an fsck of the whole. FFSv1 file systems of "
                              "old layout need fsck_ffs -c 4 first."
                            : "The log is made at the first mount with this option. FFSv1 file systems of "
                              "old layout need fsck_ffs -c 4 first.");
        else if (host.is(Os::freebsd))
            report.note(
                "tunefs changes an unmounted file system, or the root file system in single-user mode while "
                "it is read-only. The journal of soft updates (tunefs -j enable) shortens fsck to seconds; "
                "before 13.2 it rules out snapshots and dump -L. gjournal is the choice where flushes must "
                "reach the disk.");
        else
            report.note("Soft updates order the writes; they are gone from OpenBSD 7.4 on.");
    }
}

}  // namespace

extern const Rule journal_no_crash_consistency;
const Rule journal_no_crash_consistency{
    {.code = "JRNL001",
     .slug = "no-crash-consistency",
     .severity = Severity::warning,
     .impact = 30,
     .summary = "a large FFS is mounted without journal or soft updates",
     .why = "Plain FFS writes metadata synchronously and needs a full fsck after a crash. NetBSD offers a "
            "log (mount -o log), FreeBSD soft updates, soft updates with a journal and gjournal, DragonFly "
            "soft updates, OpenBSD soft updates until 7.3. Small file systems, read-only ones, memory disks "
            "and those mounted by hand are not worth a word; OpenBSD 7.4 and later have nothing to offer.",
     .cost = "fsck of the whole file system at boot, and synchronous metadata: tar 156 minutes with sync, 39 "
             "with soft updates, 36 with WAPBL; rm 60, 9 and 5 minutes (NetBSD 5 on one disk, zhadum 2008).",
     .remedy = "NetBSD: the option log in fstab. FreeBSD: tunefs -n enable, and -j enable where snapshots "
               "are not needed or from 13.2 on.",
     .bad =
         R"({"os": {"name": "freebsd", "release": "12.1"}, "filesystems": [{"device": "ada0p4", "type": "ffs2", "size_bytes": 107374182400,
        "softupdates": false, "trim": false}], "disks": [{"name": "ada0", "rotational": true, "physical_sector_bytes": 512}],
        "mounts": [{"device": "ada0p4", "point": "/home", "type": "ufs", "options": ["local"]}]})",
     .good =
         R"({"os": {"name": "freebsd", "release": "12.1"}, "filesystems": [{"device": "ada0p4", "type": "ffs2", "size_bytes": 107374182400,
        "softupdates": true, "trim": false}], "disks": [{"name": "ada0", "rotational": true, "physical_sector_bytes": 512}],
        "mounts": [{"device": "ada0p4", "point": "/home", "type": "ufs", "options": ["local", "soft-updates"]}]})",
     .references = "wapbl(4), mount(8), tunefs(8), gjournal(8), mount_ffs(8)"},
    check};

}  // namespace diskwright
