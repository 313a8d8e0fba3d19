// SPDX-License-Identifier: BSD-2-Clause
// IO001: a disk that is busy all the time with small writes.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "rules/io/traces.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

using namespace io;

std::vector<const IoSample*> saturated_samples(const IoTrace& trace, const Thresholds& t) {
    std::vector<const IoSample*> out;
    for (const IoSample* s : interval_samples(trace)) {
        const auto size = mean_write_bytes(*s);
        const double writes = s->writes_per_s.value_or(0), reads = s->reads_per_s.value_or(0);
        if (!size || !s->busy_percent || *s->busy_percent < t.busy_percent) continue;
        if (*size < t.small_write_bytes && writes >= t.write_share * (writes + reads)) out.push_back(s);
    }
    return out;
}

// What the same host says of the file systems on that disk, as far as it bears on small writes.
std::string advice(const RuleContext& context, const std::string& device) {
    std::string out;
    for (const Filesystem& fs : context.host.filesystems) {
        const auto disks = context.graph.disks_under(fs.device);
        if (std::find(disks.begin(), disks.end(), device_name(device)) == disks.end()) continue;
        if (fs.softupdates.is(true) || fs.wapbl.is(true))
            out = fmt::format(
                " {} already has {}, so its metadata is written late and together; what reaches the disk is "
                "many inodes, directories and bitmaps in different places.",
                fs.device, fs.wapbl.is(true) ? "a journal" : "soft updates");
    }
    return out;
}

// A recording of days is not read to its end.
bool samples_left_out(const HostFacts& host) {
    return std::any_of(host.unparsed.begin(), host.unparsed.end(), [](const Unparsed& u) {
        return contains(u.reason, "samples of I/O: the rest is left out");
    });
}

void check(const RuleContext& context, Findings& out) {
    const TraceIndex index(context);
    const std::string_view at_least = samples_left_out(context.host) ? "at least " : "";
    for (const IoTrace& trace : context.host.io_traces) {
        const auto hits = saturated_samples(trace, context.thresholds);
        if (hits.empty() || index.is_part(trace)) continue;
        if (context.graph.medium(trace.device).rotational.is(false)) continue;
        const std::uint64_t least = context.thresholds.samples_at_least;
        if (hits.size() < least) {
            if (interval_samples(trace).size() < least)
                out.skip(trace.device, {iostat_command(context.host)});
            continue;
        }
        // A volume is reported by its members where they are traced and show it.
        if (const Volume* volume = context.graph.volume(trace.device)) {
            const auto members = index.members(*volume, trace);
            if (std::any_of(members.begin(), members.end(), [&](const IoTrace* m) {
                    return saturated_samples(*m, context.thresholds).size() >= least;
                }))
                continue;
        }
        std::vector<double> sizes, rates, kilobytes;
        for (const IoSample* s : hits) {
            sizes.push_back(*mean_write_bytes(*s)), rates.push_back(*s->writes_per_s);
            kilobytes.push_back(*s->write_kb_per_s);
        }
        auto report = out.report(trace.device);
        report.message(fmt::format(
            "is busy all the time with small writes: {}{} samples of {:.0f} % busy or more, {} writes/s "
            "of {} on average",
            at_least, hits.size(), context.thresholds.busy_percent, short_number(median(rates)),
            short_size(median(sizes))));
        for (const IoSample* s : hits) report.evidence(s->from);
        report
            .cost(fmt::format(
                "only {}/s reach the disk while it has no time left: it pays for {} positionings a second, "
                "not for the bytes; one request of 128 KiB would carry what {} of these do",
                short_size(median(kilobytes) * 1024), short_number(median(rates)),
                short_number(128 * 1024 / std::max(median(sizes), 1.0))))
            .note(
                "Fewer and larger writes are the cure: noatime, soft updates or a journal where there is "
                "none, no synchronous mounts, an application that writes in batches, or a disk without "
                "positioning time for the "
                "metadata." +
                advice(context, trace.device));
    }
}

}  // namespace

extern const Rule io_saturated_by_small_writes;
const Rule io_saturated_by_small_writes{
    {.code = "IO001",
     .slug = "saturated-by-small-writes",
     .severity = Severity::warning,
     .impact = 5,
     .summary = "a disk is saturated by small writes",
     .why = "A rotating disk spends most of a small write on moving the head and waiting for the sector. "
            "When it is busy 90 % of the time with writes under 16 KiB, its rate is set by the number of "
            "requests, and anything else that wants the disk queues behind them. At least three samples of "
            "an interval must show it; the report since boot does not count, and a disk known to be an SSD "
            "is silent.",
     .cost = "Throughput falls from the disk's sequential rate to requests x size: a server of two mirrored "
             "7200 rpm disks wrote 7 MB/s at 98 % busy with 1200 writes/s of 6 KiB (FreeBSD mailing list, "
             "2012).",
     .remedy = "Reduce the number of writes (noatime, soft updates or journal, no sync mounts, larger "
               "application writes), spread them over more spindles, or use flash for the metadata.",
     .bad = R"({"io_traces": [{"device": "ada0", "run": 0, "interval_s": 10, "samples": [
        {"reads_per_s": 0, "writes_per_s": 1193.6, "write_kb_per_s": 7146.1, "busy_percent": 93},
        {"reads_per_s": 0, "writes_per_s": 1180.9, "write_kb_per_s": 7850.4, "busy_percent": 99},
        {"reads_per_s": 0, "writes_per_s": 1210.1, "write_kb_per_s": 7616.8, "busy_percent": 98}]}]})",
     .good = R"({"io_traces": [{"device": "ada0", "run": 0, "interval_s": 10, "samples": [
        {"reads_per_s": 0, "writes_per_s": 900, "write_kb_per_s": 112000, "busy_percent": 98},
        {"reads_per_s": 0, "writes_per_s": 910, "write_kb_per_s": 113000, "busy_percent": 99},
        {"reads_per_s": 0, "writes_per_s": 905, "write_kb_per_s": 112500, "busy_percent": 98}]}]})",
     .references = "iostat(8), gstat(8), tunefs(8), mount(8)"},
    check};

}  // namespace diskwright
