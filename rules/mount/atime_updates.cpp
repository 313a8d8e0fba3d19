// SPDX-License-Identifier: BSD-2-Clause
// MOUNT003: reads that write.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "rules/io/traces.hpp"
#include "rules/journal/protection.hpp"
#include "rules/sector_command.hpp"
#include "rules/workload.hpp"

namespace diskwright {
namespace {

bool updates_atime(const RuleContext& context, const Mount& m) {
    if (!m.options || !m.type || !on_local_disk(*m.type) || read_only(m)) return false;
    for (const std::string_view option : {"noatime", "relatime", "lazytime"})
        if (has_mount_option(m.options, option)) return false;
    return m.device && !is_memory_disk(context, *m.device);
}

struct Busy {
    double percent = 0;
    std::string device;
    Provenance from;
};

// Here the report since boot counts as well: a disk that was half busy all the time is busy.
std::optional<Busy> busiest(const RuleContext& context, const std::string& device) {
    auto below = context.graph.disks_under(device);
    if (const Volume* v = context.graph.on_volume(device).volume) below.push_back(v->name);
    std::optional<Busy> out;
    for (const IoTrace& trace : context.host.io_traces) {
        const auto mine = [&](const std::string& d) { return same_device(d, trace.device); };
        if (!same_device(trace.device, device) && std::none_of(below.begin(), below.end(), mine)) continue;
        std::vector<double> percent;
        for (const IoSample& s : trace.samples)
            if (s.busy_percent) percent.push_back(*s.busy_percent);
        if (percent.empty()) continue;
        const double usual = io::median(percent);
        if (!out || usual > out->percent) out = Busy{usual, trace.device, trace.samples.front().from};
    }
    return out;
}

void check(const RuleContext& context, Findings& out) {
    const WorkloadWord* load = find_workload(context.workload);
    const bool stated = load && load->small_files;
    std::string unknown;
    for (const Mount& mount : context.host.mounts) {
        if (!updates_atime(context, mount)) continue;
        const auto busy = busiest(context, device_name(*mount.device));
        const bool loaded = busy && busy->percent >= context.thresholds.atime_busy_percent;
        if (!loaded && !stated) {
            if (!busy && context.workload.empty() && unknown.empty()) unknown = mount.point;
            continue;
        }
        auto report = out.report(mount.point);
        report
            .message(
                loaded ? fmt::format("every read writes an access time, and {} is {:.0f} % busy",
                                     busy->device, busy->percent)
                       : fmt::format("every read writes an access time under a workload of small files ({})",
                                     context.workload))
            .evidence(mount.options);
        if (loaded) report.evidence(busy->from);
        report
            .cost(
                "one inode write for each file read, gathered per inode block; no figure was published for "
                "it alone")
            .change(Setting::mount_option_on, mount.point, std::string("noatime"))
            .note(
                "Mail readers that compare access and modification time to see new mail in mbox files, and "
                "cleaners of temporary files that go by access time, need it; maildir does not.");
    }
    if (!unknown.empty()) out.skip(unknown, {iostat_command(context.host), "--for WORKLOAD"});
}

}  // namespace

extern const Rule mount_atime_updates;
const Rule mount_atime_updates{
    {.code = "MOUNT003",
     .slug = "atime-updates",
     .severity = Severity::info,
     .impact = 1.3,
     .summary = "access times are updated on a busy disk",
     .why = "Reading a file marks its inode for writing. On a disk that has time left nobody notices; on one "
            "that is half busy, or under many small files, these writes compete with the reads that caused "
            "them. Linux mounts with relatime by default, which is enough.",
     .cost = "Extra inode writes; no figure was published for it alone.",
     .remedy = "noatime in fstab and a remount.",
     .bad =
         R"({"os": {"name": "netbsd"}, "mounts": [{"device": "wd1e", "point": "/var/mail", "type": "ffs", "options": ["log", "local"]}],
        "io_traces": [{"device": "wd1", "run": 0, "interval_s": 10, "samples": [{"reads_per_s": 64, "writes_per_s": 38, "busy_percent": 71}]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "mounts": [{"device": "wd1e", "point": "/var/mail", "type": "ffs", "options": ["log", "noatime", "local"]}],
        "io_traces": [{"device": "wd1", "run": 0, "interval_s": 10, "samples": [{"reads_per_s": 64, "writes_per_s": 38, "busy_percent": 71}]}]})",
     .references = "mount(8), tuning(7)"},
    check};

}  // namespace diskwright
