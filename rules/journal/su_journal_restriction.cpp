// SPDX-License-Identifier: BSD-2-Clause
// JRNL005: the journal of soft updates in the way of snapshots.
//
// Before FreeBSD 13.2 snapshots of a file system with journaled soft updates are refused (FreeBSD 13.2
// release notes).
#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

struct Journaled {
    std::string device, point;
    Provenance from;
};

std::vector<Journaled> su_journals(const RuleContext& context) {
    std::map<std::string, Journaled> found;
    for (const Filesystem& fs : context.host.filesystems) {
        if (!fs.su_journal.is(true)) continue;
        const Mount* m = context.graph.mount_of(fs.device);
        found.try_emplace(fs.device, Journaled{fs.device, m ? m->point : fs.last_mounted_on.value_or({}),
                                               fs.su_journal.from()});
    }
    for (const Mount& m : context.host.mounts) {
        if (!m.device || !has_mount_option(m.options, "suj")) continue;
        const Filesystem* fs = context.graph.filesystem(*m.device);
        if (fs && fs->su_journal.known()) continue;
        found.try_emplace(device_name(*m.device),
                          Journaled{device_name(*m.device), m.point, m.options.from()});
    }
    std::vector<Journaled> out;
    for (auto& [device, j] : found) out.push_back(std::move(j));
    return out;
}

void check(const RuleContext& context, Findings& out) {
    if (context.host.os.name && !context.host.is(Os::freebsd)) return;
    const auto release = release_of(context.host);
    if (release && *release >= Release{13, 2}) return;
    for (const Journaled& j : su_journals(context)) {
        const Event *refused = nullptr, *scheduled = nullptr;
        for (const Event& e : context.host.events) {
            if (e.kind != Event::Kind::snapshot_refused && e.kind != Event::Kind::snapshot_scheduled)
                continue;
            // A line that names no file system may mean any of them.
            if (!e.subject.empty() && e.subject != j.point && !same_device(e.subject, j.device)) continue;
            const Event*& into = e.kind == Event::Kind::snapshot_refused ? refused : scheduled;
            if (!into) into = &e;
        }
        if (!refused && !scheduled) continue;
        if (!refused && !release) {
            out.skip(j.device, {"uname -r"});
            continue;
        }
        auto report = out.report(j.device);
        report
            .message(fmt::format("the journal of soft updates rules out snapshots on {}, and {}",
                                 release ? "FreeBSD " + *context.host.os.release : "this release",
                                 refused ? "one was refused" : "they are scheduled"))
            .evidence(j.from)
            .evidence((refused ? refused : scheduled)->from);
        report.evidence(context.host.os.release)
            .cost("backups made with dump -L fail, or are taken from the file system while it changes")
            .change(Setting::ffs_su_journal, j.device, false)
            .note(
                "Soft updates stay on, so the file system remains consistent; fsck runs in the background or "
                "takes longer after a crash. The alternative is FreeBSD 13.2 or later, where both work "
                "together. The file system has to be unmounted or read-only for the change; afterwards the "
                "file .sujournal in its root can be removed.");
    }
}

}  // namespace

extern const Rule journal_su_journal_restriction;
const Rule journal_su_journal_restriction{
    {.code = "JRNL005",
     .slug = "su-journal-restriction",
     .severity = Severity::notice,
     .impact = 5,
     .summary = "the soft updates journal blocks snapshots that are wanted",
     .why = "Up to FreeBSD 13.1 a file system with journaled soft updates takes no snapshots: mksnap_ffs and "
            "dump -L fail. The installer turns the journal on by default, so backups that used to work stop. "
            "Reported only where a refused snapshot or a line that schedules one is seen; from 13.2 on both "
            "work together.",
     .cost = "Failed backups. No figure applies.",
     .remedy = "tunefs -j disable on the unmounted file system (soft updates remain), or FreeBSD 13.2.",
     .bad =
         R"({"os": {"name": "freebsd", "release": "12.1-RELEASE"}, "filesystems": [{"device": "ada0p2", "type": "ffs2", "softupdates": true, "su_journal": true}],
        "mounts": [{"device": "ada0p2", "point": "/", "type": "ufs", "options": ["local", "journaled soft-updates"]}],
        "events": [{"subject": "/", "kind": "snapshot_refused", "detail": "mksnap_ffs"}]})",
     .good =
         R"({"os": {"name": "freebsd", "release": "13.2-RELEASE"}, "filesystems": [{"device": "ada0p2", "type": "ffs2", "softupdates": true, "su_journal": true}],
        "mounts": [{"device": "ada0p2", "point": "/", "type": "ufs", "options": ["local", "journaled soft-updates"]}],
        "events": [{"subject": "/", "kind": "snapshot_scheduled", "detail": "dump -0Lauf"}]})",
     .references = "tunefs(8), dump(8), mksnap_ffs(8); FreeBSD 13.2 release notes"},
    check};

}  // namespace diskwright
