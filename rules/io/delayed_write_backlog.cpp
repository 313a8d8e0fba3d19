// SPDX-License-Identifier: BSD-2-Clause
// IO002: writes wait in long queues. The finding explains how the system delays writes and what sets the
// pace.
//
// Names and defaults: FreeBSD sys/kern/vfs_subr.c (filedelay, dirdelay, metadelay, 32 slots), vfs_bio.c
// (hirunningspace: at most 16 MiB, "the lower 1 MiB limit is the historical upper limit"); DragonFly
// sys/kern/vfs_sync.c; NetBSD sys/miscfs/syncfs/sync_subr.c (vfs.sync.*); OpenBSD sys/kern/vfs_sync.c (30 s,
// no sysctl); Linux Documentation/admin-guide/sysctl/vm.rst.
#include <fmt/format.h>

#include <algorithm>

#include "rules/io/traces.hpp"
#include "rules/sector_command.hpp"
#include "rules/sysctl.hpp"

namespace diskwright {
namespace {

using namespace io;

// The longest of what is printed: the service time of old Linux (svctm) leaves the wait in the queue out.
std::optional<double> wait_ms(const IoSample& s) {
    std::optional<double> longest;
    for (const auto& ms : {s.service_ms, s.read_await_ms, s.write_await_ms})
        if (ms && (!longest || *ms > *longest)) longest = ms;
    return longest;
}

bool is_backlog(const IoSample& s, const Thresholds& t) {
    const auto wait = wait_ms(s);
    return s.queue && *s.queue >= t.backlog_queue && wait && *wait >= t.backlog_ms;
}

// "30 s" of the sysctl when it is known, else of the default.
std::string seconds_of(const HostFacts& host, const char* name, std::string_view fallback) {
    const Text* value = sysctl_of(host, name);
    return fmt::format("{} ({} s{})", name, value ? std::string_view(**value) : fallback,
                       value ? "" : " by default");
}

struct Figures {
    double queue, rate, write_bytes, bytes_per_s, wait_ms, busy;
};

std::optional<Figures> figures(const std::vector<const IoSample*>& hits) {
    std::vector<double> queue, rate, size, bytes, wait, busy;
    for (const IoSample* s : hits) {
        const auto mean = mean_write_bytes(*s);
        queue.push_back(*s->queue), wait.push_back(*wait_ms(*s));
        if (!mean) continue;
        rate.push_back(*s->writes_per_s), size.push_back(*mean), bytes.push_back(*s->write_kb_per_s * 1024);
        busy.push_back(s->busy_percent.value_or(0));
    }
    if (rate.empty()) return std::nullopt;
    return Figures{median(queue), median(rate), median(size), median(bytes), median(wait), median(busy)};
}

std::string backlog_arithmetic(const Figures& f) {
    return fmt::format(
        "{:.0f} queued requests x {} = {} wait for the disk; at {} writes/s ({}/s) it needs {} s to work "
        "them off, and every later request, reads too, stands behind them (shown: {:.0f} ms). One write by "
        "itself takes {} ms: the disk is not slow, the queue is long",
        f.queue, short_size(f.write_bytes), short_size(f.queue * f.write_bytes), short_number(f.rate),
        short_size(f.bytes_per_s), short_number(f.queue / f.rate), f.wait_ms, short_number(1000 / f.rate));
}

// What follows the last full queue: whether the disk or the timetable sets the length of the tail.
std::string tail_arithmetic(const IoTrace& trace, const Thresholds& t) {
    const auto samples = interval_samples(trace);
    const auto last =
        std::find_if(samples.rbegin(), samples.rend(), [&](const IoSample* s) { return is_backlog(*s, t); });
    if (last == samples.rend() || last == samples.rbegin() || !trace.interval_s) return {};
    double writes = 0, busy = 0, count = 0;
    for (auto s = last.base(); s != samples.end(); ++s)
        writes += (*s)->writes_per_s.value_or(0), busy += (*s)->busy_percent.value_or(0), ++count;
    if (count == 0 || writes / count < 1) return {};
    return fmt::format(
        " After the last full queue the trace goes on for {} s with {} writes/s at {} % busy ({:.0f} writes "
        "in all): {}.",
        short_number(count * *trace.interval_s), short_number(writes / count), short_number(busy / count),
        writes * *trace.interval_s,
        busy / count < 50 ? "the disk could do that many times faster, so this tail is the syncer's "
                            "timetable and not the disk"
                          : "the disk itself is the limit here");
}

// How the queue compares with what FreeBSD lets be under way.
std::string limit_arithmetic(const HostFacts& host, const Figures& f) {
    if (!host.is(Os::freebsd)) return {};
    const Text* shown = sysctl_of(host, "vfs.hirunningspace");
    const auto limit = shown ? sysctl_number(host, "vfs.hirunningspace") : std::optional(16 * MiB);
    const double queued = f.queue * f.write_bytes;
    if (!limit || queued < 0.75 * static_cast<double>(*limit) || queued > 1.25 * static_cast<double>(*limit))
        return {};
    return fmt::format(" The queue comes close to {} {}.",
                       shown ? "vfs.hirunningspace," : "the usual value of vfs.hirunningspace,",
                       short_size(static_cast<double>(*limit)));
}

std::string freebsd_text(const HostFacts& host) {
    std::string out = fmt::format(
        "Soft updates keep changed inodes, directories and bitmaps in memory and leave the writing to the "
        "syncer: metadata after {}, directories after {}, file data after {}. The syncer has 32 slots and "
        "serves one a second. A buffer that depends on one not yet on disk is written with that part rolled "
        "back, is dirty again at once and goes to a later slot, so a tree of many small files needs several "
        "rounds: 30 s is the length of one round, no limit of the whole. The bursts with pauses between them "
        "are these rounds.",
        seconds_of(host, "kern.metadelay", "28"), seconds_of(host, "kern.dirdelay", "29"),
        seconds_of(host, "kern.filedelay", "30"));
    const Text* high = sysctl_of(host, "vfs.hirunningspace");
    out += fmt::format(
        " How much may be under way to the disks at once is vfs.hirunningspace ({}); writers that hit it "
        "sleep until vfs.lorunningspace is reached.",
        high ? **high + " bytes"
             : "scaled with the buffer space up to 16 MiB since FreeBSD 9, 1 MiB as the historical limit: "
               "compare the variable with an older system that drains sooner");
    out +=
        " Knobs: lower vfs.lorunningspace and then vfs.hirunningspace (4 MiB of 6 KiB requests are 680 "
        "instead of 2700) for a shorter queue and quicker reads; lower kern.metadelay, kern.dirdelay and "
        "kern.filedelay, in that rising order, to begin earlier and write in smaller lots; camcontrol tags "
        "shows how many requests the drive itself takes (32 with NCQ, 1 in legacy ATA mode): the rest waits "
        "in the kernel. None of them makes the sum of the work smaller; compare two systems by the time "
        "until sync has returned.";
    return out;
}

std::string system_text(const HostFacts& host) {
    if (!host.os.name)
        return "The system is not known, so neither is what delays its writes; name it with --os to see the "
               "mechanism and the knobs.";
    switch (*host.os.name) {
        case Os::freebsd:
            return freebsd_text(host);
        case Os::dragonfly:
            return fmt::format(
                "The syncer writes metadata after {}, directories after {} and files after {}, one slot a "
                "second; what depends on other blocks takes several rounds. Knobs: those three and "
                "kern.syncdelay, vfs.hirunningspace for what may be under way at once, vfs.hidirtybufspace "
                "for how much may be dirty.",
                seconds_of(host, "kern.metadelay", "28"), seconds_of(host, "kern.dirdelay", "29"),
                seconds_of(host, "kern.filedelay", "30"));
        case Os::netbsd:
            return fmt::format(
                "Dirty buffers and pages wait for the syncer: files {}, directories {}, metadata {}; with a "
                "journal (mount -o log) metadata goes to the log first and to its place when the log is "
                "flushed. There is no limit on bytes under way as FreeBSD has one, so a burst can fill the "
                "queue of the device. Knobs: vfs.sync.filedelay, vfs.sync.dirdelay and vfs.sync.metadelay "
                "(lower: smaller lots, earlier), vm.bufcache (percent of memory that metadata may fill), "
                "vm.filemax (file pages), and the log's size (tunefs -l).",
                seconds_of(host, "vfs.sync.filedelay", "30"), seconds_of(host, "vfs.sync.dirdelay", "15"),
                seconds_of(host, "vfs.sync.metadelay", "10"));
        case Os::openbsd:
            return "Dirty buffers wait up to 30 s for the syncer, which serves one of its slots a second; "
                   "there is no sysctl for the delay. Until 7.3 soft updates (mount -o softdep) held "
                   "metadata back in the same way, in several rounds. The knob is kern.bufcachepercent: a "
                   "smaller buffer cache holds fewer dirty buffers.";
        case Os::linux_:
            return fmt::format(
                "Writeback starts when vm.dirty_background_ratio (or _bytes) of memory is dirty or a page is "
                "older than {} hundredths of a second, every {} hundredths; writers are slowed down at "
                "vm.dirty_ratio (or _bytes). Knobs: vm.dirty_background_bytes and vm.dirty_bytes set to one "
                "or two seconds of the disk's rate, queue/nr_requests and queue/wbt_lat_usec of the device "
                "for the depth, the commit interval of ext4's journal.",
                sysctl_or(host, "vm.dirty_expire_centisecs", "3000"),
                sysctl_or(host, "vm.dirty_writeback_centisecs", "500"));
    }
    return {};
}

// Is the new default of blocks and fragments to blame? It cannot be: it adds bytes, not requests.
std::string block_size_text(const RuleContext& context, const std::string& device,
                            const std::optional<Figures>& f) {
    if (!f || !(context.host.is(Os::freebsd) || context.host.is(Os::netbsd))) return {};
    for (const Filesystem& fs : context.host.filesystems) {
        if (!fs.bsize.is(32 * KiB) || !fs.fsize.is(4 * KiB)) continue;
        const auto disks = context.graph.disks_under(fs.device);
        const bool below = std::find(disks.begin(), disks.end(), device) != disks.end();
        // A mirror whose members the input does not list: its name alone remains.
        const bool unlisted = !below && context.host.filesystems.size() == 1 &&
                              std::none_of(disks.begin(), disks.end(), [&](const std::string& d) {
                                  return context.graph.disk(d) != nullptr;
                              });
        if (!below && !unlisted) continue;
        return fmt::format(
            " Blocks of 32 KiB with fragments of 4 KiB on {} (the default since FreeBSD 9.0) are not the "
            "cause: the mean write is {}, and the number of inodes, directories and bitmaps to be written is "
            "the same with 16 KiB and 2 KiB.",
            fs.device, short_size(f->write_bytes));
    }
    return {};
}

void check(const RuleContext& context, Findings& out) {
    const TraceIndex index(context);
    for (const IoTrace& trace : context.host.io_traces) {
        std::vector<const IoSample*> hits;
        for (const IoSample* s : interval_samples(trace))
            if (is_backlog(*s, context.thresholds)) hits.push_back(s);
        if (const auto least = context.thresholds.samples_at_least;
            !hits.empty() && !index.is_part(trace) && interval_samples(trace).size() < least)
            out.skip(trace.device, {iostat_command(context.host)});
        if (hits.size() < context.thresholds.samples_at_least || index.is_part(trace)) continue;
        const auto f = figures(hits);
        double deepest = 0, longest = 0;
        for (const IoSample* s : hits)
            deepest = std::max(deepest, *s->queue), longest = std::max(longest, *wait_ms(*s));
        auto report = out.report(trace.device);
        report.message(fmt::format(
            "writes pile up in front of the disk: {} samples with {:.0f} or more requests queued, up to "
            "{:.0f}, that wait up to {:.0f} ms",
            hits.size(), context.thresholds.backlog_queue, deepest, longest));
        for (const IoSample* s : hits) report.evidence(s->from);
        report
            .cost(f ? backlog_arithmetic(*f) + "." + limit_arithmetic(context.host, *f) +
                          tail_arithmetic(trace, context.thresholds)
                    : fmt::format("every request waits up to {:.0f} ms", longest))
            .note(system_text(context.host) + block_size_text(context, device_name(trace.device), f));
    }
}

}  // namespace

extern const Rule io_delayed_write_backlog;
const Rule io_delayed_write_backlog{
    {.code = "IO002",
     .slug = "delayed-write-backlog",
     .severity = Severity::warning,
     .impact = 6,
     .summary = "delayed writes pile up in long queues",
     .why = "All systems hold writes back and hand them to the disk in lots. When many small blocks become "
            "due together, hundreds or thousands of requests wait in front of one disk, and each request "
            "that comes later waits for all of them. FreeBSD: soft updates keep dirty metadata, the syncer "
            "drains it in rounds of about 30 s (kern.metadelay, kern.dirdelay, kern.filedelay), and "
            "vfs.hirunningspace bounds what is under way. NetBSD: vfs.sync.metadelay, vfs.sync.dirdelay, "
            "vfs.sync.filedelay, vm.bufcache, the WAPBL log. OpenBSD: a syncer of 30 s without a knob, "
            "kern.bufcachepercent. Linux: vm.dirty_background_bytes, vm.dirty_bytes, "
            "vm.dirty_expire_centisecs. The service time that iostat prints then holds the time in the "
            "queue: divide the queue by the requests a second to see what one request costs.",
     .cost = "A read waits queue / rate: 2545 requests at 1194 writes/s are 2.1 s. Writing goes on after the "
             "command has returned: two minutes after a tar of the ports tree on two mirrored 7200 rpm disks "
             "(FreeBSD 9.1).",
     .remedy = "Shorten the queue (FreeBSD: vfs.lorunningspace, vfs.hirunningspace; Linux: dirty bytes, "
               "nr_requests), spread the writing (the syncer's delays), reduce the number of metadata writes "
               "(noatime, fewer files), and measure until sync has returned.",
     .bad =
         R"({"os": {"name": "freebsd", "release": "9.1"}, "filesystems": [{"device": "ada0p2", "type": "ffs2", "bsize": 32768,
        "fsize": 4096, "softupdates": true}], "io_traces": [{"device": "ada0", "run": 0, "interval_s": 10, "samples": [
        {"writes_per_s": 1193.6, "write_kb_per_s": 7146.1, "queue": 2545, "service_ms": 1711.7, "busy_percent": 89},
        {"writes_per_s": 1180.9, "write_kb_per_s": 7850.4, "queue": 2851, "service_ms": 1790.3, "busy_percent": 89},
        {"writes_per_s": 1210.1, "write_kb_per_s": 7616.8, "queue": 2124, "service_ms": 1665.4, "busy_percent": 89},
        {"writes_per_s": 120.0, "write_kb_per_s": 500.0, "queue": 0, "service_ms": 120.0, "busy_percent": 10}]}]})",
     .good =
         R"({"os": {"name": "freebsd", "release": "9.1"}, "io_traces": [{"device": "ada0", "run": 0, "interval_s": 10, "samples": [
        {"writes_per_s": 1193.6, "write_kb_per_s": 7146.1, "queue": 30, "service_ms": 25, "busy_percent": 80},
        {"writes_per_s": 1180.9, "write_kb_per_s": 7850.4, "queue": 31, "service_ms": 26, "busy_percent": 80},
        {"writes_per_s": 1210.1, "write_kb_per_s": 7616.8, "queue": 29, "service_ms": 24, "busy_percent": 80}]}]})",
     .references =
         "tuning(7), syncer(4), iostat(8), sysctl(7); McKusick and Ganger, Soft Updates, USENIX 1999"},
    check};

}  // namespace diskwright
