// SPDX-License-Identifier: BSD-2-Clause
// CACHE003: a rotating disk without its write cache.
#include <fmt/format.h>

#include <algorithm>

#include "rules/cache/flushing.hpp"
#include "rules/journal/protection.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

// UFS with soft updates sends no flush, so somebody may have turned the cache off on purpose.
bool carries_softupdates(const RuleContext& context, const std::string& disk) {
    for (const Mount& m : context.host.mounts) {
        if (!m.device || !m.type || !is_ffs(*m.type) || !has_softupdates(context, m)) continue;
        const auto below = context.graph.disks_under(*m.device);
        if (std::find(below.begin(), below.end(), disk) != below.end()) return true;
    }
    return false;
}

void check(const RuleContext& context, Findings& out) {
    const auto unflushed = unflushed_filesystems(context);
    for (const Disk& d : context.host.disks) {
        if (!d.write_cache.is(Switch::off) || d.removable.is(true) || d.ignores_flush.is(true)) continue;
        if (d.rotational.is(false)) continue;
        // Members of a controller's set leave caching to the controller.
        if (const Volume* v = context.graph.volume_with_component(d.name);
            v && v->kind.is(VolumeKind::hardware))
            continue;
        if (const Volume* v = context.graph.volume(d.name); v && v->kind.is(VolumeKind::hardware)) continue;
        if (std::any_of(unflushed.begin(), unflushed.end(),
                        [&](const Unflushed& u) { return u.disk == d.name; }))
            continue;
        if (!d.rotational) {
            // A controller's volume: its disks are the controller's business.
            if (!d.name.starts_with("adapter")) out.skip(d.name, {rotation_command(context.host, d.name)});
            continue;
        }
        auto report = out.report(d.name);
        report.message("the write cache of a rotating disk is off")
            .evidence(d.write_cache)
            .evidence(d.rotational)
            .cost(
                "each write waits for the platter: 12.9 MB/s instead of 75.0 MB/s sequentially (WD5001ABYS, "
                "FreeBSD 8.1)");
        // With the cache on each of those commits flushes it: CACHE002 would be next.
        if (const Real commits = counted_commits(context);
            commits && *commits >= context.thresholds.flushes_per_s) {
            report.evidence(commits).note(fmt::format(
                "Leave it off for now: a journal commits {:.0f} times a second, and with the cache on each "
                "commit would wait until the cache is flushed. Make commits rarer first (group commit, "
                "noatime, applications that sync less), then turn the cache on.",
                *commits));
            continue;
        }
        report.change(Setting::disk_write_cache, d.name, std::string("on"))
            .note(
                context.host.is(Os::freebsd) && carries_softupdates(context, d.name)
                    ? "UFS with soft updates sends no flushes: with the cache on, what fsync promised may be "
                      "lost with the power. Leave it off where that must not happen, or use gjournal or ZFS, "
                      "which flush."
                    : "Journals and file systems that flush are safe with the cache on. A database on a raw "
                      "device, or software that does not flush, may rely on it being off; SAS drives with "
                      "deep queues lose less by it than SATA drives.");
    }
}

}  // namespace

extern const Rule cache_write_cache_off;
const Rule cache_write_cache_off{
    {.code = "CACHE003",
     .slug = "write-cache-off",
     .severity = Severity::notice,
     .impact = 3,
     .summary = "the write cache of a rotating disk is off",
     .why = "Without its cache a disk answers a write when the sector has passed under the head, so each "
            "request costs a turn of the platter unless many are queued. File systems that flush their "
            "journal are safe with the cache on. Where flushes were turned off, or the drive ignores them, "
            "the cache off is right and nothing is said; the same holds for members of a controller's set.",
     .cost = "75.0 and 12.9 MB/s sequentially with and without cache (WD5001ABYS, 7200 rpm, FreeBSD 8.1).",
     .remedy = "Turn the cache on and make it last over a restart (dkctl, camcontrol, hdparm).",
     .bad =
         R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd1", "write_cache": "off", "rotational": true, "physical_sector_bytes": 512}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd1", "write_cache": "on", "rotational": true, "physical_sector_bytes": 512}]})",
     .references = "dkctl(8), camcontrol(8), atactl(8), hdparm(8)"},
    check};

}  // namespace diskwright
