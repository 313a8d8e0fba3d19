// SPDX-License-Identifier: BSD-2-Clause
// CACHE001: flushes turned off over a cache that loses what it holds.
#include <fmt/format.h>

#include <map>
#include <set>

#include "probes/model/mount_options.hpp"
#include "rules/cache/flushing.hpp"

namespace diskwright {
namespace {

// What makes commits rarer where they are counted to come so often that flushing them will be slow
// (CACHE002). Counted is what came while a commit cost nothing; with flushing on each waits, so the rate
// itself is no prediction.
std::string limit_commits(const RuleContext& context, const std::vector<const Unflushed*>& users,
                          Findings::Report& report) {
    const Real most = counted_commits(context);
    if (!most || *most < context.thresholds.flushes_per_s) return {};
    report.evidence(most);
    for (const Unflushed* u : users) {
        const Mount* m = context.graph.mount_of(u->device);
        if (m && !has_mount_option(m->options, "noatime"))
            report.change(Setting::mount_option_on, m->point, std::string("noatime"));
    }
    return fmt::format(
        " The journal commits {:.0f} times a second, counted while that cost nothing: read the counters "
        "again "
        "afterwards, for CACHE002 may follow until the applications sync less.",
        *most);
}

void report_on(const RuleContext& context, const std::string& disk,
               const std::vector<const Unflushed*>& users, const Flag& cache, Findings& out) {
    const Unflushed& first = *users.front();
    std::string where;
    for (const Unflushed* u : users) {
        const std::string& name = u->point.empty() ? u->device : u->point;
        if (where.find(name) == std::string::npos || where.empty())
            where += (where.empty() ? "" : ", ") + name;
    }
    auto report = out.report(first.by == Unflushed::By::mount_option ? first.device : disk);
    const std::string_view cause = first.by == Unflushed::By::sysctl ? "vfs.wapbl.flush_disk_cache is 0"
                                   : first.by == Unflushed::By::mount_option
                                       ? "it is mounted without barriers"
                                       : "the drive ignores flushes";
    report
        .message(
            fmt::format("{}, and the write cache of {} does not survive a power failure: {} may be damaged",
                        cause, disk, where))
        .evidence(first.from)
        .evidence(cache)
        .cost(
            "data at risk: after a power failure the journal may say that blocks are written which the drive "
            "has lost, and replay makes it worse. What is gained is real (a parallel build 28:31 instead of "
            "2:19:20 on NetBSD 5), which is why people do it");
    switch (first.by) {
        case Unflushed::By::sysctl:
            report.change(Setting::sysctl, "vfs.wapbl.flush_disk_cache", std::string("1"));
            report.note(
                "Put it into /etc/sysctl.conf too. Then make commits rarer instead of unsafe: a sync every "
                "second beside a parallel build gathered them and took 22:00 with flushing on; noatime, a "
                "log "
                "of the default size, applications that sync less. Flushing may stay off only over a cache "
                "with a battery that is known to be good." +
                limit_commits(context, users, report));
            break;
        case Unflushed::By::mount_option:
            for (const Unflushed* u : users)
                if (!u->point.empty())
                    report.change(Setting::mount_option_off, u->point, std::string("nobarrier"));
            report.note(
                "Then make commits rarer instead of unsafe: a longer commit interval, group commit in the "
                "database. Barriers may stay off only over a cache with a battery that is known to be good.");
            break;
        case Unflushed::By::drive:
            report.change(Setting::disk_write_cache, disk, std::string("off"))
                .note(
                    "With the cache off each write reaches the medium before it is answered, which costs "
                    "speed; a drive that obeys flushes is the better answer.");
            break;
    }
}

void check(const RuleContext& context, Findings& out) {
    const auto unflushed = unflushed_filesystems(context);
    std::map<std::pair<std::string, int>, std::vector<const Unflushed*>> by_disk;
    for (const Unflushed& u : unflushed) by_disk[{u.disk, static_cast<int>(u.by)}].push_back(&u);
    std::set<std::string> reported;
    for (const auto& [key, users] : by_disk) {
        const Flag cache = volatile_cache(context, key.first);
        if (!cache) {
            out.skip(key.first, {cache.why_unknown()});
            continue;
        }
        if (!*cache) continue;
        // One finding where several members of a set lie below one mount.
        const bool option = users.front()->by == Unflushed::By::mount_option;
        if (reported.insert(option ? users.front()->device : key.first).second)
            report_on(context, key.first, users, cache, out);
    }
}

}  // namespace

extern const Rule cache_volatile_cache_unflushed;
const Rule cache_volatile_cache_unflushed{
    {.code = "CACHE001",
     .slug = "volatile-cache-unflushed",
     .severity = Severity::error,
     .impact = 150,
     .summary = "flushes are off over a volatile write cache",
     .why = "A journal promises order: the log is on the medium before the blocks it describes. A drive with "
            "a write cache keeps that promise only when the file system flushes the cache. "
            "vfs.wapbl.flush_disk_cache=0 on NetBSD, nobarrier or barrier=0 on Linux take the flush away, "
            "and some drives ignore it. With the cache off, or kept by a battery or flash, nothing is lost. "
            "UFS with soft updates on FreeBSD never flushes, neither for order nor for fsync; that is the "
            "system's default with a default cache and no finding, but who needs fsync to be durable there "
            "turns the cache off, or uses gjournal or ZFS.",
     .cost = "Data after a power failure. The gain that tempts: build.sh -j 16 took 2:19:20 with and 28:31 "
             "without flushes (NetBSD 5, kern/39564).",
     .remedy = "Flushes on, and fewer commits; or a write cache with a battery.",
     .bad =
         R"({"os": {"name": "netbsd"}, "sysctls": {"vfs.wapbl.flush_disk_cache": "0"}, "disks": [{"name": "wd0", "write_cache": "on", "physical_sector_bytes": 512}],
        "mounts": [{"device": "wd0a", "point": "/", "type": "ffs", "options": ["log", "local"]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "sysctls": {"vfs.wapbl.flush_disk_cache": "0"}, "disks": [{"name": "wd0", "write_cache": "on", "cache_protected": true,
        "physical_sector_bytes": 512}], "mounts": [{"device": "wd0a", "point": "/", "type": "ffs", "options": ["log", "local"]}]})",
     .references = "wapbl(4), dkctl(8), hdparm(8), mount(8)"},
    check};

}  // namespace diskwright
