// SPDX-License-Identifier: BSD-2-Clause
// RAID002: parity or mirror halves that do not match the data.
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

void check_raidframe(const Volume& set, Findings& out) {
    // What the label of a set in use says, and that of one that was not shut down.
    if (!set.parity_clean && !set.parity_clean.why_unknown().empty() && is_redundant(set))
        out.skip(set.name, {status_command(set)});
    if (!set.parity_clean.is(false)) return;
    // A RAID 0 has no parity and always prints DIRTY; it is never rewritten either.
    const bool rewriting =
        set.activity.is(Activity::parity_rewrite) && !set.activity_progress.is(Progress::paused);
    if (!set.level && !rewriting) {
        out.skip(set.name, {"raidctl -G " + set.name});
        return;
    }
    if (set.level && !is_redundant(set)) return;
    auto report = out.report(set.name);
    report
        .message(set.level.is(RaidLevel::raid1)
                     ? "the halves of the mirror are not known to be equal (parity DIRTY)"
                     : "the parity is not known to match the data (parity DIRTY)")
        .evidence(set.parity_clean);
    if (rewriting)
        report.evidence(set.activity)
            .note("the rewrite is running; the set protects its data when it is done");
    else if (losses(set).any())
        report.note(
            "a component is lost as well: what it held is computed from this parity. Copy the data elsewhere "
            "and check it before a rebuild makes the result permanent");
    else
        report.change(Setting::raid_parity_rewrite, set.name, true)
            .note("the set can be used while the rewrite runs; parity is initialised before newfs, once");
}

// Known from the members' own metadata alone, with no word of a system that runs the set.
bool is_at_rest(const Volume& set) {
    return set.parity_clean.from().kind() == Provenance::Kind::device && !set.activity &&
           (!set.state || set.state.from().kind() == Provenance::Kind::device ||
            set.state.from().kind() == Provenance::Kind::inferred);
}

void check_md(const Volume& set, Findings& out) {
    if (set.activity.is(Activity::resync) && set.activity_progress.is(Progress::pending)) {
        auto report = out.report(set.name);
        report.message("the copies or the parity still have to be made equal, and that has not begun")
            .evidence(set.activity)
            .evidence(set.activity_progress)
            .change(Setting::raid_parity_rewrite, set.name, true);
        if (set.auto_read_only.is(true))
            report.at_most(Severity::notice)
                .evidence(set.auto_read_only)
                .note(
                    "the set is still read-only by itself; the resynchronisation begins with the first "
                    "write, or at once when it is made read-write");
        return;
    }
    // A running set is marked dirty whenever it writes; only one that stopped so has something to make up
    // for.
    if (set.parity_clean.is(false) && is_redundant(set) && (is_inactive(set) || is_at_rest(set)))
        out.report(set.name)
            .message("the set stopped while writes were under way and was not started since")
            .evidence(set.parity_clean)
            .evidence(set.state)
            .note(
                "it is resynchronised when it starts; a degraded RAID 5 or 6 that stopped like this may have "
                "lost the stripes being written: check the file system afterwards");
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (set.kind.is(VolumeKind::raidframe)) check_raidframe(set, out);
        if (set.kind.is(VolumeKind::md)) check_md(set, out);
    }
}

}  // namespace

extern const Rule raid_parity_not_clean;
const Rule raid_parity_not_clean{
    {.code = "RAID002",
     .slug = "parity-not-clean",
     .severity = Severity::error,
     .impact = 500,
     .summary = "the parity, or the halves of a mirror, are not known to match the data",
     .why = "After a crash, or before the first initialisation, a component's data can't be recomputed: with "
            "the parity wrong, a disk failure returns garbage in place of what was on it. RAIDframe prints "
            "'Parity status: DIRTY' (always for RAID 0, which has none; 'Clean: No' in a label is normal "
            "while the set is in use). md says 'resync=PENDING', which waits for the first write while the "
            "set is auto-read-only.",
     .cost = "Wrong data after the next disk failure. RAIDframe rebuilds one 64 KiB unit per clock tick: 6.4 "
             "MB/s at HZ=100 (tech-kern, 2011), so a rewrite of a large set takes many hours.",
     .remedy = "raidctl -i (or -P) on NetBSD; mdadm --readwrite on Linux. With a component lost as well, "
               "save the data first.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 3, "spares": 1, "autoconfigure": true, "parity_clean": false, "parity_map": true, "state": "optimal"}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "columns": 3, "autoconfigure": true, "parity_clean": false, "state": "optimal"}]})",
     .references = "raidctl(8), raid(4), md(4)"},
    check};

}  // namespace diskwright
