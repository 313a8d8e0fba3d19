// SPDX-License-Identifier: BSD-2-Clause
// DISK005: the disk cannot read or keep its data.
#include <fmt/format.h>

#include <map>
#include <set>

#include "rules/rule.hpp"

namespace diskwright {
namespace {

struct Signs {
    std::vector<std::string> grave, slight;
    std::vector<Provenance> from;
};

void add(std::vector<std::string>& list, Signs& signs, const Number& count, std::string_view what) {
    if (!count || *count == 0) return;
    list.push_back(fmt::format("{} {}", *count, what));
    signs.from.push_back(count.from());
}

Signs signs_of(const Disk& d) {
    Signs s;
    if (d.health_passed.is(false))
        s.grave.emplace_back("the drive itself reports failing health"),
            s.from.push_back(d.health_passed.from());
    add(s.grave, s, d.pending_sectors, "sectors pending");
    add(s.grave, s, d.uncorrectable_sectors, "sectors uncorrectable");
    add(s.grave, s, d.media_errors, "media errors");
    if (d.critical_warning && *d.critical_warning > 0)
        s.grave.push_back(fmt::format("critical warning {}", *d.critical_warning)),
            s.from.push_back(d.critical_warning.from());
    add(s.slight, s, d.reallocated_sectors, "sectors reallocated");
    add(s.slight, s, d.interface_crc_errors, "interface CRC errors");
    return s;
}

bool removable(const RuleContext& context, const std::string& name) {
    const Disk* d = context.graph.disk(name);
    return d && d->removable.is(true);
}

void report_on(const RuleContext& context, const std::string& name, const Signs& s, Findings& out) {
    const bool grave = !s.grave.empty();
    std::string text;
    for (const auto& list : {s.grave, s.slight})
        for (const auto& sign : list) text += (text.empty() ? "" : ", ") + sign;
    auto report = out.report(name);
    report.message(grave ? fmt::format("the disk loses data: {}", text)
                         : fmt::format("the disk shows wear or a bad cable: {}", text));
    for (std::size_t i = 0; i < s.from.size() && i < 12; ++i) report.evidence(s.from[i]);
    if (!grave) {
        report.at_most(Severity::notice)
            .impact(5)
            .cost("nothing yet; a count that grows is what matters")
            .note(
                "Note the figures and compare them in a week. Reallocated sectors that grow announce the end "
                "of a drive; CRC errors come from the cable, the backplane or the port.");
        return;
    }
    const Volume* set = context.graph.volume_with_component(name);
    if (!set)
        for (const Volume& v : context.host.volumes)
            for (const Component& c : v.components)
                if (!c.name.empty() && context.graph.start_on_base(c.name).base == name) set = &v;
    report.cost("data at risk: what the disk cannot read is lost unless a set holds another copy")
        .change(Setting::disk_replace, name, true)
        .note(
            set ? fmt::format("It is a component of {}: see that the set is complete and the backup "
                              "current, then replace the disk and rebuild. A rebuild reads every other "
                              "disk to the end.",
                              set->name)
                : std::string("Save what can be read now, first what no backup holds, then replace the disk. "
                              "A volume of a RAID controller: ask the controller which drive reports "
                              "the error."));
}

void check(const RuleContext& context, Findings& out) {
    std::map<std::string, Signs> logged;
    for (const Event& e : context.host.events) {
        if (e.kind != Event::Kind::medium_error || e.subject.empty()) continue;
        std::string name = context.graph.start_on_base(e.subject).base;
        Signs& s = logged[name];
        if (s.grave.empty())
            s.grave.push_back(fmt::format("the kernel logs errors of the medium ({})",
                                          e.detail.empty() ? "I/O error" : e.detail));
        s.from.push_back(e.from);
    }
    std::set<std::string> done;
    for (const Disk& d : context.host.disks) {
        if (d.removable.is(true)) continue;
        Signs s = signs_of(d);
        if (const auto at = logged.find(d.name); at != logged.end()) {
            s.grave.insert(s.grave.begin(), at->second.grave.begin(), at->second.grave.end());
            s.from.insert(s.from.begin(), at->second.from.begin(), at->second.from.end());
        }
        done.insert(d.name);
        if (!s.grave.empty() || !s.slight.empty()) report_on(context, d.name, s, out);
    }
    for (const auto& [name, s] : logged)
        if (!done.contains(name) && !removable(context, name)) report_on(context, name, s, out);
}

}  // namespace

extern const Rule disk_medium_errors;
const Rule disk_medium_errors{
    {.code = "DISK005",
     .slug = "medium-errors",
     .severity = Severity::error,
     .impact = 200,
     .summary = "a disk has medium errors or reports failing health",
     .why = "Medium, hardware and uncorrectable errors mean that sectors cannot be read back. Pending and "
            "uncorrectable sectors, failed health, NVMe media errors and critical warnings are the drive's "
            "own word for it. Reallocated sectors while health passes, and CRC errors of the interface, are "
            "a notice. Aborted or invalid commands, unit attentions and the error log of an NVMe drive "
            "without media errors are no fault of the medium, and removable drives are not judged.",
     .cost =
         "Data. During a rebuild of RAID 5 one unreadable sector on another disk is enough to lose a stripe.",
     .remedy = "Back up, replace the disk, rebuild; look at cable and backplane for CRC errors.",
     .bad = R"({"disks": [{"name": "sda", "pending_sectors": 8, "health_passed": true}], "events": [
        {"subject": "sda", "kind": "medium_error", "detail": "Hardware Error, Internal target failure"}]})",
     .good =
         R"({"disks": [{"name": "sda", "pending_sectors": 0, "reallocated_sectors": 0, "health_passed": true, "interface_crc_errors": 0}]})",
     .references = "smartctl(8), atactl(8), nvmecontrol(8), dmesg(8)"},
    check};

}  // namespace diskwright
