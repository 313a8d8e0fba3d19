// SPDX-License-Identifier: BSD-2-Clause
// MOUNT006: file systems that are not checked at boot, or all at once with the root.
#include <fmt/format.h>

#include <vector>

#include "rules/journal/protection.hpp"

namespace diskwright {
namespace {

bool checked_at_boot(const RuleContext& context, const FstabEntry& e) {
    if (!e.type || !e.options || !(is_ffs(*e.type) || is_ext(*e.type)) || e.point.empty() ||
        e.point.front() != '/')
        return false;
    for (const std::string_view option : {"ro", "noauto", "bind", "rbind"})
        if (has_mount_option(e.options, option)) return false;
    return !is_memory_disk(context, e.device);
}

void check(const RuleContext& context, Findings& out) {
    std::vector<const FstabEntry*> first_pass;
    bool later = false, all = true;
    for (const FstabEntry& e : context.host.fstab) {
        all = all && e.type && e.options && e.pass;
        if (!checked_at_boot(context, e)) continue;
        if (!e.pass) {
            out.skip(e.point, {"cat /etc/fstab"});
            continue;
        }
        if (*e.pass == 1) first_pass.push_back(&e);
        if (*e.pass > 1) later = true;
        if (*e.pass != 0) continue;
        out.report(e.point)
            .message(fmt::format("pass 0 in fstab: {} is never checked at boot", device_name(e.device)))
            .evidence(e.pass)
            .cost(
                "damage after a crash stays and spreads until somebody runs fsck by hand; no figure applies")
            .change(Setting::fstab_pass, e.point, std::uint64_t{e.point == "/" ? 1U : 2U})
            .note(
                "1 is for the root file system, 2 for the others; with a journal or soft updates the check "
                "takes seconds.");
    }
    std::vector<const FstabEntry*> wrong;
    for (const FstabEntry* e : first_pass)
        if (e->point != "/") wrong.push_back(e);
    if (later || !all || first_pass.size() < 2 || wrong.empty()) return;
    auto report = out.report(wrong.front()->point);
    std::string names;
    for (const FstabEntry* e : wrong) names += (names.empty() ? "" : ", ") + e->point;
    report.message(fmt::format(
        "every file system is on fsck pass 1, {} too: they are checked one after the other with the root",
        names));
    for (const FstabEntry* e : first_pass) report.evidence(e->pass);
    report.cost(
        "booting after a crash takes the sum of all checks instead of the longest disk's; no figure applies");
    for (const FstabEntry* e : wrong) report.change(Setting::fstab_pass, e->point, std::uint64_t{2});
    report.note("On pass 2 file systems of different disks are checked at the same time, after the root.");
}

}  // namespace

extern const Rule mount_fsck_pass_wrong;
const Rule mount_fsck_pass_wrong{
    {.code = "MOUNT006",
     .slug = "fsck-pass-wrong",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "fsck passes in fstab are wrong",
     .why = "The sixth field of fstab says when fsck looks at a file system: 1 for the root, 2 for the "
            "others, 0 for never. FFS and ext are meant to be looked at, also "
            "with a journal, where it takes seconds. XFS, ZFS, Btrfs, memory disks, read-only and noauto "
            "entries rightly have 0.",
     .cost = "Damage that goes unnoticed, or a longer boot. No figure applies.",
     .remedy = "1 for the root file system, 2 for the others.",
     .bad =
         R"({"os": {"name": "freebsd"}, "fstab": [{"device": "da1p1", "point": "/data", "type": "ufs", "options": ["rw"], "dump": 0, "pass": 0}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "fstab": [{"device": "da0p2", "point": "/", "type": "ufs", "options": ["rw"], "dump": 1, "pass": 1},
        {"device": "da1p1", "point": "/data", "type": "ufs", "options": ["rw"], "dump": 2, "pass": 2}]})",
     .references = "fstab(5), fsck(8)"},
    check};

}  // namespace diskwright
