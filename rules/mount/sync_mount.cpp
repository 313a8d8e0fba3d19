// SPDX-License-Identifier: BSD-2-Clause
// MOUNT002: each write waits for the disk.
#include <fmt/format.h>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    for (const Mount& mount : context.host.mounts) {
        if (!mount.device || !mount.type || !on_local_disk(*mount.type)) continue;
        if (!mount.options) {
            out.skip(mount.point, {"mount"});
            continue;
        }
        if (!has_mount_option(mount.options, "sync") || read_only(mount) ||
            is_memory_disk(context, *mount.device))
            continue;
        // On a stick that is pulled at any moment it has its place.
        if (context.graph.medium(*mount.device).removable.is(true)) continue;
        const bool covered =
            has_log(context, mount) || has_softupdates(context, mount) || has_gjournal(context, mount);
        auto report = out.report(mount.point);
        report
            .message(
                fmt::format("{} is mounted sync: every write waits for the disk", device_name(*mount.device)))
            .evidence(mount.options)
            .cost(
                "an order of magnitude where many files are made: tar 156 minutes with sync, 36 with a "
                "journal; rm 60 and 5 minutes (one disk, NetBSD 2008)")
            .change(Setting::mount_option_off, mount.point, std::string("sync"));
        const bool ffs = is_ffs(*mount.type);
        const bool added = ffs && !covered && add_journal(context, mount, report);
        report.note(std::string(added ? "The journal or soft updates keep the file system consistent without "
                                        "waiting for each write. "
                                      : "") +
                    "Programs that need their data on the disk call fsync; mail servers do. On a set with "
                    "parity a NetBSD journal has a price of its own (JRNL002).");
    }
}

}  // namespace

extern const Rule mount_sync_mount;
const Rule mount_sync_mount{
    {.code = "MOUNT002",
     .slug = "sync-mount",
     .severity = Severity::notice,
     .impact = 10,
     .summary = "a file system is mounted sync",
     .why = "With sync each write, data and metadata, is on the disk before the call returns, also where "
            "nobody asked for it. A journal or soft updates keep the file system consistent, and fsync makes "
            "a file durable where a program wants that.",
     .cost = "An order of magnitude: tar 155:56 with sync, 35:52 with WAPBL, 39:06 with soft updates; rm "
             "59:55, 4:36, 9:11 (minutes:seconds, zhadum 2008).",
     .remedy =
         "Take sync out of fstab and put the journal there (NetBSD log), or turn on soft updates (FreeBSD).",
     .bad =
         R"({"os": {"name": "netbsd"}, "mounts": [{"device": "wd1e", "point": "/var/mail", "type": "ffs", "options": ["synchronous", "noatime", "local"]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "mounts": [{"device": "wd1e", "point": "/var/mail", "type": "ffs", "options": ["log", "noatime", "local"]}]})",
     .references = "mount(8), wapbl(4), fsync(2)"},
    check};

}  // namespace diskwright
