// SPDX-License-Identifier: BSD-2-Clause
// RAID015: members whose counters say that some missed writes of the others.
#include <fmt/format.h>

#include <algorithm>

#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// md increments its event counter together; one apart is a crash between two superblock writes (Linux
// drivers/md/md.c accepts that much itself when it assembles).
constexpr std::uint64_t md_tolerance = 1;

// Each raidctl call that opens a set rewrites all labels and adds 2 (seen on NetBSD 7.99.34). How many calls
// lie between the counters of one text is not known: one for each member but the first, as with raidctl -g in
// turn, is allowed for, and the same between labels that were read while the set ran. Between images at rest
// lies none.
std::uint64_t tolerance(const RuleContext& context, const Volume& set, std::size_t members, bool at_rest) {
    if (set.kind.is(VolumeKind::md)) return md_tolerance;
    return at_rest ? 0 : context.thresholds.raidframe_counter_step * (members - 1);
}

bool is_from_bytes(const Known<std::uint64_t>& value) {
    return value && value.from().kind() == Provenance::Kind::device;
}

// A command listed the set or one of its members with a state: it runs, and rewrites its labels while they
// are read. Labels of a set that no command shows are at rest, be they in images or on the disks of this
// host.
bool is_listed_by_a_command(const Volume& set) {
    const auto printed = [](const auto& value) {
        return value && value.from().kind() == Provenance::Kind::output;
    };
    return printed(set.state) || std::any_of(set.components.begin(), set.components.end(),
                                             [&](const Component& c) { return printed(c.state); });
}

void check_set(const RuleContext& context, const Volume& set, Findings& out) {
    const bool running = is_listed_by_a_command(set);
    std::vector<const Component*> counted;
    for (const Component* c : data_components(set)) {
        if (!c->events) continue;
        // A column that a running RAIDframe gave up keeps its last label; that it failed is RAID001's to say.
        // Of labels at rest only the counter tells.
        if (set.kind.is(VolumeKind::raidframe) && (running || !is_from_bytes(c->events)) &&
            (c->state.is(ComponentState::failed) || c->state.is(ComponentState::missing)))
            continue;
        counted.push_back(c);
    }
    if (counted.size() < 2) return;
    const bool from_bytes = is_from_bytes(counted.front()->events);
    const bool together = std::all_of(counted.begin(), counted.end(), [&](const Component* c) {
        return from_bytes ? is_from_bytes(c->events)
                          : c->events.from().source() == counted.front()->events.from().source();
    });
    if (!together) return;  // read at different times
    const bool at_rest = from_bytes && !running;
    std::uint64_t newest = 0;
    for (const Component* c : counted) newest = std::max(newest, *c->events);
    // A member whose counter is not shown may have been opened, too.
    const std::uint64_t allowed = tolerance(context, set, data_components(set).size(), at_rest);
    std::string stale;
    std::vector<const Component*> behind, current;
    for (const Component* c : counted) {
        if (newest - *c->events > allowed) {
            stale +=
                fmt::format("{}{} ({} behind)", stale.empty() ? "" : ", ", name_of(*c), newest - *c->events);
            behind.push_back(c);
        } else {
            current.push_back(c);
        }
    }
    if (behind.empty()) return;
    auto report = out.report(set.name);
    report.message(
        fmt::format("members are out of step: {} missed writes of the others at {}", stale, newest));
    for (const Component* c : behind) report.evidence(c->events);
    report.evidence(current.front()->events);
    report.note(set.kind.is(VolumeKind::md)
                    ? "never assemble with --force while it is among them if the rest is enough without it: "
                      "it would bring old data back. Add it again (mdadm --re-add, or --add) so that it is "
                      "brought up to date"
                    : "do not configure the set with -C: it would take the old data for good. Rebuild on to "
                      "it with raidctl -R after the set is up without it");
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes)
        if (set.kind.is(VolumeKind::md) || set.kind.is(VolumeKind::raidframe)) check_set(context, set, out);
}

}  // namespace

extern const Rule raid_members_out_of_step;
const Rule raid_members_out_of_step{
    {.code = "RAID015",
     .slug = "members-out-of-step",
     .severity = Severity::error,
     .impact = 700,
     .summary = "the counters of the members say that one of them missed writes",
     .why = "Members write a counter together whenever the set's state changes: events on md, the "
            "modification counter on RAIDframe. One that lags was away while the others were written, and "
            "its data is old. Forced into the set it returns that old data, or the parity no longer fits. "
            "Counters only compare when read together: every raidctl call that opens a RAIDframe set adds 2 "
            "to all of them.",
     .cost = "Old data in place of new, spread over the file system, if the member is used as it is.",
     .remedy = "Leave it out, start the set without it, then rebuild on to it.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 65536, "spares": 1, "parity_map": true, "state": "optimal", "components": [{"name": "sdb1", "state": "optimal", "events": 77944}, {"name": "sdc1", "state": "optimal", "events": 77944}, {"name": "sdd1", "state": "optimal", "events": 60360}]}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "5", "columns": 3, "data_disks": 2, "stripe_unit_bytes": 65536, "spares": 1, "parity_map": true, "state": "optimal", "components": [{"name": "sdb1", "state": "optimal", "events": 77944}, {"name": "sdc1", "state": "optimal", "events": 77944}, {"name": "sdd1", "state": "optimal", "events": 77943}]}]})",
     .references = "mdadm(8), raidctl(8), NetBSD sys/dev/raidframe/rf_netbsdkintf.c"},
    check};

}  // namespace diskwright
