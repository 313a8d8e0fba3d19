// SPDX-License-Identifier: BSD-2-Clause
// IO008: a sequential load that reaches the disks in small requests.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rules/io/traces.hpp"
#include "rules/workload.hpp"

namespace diskwright {
namespace {

using namespace io;

constexpr double carried_bytes = 128 * 1024;  // what every system sends in one request when it may

double small_bytes(const Volume* volume, const Thresholds& t) {
    double could = carried_bytes;
    if (volume && volume->stripe_unit_bytes)
        could = std::min(could, static_cast<double>(*volume->stripe_unit_bytes));
    return could / t.unmerged_factor;
}

struct Small {
    const IoTrace* trace;
    const IoSample* sample;
    double bytes, rate;
};

std::optional<Small> small_requests(const IoTrace& trace, double limit, const Thresholds& t) {
    for (const IoSample* s : interval_samples(trace)) {
        const auto rate = requests_per_s(*s);
        if (!rate || *rate < t.unmerged_rate) continue;
        const double bytes = (s->read_kb_per_s.value_or(0) + s->write_kb_per_s.value_or(0)) * 1024 / *rate;
        if (bytes > 0 && bytes < limit) return Small{&trace, s, bytes, *rate};
    }
    return std::nullopt;
}

void report_on(const std::vector<Small>& hits, std::string_view subject, std::string_view load,
               const Volume* volume, Findings& out) {
    auto report = out.report(subject);
    const Small& one = hits.front();
    report.message(fmt::format("{} reaches {} in requests of {} ({} a second)", load, one.trace->device,
                               short_size(one.bytes), short_number(one.rate)));
    for (const Small& h : hits) report.evidence(h.sample->from);
    if (volume) report.evidence(volume->activity);
    report
        .cost(fmt::format("each disk moves {}/s for {} requests; merged to 128 KiB that would be {} requests",
                          short_size(one.bytes * one.rate), short_number(one.rate),
                          short_number(one.bytes * one.rate / carried_bytes)))
        .note(volume && volume->kind.is(VolumeKind::md)
                  ? "md asks page by page and leaves the merging to the block layer; a scheduler of 'none', "
                    "a shallow plug or a kernel with that fault lets the pages through. Look at "
                    "queue/scheduler, queue/nomerges and max_sectors_kb of the members, and try a newer "
                    "kernel: on a set of 36 disks a patched one took 480 KiB requests instead of 4 and ran "
                    "twice as fast."
                  : "Look for what cuts the requests: MAXPHYS or max_sectors_kb, a stripe unit smaller than "
                    "the request, read-ahead (vfs.read_max, blockdev --getra), maxcontig, or a program that "
                    "reads in small blocks.");
}

void check(const RuleContext& context, Findings& out) {
    const TraceIndex index(context);
    // A set that copies or compares itself reads its members from one end to the other.
    for (const Volume& volume : context.host.volumes) {
        if (!volume.activity || volume.level.is(RaidLevel::raid3)) continue;
        if (volume.activity_progress && !volume.activity_progress.is(Progress::running)) continue;
        std::set<std::uint64_t> runs;
        for (const IoTrace& trace : context.host.io_traces) {
            if (!runs.insert(trace.run.value_or(0)).second) continue;
            std::vector<Small> hits;
            const auto members = index.members(volume, trace);
            for (const IoTrace* m : members)
                if (const auto hit =
                        small_requests(*m, small_bytes(&volume, context.thresholds), context.thresholds))
                    hits.push_back(*hit);
            if (hits.empty() || hits.size() * 2 < members.size()) continue;
            report_on(hits, volume.name,
                      fmt::format("the {} of {}", to_string(*volume.activity), volume.name), &volume, out);
            break;
        }
    }
    const WorkloadWord* load = find_workload(context.workload);
    if (!load || !load->sequential) return;
    for (const IoTrace& trace : context.host.io_traces) {
        if (index.is_part(trace)) continue;
        if (const auto hit =
                small_requests(trace, small_bytes(nullptr, context.thresholds), context.thresholds))
            report_on({*hit}, trace.device, fmt::format("a sequential load ({})", context.workload), nullptr,
                      out);
    }
}

}  // namespace

extern const Rule io_sequential_requests_unmerged;
const Rule io_sequential_requests_unmerged{
    {.code = "IO008",
     .slug = "sequential-requests-unmerged",
     .severity = Severity::notice,
     .impact = 2,
     .summary = "a sequential load reaches the disks in small requests",
     .why = "A check, a rebuild or a stream reads neighbouring blocks, which should reach the disk in "
            "requests of 128 KiB and more. When they arrive as pages of 4 KiB, the number of requests and "
            "not the disk sets the pace.",
     .cost = "Linux md RAID 6 of 36 disks: 10,000 reads/s of 4 KiB gave 38 MB/s a disk, 168 reads/s of 480 "
             "KiB gave 81 MB/s at half the load (linux-raid mailing list, 2021).",
     .remedy = "Find what cuts or fails to merge the requests: scheduler, nomerges, read-ahead, MAXPHYS, "
               "stripe unit, kernel.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "1", "parity_map": true, "stripe_unit_bytes": 524288,
        "activity": "check", "activity_progress": "running", "components": [{"name": "sda1"}, {"name": "sdb1"}]}],
        "io_traces": [{"device": "sda", "run": 0, "samples": [{"reads_per_s": 5000, "read_kb_per_s": 20000, "busy_percent": 60}]},
         {"device": "sdb", "run": 0, "samples": [{"reads_per_s": 5003, "read_kb_per_s": 20012, "busy_percent": 60}]}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "1", "parity_map": true, "stripe_unit_bytes": 524288,
        "activity": "check", "activity_progress": "running", "components": [{"name": "sda1"}, {"name": "sdb1"}]}],
        "io_traces": [{"device": "sda", "run": 0, "samples": [{"reads_per_s": 300, "read_kb_per_s": 140000, "busy_percent": 60}]},
         {"device": "sdb", "run": 0, "samples": [{"reads_per_s": 300, "read_kb_per_s": 140000, "busy_percent": 60}]}]})",
     .references = "md(4), iostat(1), tuning(7)"},
    check};

}  // namespace diskwright
