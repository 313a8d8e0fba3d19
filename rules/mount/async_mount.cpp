// SPDX-License-Identifier: BSD-2-Clause
// MOUNT001: metadata in no order at all.
#include <fmt/format.h>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    if (context.host.is(Os::linux_)) return;  // async is the default there, and means the data
    for (const Mount& mount : context.host.mounts) {
        if (!mount.device || !mount.type || !(is_ffs(*mount.type) || iequals(*mount.type, "lfs"))) continue;
        if (!mount.options) {
            out.skip(mount.point, {"mount"});
            continue;
        }
        if (!has_mount_option(mount.options, "async") || read_only(mount) ||
            is_memory_disk(context, *mount.device))
            continue;
        if (context.graph.medium(*mount.device).removable.is(true)) continue;
        // Its journal holds data and metadata of the provider, so async is how gjournal(8) wants it mounted.
        if (has_gjournal(context, mount)) continue;
        const bool logged = has_log(context, mount), soft = has_softupdates(context, mount);
        auto report = out.report(mount.point);
        report
            .message(fmt::format("{} is mounted async: metadata reaches the disk in any order",
                                 device_name(*mount.device)))
            .evidence(mount.options)
            .cost(
                "after a crash the file system may be beyond repair by fsck; the gain over soft updates or a "
                "journal is small (tar 34 minutes against 39 and 36 on one disk, NetBSD 2008)")
            .change(Setting::mount_option_off, mount.point, std::string("async"));
        if (!logged && !soft) add_journal(context, mount, report);
        report.note(logged ? "async beside log panics a NetBSD kernel with DIAGNOSTIC at the first commit."
                           : "For data that can be made again (object directories, caches) async is a "
                             "choice; keep it then and ignore this finding for the mount point.");
    }
}

}  // namespace

extern const Rule mount_async_mount;
const Rule mount_async_mount{
    {.code = "MOUNT001",
     .slug = "async-mount",
     .severity = Severity::warning,
     .impact = 40,
     .summary = "a BSD file system is mounted async",
     .why = "On the BSDs async means that metadata is written whenever it suits: after a crash directories, "
            "inodes and bitmaps are of different ages, and fsck can only guess. Soft updates or a journal "
            "are nearly as fast and safe. Memory file systems, md(4) and removable media have nothing to "
            "lose; on Linux the word means something else.",
     .cost = "The file system after a crash. Gained: tar 34:07 with async, 35:52 with WAPBL, 39:06 with soft "
             "updates, 155:56 with sync (zhadum 2008).",
     .remedy = "Take async out of fstab; mount with log (NetBSD) or turn on soft updates (FreeBSD).",
     .bad =
         R"({"os": {"name": "netbsd"}, "mounts": [{"device": "wd0e", "point": "/var", "type": "ffs", "options": ["asynchronous", "noatime", "local"]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "mounts": [{"device": "wd0e", "point": "/var", "type": "ffs", "options": ["log", "noatime", "local"]}]})",
     .references = "mount(8), wapbl(4), tunefs(8)"},
    check};

}  // namespace diskwright
