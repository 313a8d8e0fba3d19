// SPDX-License-Identifier: BSD-2-Clause
// RAID001: a set that has lost redundancy or data, or does not run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

constexpr std::size_t named_at_most = 8;

std::string named(const std::vector<const Component*>& components) {
    std::string out;
    for (std::size_t i = 0; i < components.size() && i < named_at_most; ++i)
        out += (out.empty() ? "" : ", ") + name_of(*components[i]);
    if (components.size() > named_at_most)
        out += fmt::format(" and {} more", components.size() - named_at_most);
    return out;
}

// A member that the set's metadata knows but the running set does not use: it fell out, and only lacks what
// was written since. Only one that claims the slot of a missing component counts.
const Component* dropped_member(const Volume& set) {
    for (const Component& c : set.components)
        if (!c.name.empty() && c.events && !c.state.known() && c.role.value_or("data") == "data") return &c;
    return nullptr;
}

void report_inactive(const Volume& set, Findings& out) {
    auto report = out.report(set.name);
    report.message("the set is assembled but does not run, so nothing on it can be reached")
        .evidence(set.state)
        .impact(1000);
    if (set.reshape_position_bytes) {
        report.evidence(set.reshape_position_bytes)
            .change(Setting::raid_reshape_continue, set.name, true)
            .change(Setting::raid_run, set.name, true)
            .note(
                "its members stopped in the middle of a reshape (RAID019): it goes on when the set is "
                "assembled; have the backup file at hand when one was given");
    } else {
        report.change(Setting::raid_run, set.name, true);
        if (!losses(set).lost.empty()) report.change(Setting::raid_add_component, set.name, std::string{});
        report.note(
            "first compare the event counters of the members (mdadm -E) and look for a member that is "
            "absent: a set that starts with too few members starts degraded");
    }
}

// All that is known is the metadata of one member.
bool is_one_of_several(const Volume& set) {
    return set.components_complete.is(false) && !set.state && set.components.size() == 1 &&
           set.columns.value_or(1) > 1 && set.components_complete.from().kind() != Provenance::Kind::output;
}

void report_one_of_several(const Volume& set, Findings& out) {
    const std::uint64_t there = set.components.front().slot ? 1 : 0;  // a spare is none of the columns
    out.report(set.name)
        .message(fmt::format("{} of its {} components are not among the inputs: whether the set is whole "
                             "cannot be told from one",
                             *set.columns - there, *set.columns))
        .at_most(Severity::notice)
        .note("give the images or devices of all members in one command, with --host")
        .evidence(set.components_complete);
}

// Devices with metadata of that kind which is damaged, and that no set has: one may be what is missing.
std::vector<std::string> damaged_members(const HostFacts& host, const Volume& set) {
    struct Words {
        VolumeKind kind;
        std::string_view metadata;
    };
    static constexpr std::array<Words, 7> words{{{VolumeKind::raidframe, "component label"},
                                                 {VolumeKind::md, "md superblock"},
                                                 {VolumeKind::softraid, "softraid"},
                                                 {VolumeKind::gmirror, "GEOM::MIRROR"},
                                                 {VolumeKind::gstripe, "GEOM::STRIPE"},
                                                 {VolumeKind::graid3, "GEOM::RAID3"},
                                                 {VolumeKind::gconcat, "GEOM::CONCAT"}}};
    std::vector<std::string> out;
    for (const Damage& damage : host.damages) {
        const std::string device = damage.what.substr(0, damage.what.find('@'));
        const bool of_that_kind = std::any_of(words.begin(), words.end(), [&](const Words& w) {
            return set.kind.is(w.kind) && contains(damage.what, w.metadata);
        });
        const bool in_a_set = std::any_of(host.volumes.begin(), host.volumes.end(), [&](const Volume& v) {
            return std::any_of(v.components.begin(), v.components.end(),
                               [&](const Component& c) { return c.name == device; });
        });
        if (of_that_kind && !in_a_set && std::find(out.begin(), out.end(), device) == out.end())
            out.push_back(device);
    }
    return out;
}

