// SPDX-License-Identifier: BSD-2-Clause
// JRNL002: a NetBSD journal on a set with parity, and commits that come often.
//
// Each commit writes log records and one of two commit blocks, with a cache flush before and after (NetBSD
// sys/kern/vfs_wapbl.c); from NetBSD 7 on neighbouring log writes are gathered.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "rules/journal/protection.hpp"
#include "rules/workload.hpp"

namespace diskwright {
namespace {

struct Reason {
    std::string text;
    Provenance from;
};

std::optional<Reason> commit_counters(const RuleContext& context, const Journalled& j, std::size_t journals) {
    for (const JournalRate& r : context.host.journal_rates) {
        if (!r.commits_per_s || *r.commits_per_s < context.thresholds.frequent_commits_per_s) continue;
        // vmstat -e names the file system by its fsid; with one journal there is no doubt.
        if (same_device(r.filesystem, j.device) || r.filesystem == j.point || journals == 1)
            return Reason{fmt::format("{:.0f} commits a second", *r.commits_per_s), r.commits_per_s.from()};
    }
    return std::nullopt;
}

std::optional<Reason> stated_load(const RuleContext& context) {
    const WorkloadWord* load = find_workload(context.workload);
    if (!load || !load->commits_often) return std::nullopt;
    return Reason{fmt::format("the stated workload '{}'", context.workload), {}};
}

std::optional<Reason> exported(const Journalled& j) {
    if (j.filesystem && j.filesystem->exported.is(true))
        return Reason{"its NFS export", j.filesystem->exported.from()};
    if (j.mount && has_mount_option(j.mount->options, "exported"))
        return Reason{"its NFS export", j.mount->options.from()};
    return std::nullopt;
}

std::optional<Reason> seen_load(const RuleContext& context, const Volume& set) {
    const auto stripe = full_stripe_bytes(set);
    for (const IoTrace& t : context.host.io_traces) {
        if (!same_device(t.device, set.name) || !stripe) continue;
        for (const IoSample& s : t.samples)
            if (!s.since_boot && s.writes_per_s && s.write_kb_per_s &&
                *s.writes_per_s >= context.thresholds.small_write_rate &&
                *s.write_kb_per_s * 1024 / *s.writes_per_s <
                    context.thresholds.small_write_stripe_share * static_cast<double>(*stripe))
                return Reason{fmt::format("{:.0f} small writes a second on the set", *s.writes_per_s),
                              s.from};
    }
    return std::nullopt;
}

// The same command with and without: only that a pair differs widely is known, not which had the log.
std::optional<Reason> timing_pair(const RuleContext& context) {
    std::map<std::string, const Timing*> first;
    for (const Timing& t : context.host.timings) {
        if (t.command.empty() || t.command == "?" || !t.real_s) continue;
        const auto [at, fresh] = first.emplace(t.command, &t);
        if (fresh) continue;
        const double a = *at->second->real_s, b = *t.real_s;
        if (std::max(a, b) >= 1 &&
            std::max(a, b) >= context.thresholds.same_command_time_factor * std::max(std::min(a, b), 0.01))
            return Reason{fmt::format("timings of '{}' that differ by {:.1f}", t.command,
                                      std::max(a, b) / std::max(std::min(a, b), 0.01)),
                          t.real_s.from()};
    }
    return std::nullopt;
}

void check(const RuleContext& context, Findings& out) {
    const auto journals = wapbl_filesystems(context);
    for (const Journalled& j : journals) {
        if (j.mount && read_only(*j.mount)) continue;
        const Volume* set = parity_below(context, j.device);
        if (!set || set->level.is(RaidLevel::raid3)) continue;
        const auto release = release_of(context.host);
        const bool old = release && release->major <= 6 && context.host.is(Os::netbsd);
        std::optional<Reason> reason = commit_counters(context, j, journals.size());
        if (!reason) reason = exported(j);
        if (!reason) reason = stated_load(context);
        if (!reason) reason = seen_load(context, *set);
        if (!reason) reason = timing_pair(context);
        if (!reason && !old) {
            out.skip(j.device, {"vmstat -e", "--for WORKLOAD"});
            continue;
        }
        auto report = out.report(j.device);
        report
            .message(fmt::format(
                "the journal lies on {} (RAID {}), where each commit costs two read-modify-writes and two "
                "flushes{}{}",
                set->name, to_string(*set->level),
                reason ? fmt::format(", and {} shows that commits are frequent", reason->text) : "",
                old ? fmt::format("; NetBSD {} does not gather log writes yet", *context.host.os.release)
                    : ""))
            .evidence(j.from)
            .evidence(set->level);
        if (reason) report.evidence(reason->from);
        if (old) report.evidence(context.host.os.release);
        report
            .cost(
                "svn update on RAID 5 with a unit of 4 KiB: 31 s without log, 56 s with it; 3000 touch and "
                "rm: 56 s and 110 s (NetBSD 6.0). With one block per unit (64 KiB) the command took 1.7 s, "
                "and the disks another 36")
            .note(std::string("Keep the log: without it the whole file system is checked after a crash. What "
                              "makes commits rarer or cheaper: ") +
                  (old ? "NetBSD 7 or later, which gathers the log's writes; " : "") +
                  "a controller or disks with a battery-backed write cache (only then may "
                  "vfs.wapbl.flush_disk_cache be 0); applications that sync "
                  "less often; a block no larger than the stripe unit; for NFS, mail and databases a mirror "
                  "instead of parity.");
    }
}

}  // namespace

extern const Rule journal_wapbl_on_parity;
const Rule journal_wapbl_on_parity{
    {.code = "JRNL002",
     .slug = "wapbl-on-parity",
     .severity = Severity::notice,
     .impact = 2,
     .summary = "a WAPBL journal on RAID 4, 5 or 6 with frequent commits",
     .why = "Log records and commit blocks are small synchronous writes, which RAIDframe turns into "
            "read-modify-writes, with a flush of all members before and after. That matters when commits "
            "come often: fsync by mail, databases and NFS, or many small operations. With few commits the "
            "log is faster than no log, also on parity. NetBSD 6 and earlier write each log record by "
            "itself.",
     .cost = "Up to a factor of two: svn update 31 s and 56 s, touch/rm 56 s and 110 s on five disks (NetBSD "
             "6.0, 2012).",
     .remedy = "Never by removing the log. A newer NetBSD, a protected write cache, fewer syncs, a mirror "
               "for such loads.",
     .bad =
         R"({"os": {"name": "netbsd", "release": "6.1.5"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "parity_map": true, "spares": 1}],
        "mounts": [{"device": "raid0e", "point": "/home", "type": "ffs", "options": ["log", "noatime", "local"]}]})",
     .good =
         R"({"os": {"name": "netbsd", "release": "9.3"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "parity_map": true, "spares": 1}],
        "mounts": [{"device": "raid0e", "point": "/home", "type": "ffs", "options": ["log", "noatime", "local"]}]})",
     .references = "wapbl(4), raidctl(8), vmstat(1)"},
    check};

}  // namespace diskwright
