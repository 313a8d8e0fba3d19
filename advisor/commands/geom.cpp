// SPDX-License-Identifier: BSD-2-Clause
// gmirror(8), gstripe(8), graid3(8), graid(8) of FreeBSD. freebsd/freebsd-src lib/geom/*, sbin/geom.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string_view tool_of(VolumeKind kind) {
    switch (kind) {
        case VolumeKind::gmirror:
            return "gmirror";
        case VolumeKind::gstripe:
            return "gstripe";
        case VolumeKind::graid3:
            return "graid3";
        case VolumeKind::gconcat:
            return "gconcat";
        case VolumeKind::graid:
            return "graid";
        default:
            return "";
    }
}

void insert(FixBuilder& fix, std::string_view tool, const std::string& name, const std::string& device) {
    if (device.empty()) {
        fix.note(
            tool == "gmirror"
                ? fmt::format("with a new disk in place: gmirror forget {0}, then gmirror insert {0} DEVICE",
                              escaped(name))
                : fmt::format("with a new disk in place: {} insert {} DEVICE", tool, escaped(name)));
        return;
    }
    // forget drops the component that is gone, so that the mirror is complete again with the new one.
    if (tool == "gmirror") fix.run(Command(tool).word("forget").name(name));
    fix.run(Command(tool).word("insert").name(name).name(without_dev(device)));
}

void rebuild(FixBuilder& fix, std::string_view tool, const Volume& set, const std::string& component) {
    const auto known = std::find_if(set.components.begin(), set.components.end(),
                                    [&](const Component& c) { return same_device(c.name, component); });
    // What the set has forgotten or never saw again cannot be rebuilt, only inserted.
    const bool there = known != set.components.end() && !known->state.is(ComponentState::missing);
    if (component.empty() || !there) return insert(fix, tool, base_name(set.name), component);
    if (tool == "graid") {
        fix.note("graid rebuilds by itself when the disk is back; graid insert adds another one");
        return;
    }
    fix.run(Command(tool).word("rebuild").name(base_name(set.name)).name(without_dev(component)));
}

// The metadata of a stripe made with label is in the components, so destroy and label are all it takes.
void restripe(FixBuilder& fix, const Volume& set, std::uint64_t unit) {
    if (!set.kind.is(VolumeKind::gstripe)) {
        fix.note("the stripe unit is fixed when the set is made");
        return;
    }
    fix.note("everything on the stripe is lost: make a backup first; unmount what lies on it");
    if (set.components.empty()) {
        fix.note("the input does not name the components: `gstripe list` does");
        return;
    }
    const std::string name = base_name(set.name);
    Command label = Command("gstripe").word("label").word("-s").number(unit).name(name);
    for (const Component& c : set.components) label.name(without_dev(c.name));
    fix.run(Command("gstripe").word("destroy").name(name));
    fix.run(label);
}

void one_set(FixBuilder& fix, std::string_view tool, const Volume& set, const Job& job) {
    const std::string name = base_name(set.name);
    if (const std::string* balance = job.text(Setting::gmirror_balance))
        fix.run(Command("gmirror").word("configure").flag("-b", *balance).name(name));
    const std::string* added = job.text(Setting::raid_add_component);
    if (!added) added = job.text(Setting::raid_spare);
    if (added)
        insert(fix, tool, name, *added);
    else if (const std::string* component = job.text(Setting::raid_rebuild))
        rebuild(fix, tool, set, *component);
    if (const auto unit = job.number(Setting::raid_stripe_unit)) restripe(fix, set, *unit);
    if (job.has(Setting::raid_level))
        fix.note("the level is fixed when the set is made: back up, make a new one, restore");
    if (const std::string* component = job.text(Setting::raid_component_move))
        fix.note(fmt::format("put {} on a disk of its own", escaped(*component)));
    if (job.has(Setting::raid_run))
        fix.note(fmt::format("{} starts a set when all of its components are there", tool));
    if (job.has(Setting::raid_parity_rewrite))
        fix.note(
            "the set is synchronised by rebuilding a component, which is left to the administrator to "
            "choose");
}

}  // namespace

void generate_geom(FixBuilder& fix) {
    if (!fix.is({Os::freebsd, Os::dragonfly})) return;
    for (const Volume& set : fix.host().volumes) {
        const std::string_view tool = set.kind ? tool_of(*set.kind) : "";
        if (tool.empty()) continue;
        for (const Job& job : fix.take_of(
                 set.name, {Setting::gmirror_balance, Setting::raid_add_component, Setting::raid_spare,
                            Setting::raid_rebuild, Setting::raid_stripe_unit, Setting::raid_level,
                            Setting::raid_component_move, Setting::raid_run, Setting::raid_parity_rewrite}))
            one_set(fix, tool, set, job);
    }
}

}  // namespace diskwright