void report_degraded(const HostFacts& host, const Volume& set, Findings& out) {
    const Losses losses = diskwright::losses(set);
    auto report = out.report(set.name);
    const bool dead =
        set.state.is(VolumeState::failed) || (!is_redundant(set) && set.level && !losses.lost.empty());
    std::string message;
    if (dead)
        message = losses.lost.empty() ? "the set has failed"
                                      : fmt::format("the set has failed: {} lost", named(losses.lost));
    else if (!losses.lost.empty())
        message = fmt::format("redundancy is missing: {} {}", named(losses.lost),
                              losses.lost.front()->state.is(ComponentState::missing) ? "missing" : "failed");
    else if (!losses.rebuilding.empty())
        message = fmt::format("redundancy is missing until {} is rebuilt", named(losses.rebuilding));
    else
        message = "the set reports itself degraded";
    if (!dead && set.level.is(RaidLevel::raid6) && losses.lost.size() + losses.rebuilding.size() == 1)
        message += "; one more failure is survived";
    else if (!dead)
        message += "; the next failure may lose data";
    report.message(message).impact(dead ? 2000 : 1000);
    if (set.state && *set.state != VolumeState::optimal) report.evidence(set.state);
    for (const Component* c : losses.lost) report.evidence(c->state);
    for (const Component* c : losses.rebuilding) report.evidence(c->state);
    if (const auto damaged = damaged_members(host, set); !losses.lost.empty() && !damaged.empty())
        report.note(fmt::format("the metadata on {} is damaged: what is missing may be there",
                                fmt::join(damaged, ", ")));
    // The state of the set may itself follow from a component's.
    if (is_only_configured(set)) report.at_most(Severity::warning);

    if (dead) {
        report.cost("All data of the set: what the lost components held cannot be computed from the rest.")
            .note(
                "restore from a backup, or bring the lost components back before anything is written: take "
                "images of the disks first");
        return;
    }
    if (!losses.rebuilding.empty() || set.activity.is(Activity::rebuild)) {
        report.note("the rebuild is running; nothing to do but to let it finish and to check afterwards");
        return;
    }
    if (set.kind.is(VolumeKind::hardware) || set.kind.is(VolumeKind::zfs)) {
        report.note(set.kind.is(VolumeKind::zfs)
                        ? "replace the disk and run zpool replace"
                        : "replace the disk; the controller rebuilds by itself or is told to with "
                          "its own tool");
        return;
    }
    if (is_only_configured(set)) {
        report.note(
            "the configuration names a component that is not there; add it before data goes on the set");
        return;
    }
    const Component* lost = losses.lost.empty() ? nullptr : losses.lost.front();
    if (idle_spares(set).value_or(0) > 0) {
        report.change(Setting::raid_rebuild, set.name, lost ? lost->name : std::string{})
            .note("a spare stands by: rebuild on to it (RAID014), then replace the failed disk");
    } else if (const Component* back = dropped_member(set)) {
        report.change(Setting::raid_add_component, set.name, back->name)
            .evidence(back->events)
            .note(fmt::format("look at the log and the health of {} first: only a healthy disk goes back",
                              name_of(*back)));
    } else {
        report.change(Setting::raid_add_component, set.name, std::string{})
            .note(
                "replace the failed disk and partition the new one like the others, aligned; have a backup "
                "before the rebuild reads every sector of the rest");
    }
}

// More components failed than spares took a place, and only those whose state is not shown could make up for
// it. A tool that calls the set optimal knows.
bool losses_are_unclear(const Volume& set) {
    if (set.state.is(VolumeState::optimal) && set.state.from().kind() == Provenance::Kind::output)
        return false;
    std::size_t lost = 0, replaced = 0, in_use = 0, unclear = 0;
    for (const Component& c : set.components) {
        if (!c.state && !c.events) ++unclear;
        if (c.state.is(ComponentState::failed) || c.state.is(ComponentState::missing)) ++lost;
        if (c.state.is(ComponentState::used_spare)) ++replaced;
        if (c.state.is(ComponentState::optimal) || c.state.is(ComponentState::used_spare)) ++in_use;
    }
    return lost > replaced && unclear > 0 && !(set.columns && in_use >= *set.columns);
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (is_inactive(set)) {
            report_inactive(set, out);
        } else if (is_one_of_several(set)) {
            report_one_of_several(set, out);
        } else if (is_degraded(set)) {
            report_degraded(context.host, set, out);
        } else if (losses_are_unclear(set)) {
            out.skip(set.name, {status_command(set)});
        } else if (is_redundant(set) && !set.state && losses(set).lost.empty() && !is_only_configured(set) &&
                   !set.kind.is(VolumeKind::lvm)) {
            out.skip(set.name, {status_command(set)});
        }
    }
}

}  // namespace

extern const Rule raid_array_degraded;
const Rule raid_array_degraded{
    {.code = "RAID001",
     .slug = "array-degraded",
     .severity = Severity::error,
     .impact = 1000,
     .summary = "redundancy is missing, or the set does not run",
     .why =
         "A component failed, is absent or still being rebuilt: reads are recomputed from the others, and "
         "one more failure (two on RAID 6) takes the data. RAIDframe never prints the word degraded and "
         "keeps saying 'Parity status: clean'; a set whose spare is in use is whole again. A "
         "resynchronisation, check or parity rewrite of a complete set is no loss. An md set that is listed "
         "as inactive was put together but not started, mostly because a member or part of a reshape is "
         "absent.",
     .cost = "All data at the next failure. Reads of the lost component cost a read of every other one; no "
             "figure is published that holds in general.",
     .remedy = "Replace the disk and rebuild: raidctl -a and -F (or -R in place), gmirror forget and insert, "
               "graid3 insert, mdadm --add or --re-add, bioctl -R. Inactive md: mdadm --run, after comparing "
               "mdadm -E of all members.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "1", "columns": 2, "spares": 0, "autoconfigure": true, "parity_map": true, "components": [{"name": "wd0e", "state": "optimal"}, {"name": "wd1e", "state": "failed"}]}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "1", "columns": 2, "autoconfigure": true, "parity_map": true, "components": [{"name": "wd0e", "state": "optimal"}, {"name": "wd1e", "state": "failed"}, {"name": "wd2e", "state": "used_spare"}]}]})",
     .references = "raidctl(8), gmirror(8), graid3(8), bioctl(8), mdadm(8), md(4)"},
    check};

}  // namespace diskwright
