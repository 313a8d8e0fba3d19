// SPDX-License-Identifier: BSD-2-Clause
// IO003: one disk that answers much later than its peers under the same load.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rules/io/traces.hpp"

namespace diskwright {
namespace {

using namespace io;

struct Pace {
    const IoTrace* trace = nullptr;
    double service_ms = 0, rate = 0, request_bytes = 0;
    std::size_t samples = 0;
};

std::optional<Pace> pace_of(const IoTrace& trace, const Thresholds& t) {
    std::vector<double> service, rate, size;
    for (const IoSample* s : interval_samples(trace)) {
        const auto requests = requests_per_s(*s);
        const auto ms = service_ms(*s);
        if (!requests || *requests < t.slow_rate || !ms) continue;
        service.push_back(*ms), rate.push_back(*requests);
        size.push_back((s->read_kb_per_s.value_or(0) + s->write_kb_per_s.value_or(0)) * 1024 / *requests);
    }
    if (service.size() < t.slow_samples) return std::nullopt;
    return Pace{&trace, median(service), median(rate), median(size), service.size()};
}

// Disks of one driver and, where both are known, of one model and kind.
bool same_kind(const RuleContext& context, const std::string& a, const std::string& b) {
    const auto driver = [](std::string_view name) {
        return name.substr(0, name.find_first_of("0123456789"));
    };
    const bool letters = a.starts_with("sd") && b.starts_with("sd");
    if (!letters && driver(a) != driver(b)) return false;
    const Disk *x = context.graph.disk(a), *y = context.graph.disk(b);
    if (!x || !y) return true;
    if (x->model && y->model && *x->model != *y->model) return false;
    return !x->rotational || !y->rotational || *x->rotational == *y->rotational;
}

// A disk that got more or other work than its peers is not slow by comparison.
bool comparable(const Pace& one, double peers_rate, double peers_bytes, bool members) {
    if (one.rate > 2 * peers_rate) return false;
    return members || (one.rate * 2 >= peers_rate && one.request_bytes <= 2 * peers_bytes &&
                       one.request_bytes * 2 >= peers_bytes);
}

void judge_group(const RuleContext& context, const std::vector<Pace>& group, const Volume* volume,
                 std::set<std::string>& judged, Findings& out) {
    const Thresholds& t = context.thresholds;
    for (const Pace& one : group) {
        if (!judged.insert(one.trace->device).second) continue;
        std::vector<double> service, rate, size;
        std::string peers;
        const Pace* nearest = nullptr;
        for (const Pace& other : group) {
            if (other.trace == one.trace) continue;
            service.push_back(other.service_ms), rate.push_back(other.rate),
                size.push_back(other.request_bytes);
            if (service.size() <= 4) peers += (peers.empty() ? "" : ", ") + other.trace->device;
            if (!nearest) nearest = &other;
        }
        if (service.empty()) continue;
        const double usual = median(service);
        if (one.service_ms < t.slow_factor * usual || one.service_ms - usual < t.slow_by_ms) continue;
        if (!comparable(one, median(rate), median(size), volume != nullptr)) continue;
        auto report = out.report(one.trace->device);
        report.message(fmt::format("answers {} times later than its peers: {} ms against {} ms of {}{}",
                                   short_number(one.service_ms / std::max(usual, 0.01)),
                                   short_number(one.service_ms), short_number(usual), peers,
                                   volume ? " in " + volume->name : std::string{}));
        for (const IoSample* s : interval_samples(*one.trace)) report.evidence(s->from);
        for (const IoSample* s : interval_samples(*nearest->trace)) report.evidence(s->from);
        report
            .cost(fmt::format(
                "medians over {} samples; a set waits for its slowest disk, so all of it runs at the pace of "
                "this one",
                one.samples))
            .note(
                "Look at the disk before the next one fails: its SMART values (pending and reallocated "
                "sectors, command timeouts), the kernel's messages, cable and port, whether its write cache "
                "is off where the others' is on, and whether it is another model. Replace it while the "
                "redundancy is complete.");
    }
}

void check(const RuleContext& context, Findings& out) {
    const TraceIndex index(context);
    std::map<std::uint64_t, std::vector<Pace>> runs;
    for (const IoTrace& trace : context.host.io_traces) {
        if (index.is_part(trace)) continue;
        if (const auto pace = pace_of(trace, context.thresholds))
            runs[trace.run.value_or(0)].push_back(*pace);
    }
    for (const auto& [run, paces] : runs) {
        std::set<std::string> judged;
        for (const Volume& volume : context.host.volumes) {
            if (volume.kind.is(VolumeKind::gconcat) || volume.level.is(RaidLevel::concat)) continue;
            const auto members = index.members(volume, *paces.front().trace);
            std::vector<Pace> group;
            for (const Pace& p : paces)
                if (std::find(members.begin(), members.end(), p.trace) != members.end()) group.push_back(p);
            if (group.size() > 1) judge_group(context, group, &volume, judged, out);
        }
        // No set is known: disks of one kind that are asked the same.
        std::vector<std::vector<Pace>> kinds;
        for (const Pace& p : paces) {
            if (judged.contains(p.trace->device) || context.graph.volume(p.trace->device)) continue;
            const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const std::vector<Pace>& kind) {
                return same_kind(context, kind.front().trace->device, p.trace->device);
            });
            if (at == kinds.end())
                kinds.push_back({p});
            else
                at->push_back(p);
        }
        for (const auto& kind : kinds)
            if (kind.size() > 1) judge_group(context, kind, nullptr, judged, out);
    }
}

}  // namespace

