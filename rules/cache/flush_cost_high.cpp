// SPDX-License-Identifier: BSD-2-Clause
// CACHE002: flushes that reach the platter, many a second.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "rules/cache/flushing.hpp"
#include "rules/journal/protection.hpp"
#include "rules/sector_command.hpp"
#include "rules/sysctl.hpp"

namespace diskwright {
namespace {

struct Flushes {
    double per_s = 0, each_s = 0;
    std::vector<Provenance> from;
    bool counted = false;  // from commit counters: the time of each is not known
};

void advise(const RuleContext& context, const std::string& disk, Findings::Report& report) {
    const Disk* d = context.graph.disk(disk);
    const bool battery = d && d->cache_protected.is(true);
    if (battery && context.host.is(Os::netbsd) && !unflushed_filesystems(context).empty()) return;
    if (battery && context.host.is(Os::netbsd) && !wapbl_filesystems(context).empty()) {
        report.change(Setting::sysctl, "vfs.wapbl.flush_disk_cache", std::string("0"))
            .note(
                "The cache of this disk is known to be kept by a battery or flash, so the journal need not "
                "flush it; watch the battery.");
        return;
    }
    report.note(
        "Fewer commits: group commit or a longer commit interval in the application, noatime, a log of the "
        "default size, programs that do not call fsync for each file. Cheaper commits: the journal or the "
        "database's log on flash with power-loss protection, or a controller with a battery-backed cache. "
        "Turning flushes off is no answer: the cache here is not known to survive a power failure.");
}

void report_on(const RuleContext& context, const std::string& disk, const Flushes& f, Findings& out) {
    auto report = out.report(disk);
    if (f.counted)
        report
            .message(fmt::format("a journal flushes the write cache of a rotating disk {:.0f} times a second",
                                 f.per_s))
            .cost(fmt::format("each flush waits for the platter, 4 ms and more with 7200 rpm: {:.0f} of them "
                              "leave little of each second",
                              f.per_s));
    else
        report
            .message(fmt::format("{:.0f} flushes a second take {:.1f} ms each: they reach the platter",
                                 f.per_s, f.each_s * 1000))
            .cost(fmt::format("{:.0f} % of the time the disk does nothing but empty its cache",
                              std::min(100.0, f.per_s * f.each_s * 100)));
    for (const Provenance& p : f.from) report.evidence(p);
    advise(context, disk, report);
}

std::optional<Flushes> flushes_of(const IoTrace& trace, const Thresholds& t) {
    Flushes out;
    double rate = 0, time = 0;
    std::size_t samples = 0;
    for (const IoSample& s : trace.samples) {
        if (!s.flushes_per_s || !s.flush_await_ms) continue;
        ++samples, rate += *s.flushes_per_s, time += *s.flushes_per_s * *s.flush_await_ms / 1000;
        out.from.push_back(s.from);
    }
    if (samples == 0 || rate <= 0) return std::nullopt;
    out.per_s = rate / static_cast<double>(samples), out.each_s = time / rate;
    if (out.per_s < t.flushes_per_s || out.each_s <= t.flush_slow_s) return std::nullopt;
    return out;
}

// The rotating disks below the file system that a counter speaks of.
std::vector<std::string> disks_of(const RuleContext& context, const JournalRate& rate) {
    std::string device = rate.filesystem;
    const auto journals = wapbl_filesystems(context);
    const auto same = [&](const Journalled& j) {
        return same_device(j.device, rate.filesystem) || j.point == rate.filesystem;
    };
    const auto at = std::find_if(journals.begin(), journals.end(), same);
    if (at != journals.end())
        device = at->device;
    else if (journals.size() == 1)
        device = journals.front().device;
    else
        return {};
    return context.graph.disks_under(device);
}

void check(const RuleContext& context, Findings& out) {
    const Thresholds& t = context.thresholds;
    std::map<std::string, Flushes> found;
    for (const IoTrace& trace : context.host.io_traces) {
        if (context.graph.volume(trace.device) && !context.graph.disk(trace.device)) continue;
        if (auto f = flushes_of(trace, t)) found.try_emplace(device_name(trace.device), std::move(*f));
    }
    for (const Disk& d : context.host.disks)
        if (d.flush_latency_s && d.flushes_per_s && *d.flush_latency_s > t.flush_slow_s &&
            *d.flushes_per_s >= t.flushes_per_s)
            found.try_emplace(d.name, Flushes{*d.flushes_per_s,
                                              *d.flush_latency_s,
                                              {d.flush_latency_s.from(), d.flushes_per_s.from()},
                                              false});
    const bool flushing = sysctl_or(context.host, "vfs.wapbl.flush_disk_cache", "1") != "0";
    for (const JournalRate& r : context.host.journal_rates) {
        const Real& rate = r.flushes_per_s ? r.flushes_per_s : r.commits_per_s;
        if (!flushing || !rate || *rate < t.flushes_per_s) continue;
        for (const auto& disk : disks_of(context, r)) {
            const Disk* d = context.graph.disk(disk);
            if (d && !d->rotational && !d->write_cache.is(Switch::off))
                out.skip(disk, {rotation_command(context.host, disk)});
            if (!d || !d->rotational.is(true) || d->write_cache.is(Switch::off) ||
                d->cache_protected.is(true))
                continue;
            found.try_emplace(disk, Flushes{*rate, 0, {rate.from(), d->rotational.from()}, true});
        }
    }
    for (const auto& [disk, flushes] : found) report_on(context, disk, flushes, out);
}

}  // namespace

extern const Rule cache_flush_cost_high;
const Rule cache_flush_cost_high{
    {.code = "CACHE002",
     .slug = "flush-cost-high",
     .severity = Severity::warning,
     .impact = 5,
     .summary = "frequent flushes reach the platter",
     .why = "Each commit of a journal and each fsync ends in a cache flush (WAPBL: two for each commit). On "
            "a rotating disk it waits for the head and the platter, 4 to 20 ms; at 20 a second that is most "
            "of the disk's time. Behind a battery-backed cache or on flash with power-loss protection a "
            "flush takes well under a millisecond.",
     .cost = "Flushes a second x time of each. A parallel build of NetBSD 5 took 2:19:20 with flushes, 28:31 "
             "without, and 22:00 with flushes once a sync every second gathered the commits (kern/39564): "
             "the number of commits is the lever, not the flush.",
     .remedy = "Fewer commits (group commit, longer interval, less fsync), or a log device whose flush is "
               "cheap. Flushing off only with a known battery.",
     .bad =
         R"({"os": {"name": "linux"}, "disks": [{"name": "sda", "rotational": true, "write_cache": "on"}], "io_traces": [{"device": "sda", "run": 0, "interval_s": 10,
        "samples": [{"writes_per_s": 93, "write_kb_per_s": 770, "flushes_per_s": 45, "flush_await_ms": 18, "busy_percent": 85}]}]})",
     .good =
         R"({"os": {"name": "linux"}, "disks": [{"name": "nvme0n1", "rotational": false}], "io_traces": [{"device": "nvme0n1", "run": 0, "interval_s": 10,
        "samples": [{"writes_per_s": 96, "write_kb_per_s": 780, "flushes_per_s": 46, "flush_await_ms": 0.02, "busy_percent": 1}]}]})",
     .references = "wapbl(4), vmstat(1), iostat(1), fsync(2)"},
    check};

}  // namespace diskwright