extern const Rule io_component_slower_than_peers;
const Rule io_component_slower_than_peers{
    {.code = "IO003",
     .slug = "component-slower-than-peers",
     .severity = Severity::warning,
     .impact = 4,
     .summary = "a disk is slower than its peers",
     .why = "Members of one set get the same kind of work, so their service times agree within a few per "
            "cent. One that takes twice as long is retrying reads, runs without its write cache, sits on a "
            "bad cable or is a different drive. Medians over at least five samples with ten requests a "
            "second are compared, within one set where that is known, else among disks of one kind with a "
            "similar load.",
     .cost = "Every request of the set that touches the disk waits for it: a mirror writes, and a parity set "
             "reads and writes, at the pace of the slowest member.",
     .remedy = "Check SMART, the kernel's log, cabling and the drive's cache; replace the disk before "
               "another one fails.",
     .bad =
         R"({"volumes": [{"name": "gm0", "kind": "gmirror", "level": "1", "components": [{"name": "ada0"}, {"name": "ada1"}]}],
        "io_traces": [{"device": "ada0", "run": 0, "interval_s": 10, "samples": [
          {"writes_per_s": 116, "write_kb_per_s": 1856, "service_ms": 7.4}, {"writes_per_s": 114, "write_kb_per_s": 1824, "service_ms": 7.2},
          {"writes_per_s": 117, "write_kb_per_s": 1872, "service_ms": 7.5}, {"writes_per_s": 115, "write_kb_per_s": 1840, "service_ms": 7.3},
          {"writes_per_s": 118, "write_kb_per_s": 1888, "service_ms": 7.6}]},
         {"device": "ada1", "run": 0, "interval_s": 10, "samples": [
          {"writes_per_s": 116, "write_kb_per_s": 1856, "service_ms": 121.5}, {"writes_per_s": 114, "write_kb_per_s": 1824, "service_ms": 123},
          {"writes_per_s": 117, "write_kb_per_s": 1872, "service_ms": 120.8}, {"writes_per_s": 115, "write_kb_per_s": 1840, "service_ms": 122.4},
          {"writes_per_s": 118, "write_kb_per_s": 1888, "service_ms": 119.9}]}]})",
     .good =
         R"({"volumes": [{"name": "gm0", "kind": "gmirror", "level": "1", "components": [{"name": "ada0"}, {"name": "ada1"}]}],
        "io_traces": [{"device": "ada0", "run": 0, "interval_s": 10, "samples": [
          {"writes_per_s": 116, "write_kb_per_s": 1856, "service_ms": 7.4}, {"writes_per_s": 114, "write_kb_per_s": 1824, "service_ms": 7.2},
          {"writes_per_s": 117, "write_kb_per_s": 1872, "service_ms": 7.5}, {"writes_per_s": 115, "write_kb_per_s": 1840, "service_ms": 7.3},
          {"writes_per_s": 118, "write_kb_per_s": 1888, "service_ms": 7.6}]},
         {"device": "ada1", "run": 0, "interval_s": 10, "samples": [
          {"writes_per_s": 116, "write_kb_per_s": 1856, "service_ms": 9.1}, {"writes_per_s": 114, "write_kb_per_s": 1824, "service_ms": 8.8},
          {"writes_per_s": 117, "write_kb_per_s": 1872, "service_ms": 9.0}, {"writes_per_s": 115, "write_kb_per_s": 1840, "service_ms": 8.9},
          {"writes_per_s": 118, "write_kb_per_s": 1888, "service_ms": 9.2}]}]})",
     .references = "iostat(8), gstat(8), smartctl(8)"},
    check};

}  // namespace diskwright
