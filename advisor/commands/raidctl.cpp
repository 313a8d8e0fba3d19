// SPDX-License-Identifier: BSD-2-Clause
// raidctl(8): RAIDframe sets of NetBSD and of OpenBSD before 5.2. -C, -c and -I are never printed: they need
// a configuration file, and a wrong one is accepted without a word (knowledge of the driver: labels are
// compared by serial number, place and number of columns only).
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool missing(const Component& component) {
    return component.state.is(ComponentState::failed) || component.state.is(ComponentState::missing);
}

// The component that a rebuild concerns: the one named, or the only one that is not there.
const Component* broken_component(const Volume& set, const std::string* named) {
    const Component* only = nullptr;
    for (const Component& c : set.components) {
        if (named && !named->empty() && same_device(c.name, *named)) return &c;
        if (!missing(c) || (named && !named->empty())) continue;
        if (only) return nullptr;
        only = &c;
    }
    return only;
}

bool has_idle_spare(const Volume& set) {
    return std::any_of(set.components.begin(), set.components.end(),
                       [](const Component& c) { return c.state.is(ComponentState::spare); });
}

// componentN stands for a component that the set was configured without: nothing to rebuild in place.
bool placeholder(const std::string& name) {
    return name.empty() || (name.starts_with("component") && to_unsigned(std::string_view(name).substr(9)));
}

std::string component_path(const FixBuilder& fix, const std::string& name) {
    return placeholder(name) ? name : device_path(fix, name);
}

void rebuild(FixBuilder& fix, const Volume& set, const Job& job) {
    const std::string* added = job.text(Setting::raid_add_component);
    if (!added) added = job.text(Setting::raid_spare);
    if (added && !added->empty())
        fix.run(Command("raidctl").flag("-a", device_path(fix, *added)).name(set.name));
    else if (added)
        fix.note(fmt::format("add a disk as a hot spare: raidctl -a DEVICE {}", escaped(set.name)));
    if (!job.has(Setting::raid_rebuild) && !job.has(Setting::raid_add_component)) return;

    const Component* broken = broken_component(set, job.text(Setting::raid_rebuild));
    if (!broken || broken->name.empty()) {
        fix.note("the input does not name the component to rebuild: `raidctl -s` does");
        return;
    }
    const bool spare = has_idle_spare(set) || (added && !added->empty());
    const std::string path = component_path(fix, broken->name);
    if (added && added->empty())
        fix.note(fmt::format("then rebuild onto it: raidctl -F {} {}", escaped(path), escaped(set.name)));
    else if (spare)
        fix.run(Command("raidctl").flag("-F", path).name(set.name));
    else if (placeholder(broken->name))
        fix.note(fmt::format("a disk for it is needed: raidctl -a DEVICE {0}, then raidctl -F {1} {0}",
                             escaped(set.name), escaped(path)));
    else {
        fix.run(Command("raidctl").flag("-R", path).name(set.name));
        fix.note("raidctl -R rebuilds onto the same disk: replace it first if it is bad");
    }
}

// -A sets both flags at once, so the one that is not to change is said again.
void autoconfigure(FixBuilder& fix, const Volume& set, const Job& job) {
    if (!job.has(Setting::raid_autoconfigure) && !job.has(Setting::raid_root)) return;
    std::string root = set.root.value_or("No");
    if (const std::string* wanted = job.text(Setting::raid_root)) root = *wanted;
    std::string_view mode = "yes";
    if (!job.flag(Setting::raid_autoconfigure).value_or(true))
        mode = "no";
    else if (iequals(root, "yes") || iequals(root, "force"))
        mode = "root";
    else if (iequals(root, "soft"))
        mode = "softroot";
    fix.run(Command("raidctl").word("-A").word(mode).name(set.name));
}

}  // namespace

void generate_raidframe(FixBuilder& fix) {
    if (!fix.is({Os::netbsd, Os::openbsd})) return;
    for (const Volume& set : fix.host().volumes) {
        if (!set.kind.is(VolumeKind::raidframe)) continue;
        for (const Job& job : fix.take_of(
                 set.name, {Setting::raid_rebuild, Setting::raid_add_component, Setting::raid_spare,
                            Setting::raid_parity_rewrite, Setting::raid_parity_map,
                            Setting::raid_autoconfigure, Setting::raid_root, Setting::raid_stripe_unit,
                            Setting::raid_level, Setting::raid_component_move, Setting::raid_run})) {
            if (job.has(Setting::raid_rebuild) || job.has(Setting::raid_add_component) ||
                job.has(Setting::raid_spare))
                rebuild(fix, set, job);
            if (job.has(Setting::raid_parity_rewrite)) fix.run(Command("raidctl").word("-i").name(set.name));
            if (job.has(Setting::raid_parity_map)) {
                fix.run(Command("raidctl").word("-M").word("yes").name(set.name));
                fix.note(
                    "the parity map is in use from the next configuration of the set on, such as the next "
                    "boot");
            }
            autoconfigure(fix, set, job);
            if (const auto unit = job.number(Setting::raid_stripe_unit)) {
                const std::uint64_t sector = set.logical_sector_bytes.value_or(512);
                fix.note(fmt::format(
                    "sectPerSU is fixed when the set is made: back up, set it to {} in the layout section of "
                    "the configuration file, make the set anew as raidctl(8) describes for a first "
                    "configuration, and restore",
                    *unit / std::max<std::uint64_t>(sector, 1)));
            }
            if (const std::string* level = job.text(Setting::raid_level))
                fix.note(
                    fmt::format("the level is fixed when the set is made: back up, make the set anew with "
                                "level {}, restore",
                                escaped(*level)));
            if (const std::string* component = job.text(Setting::raid_component_move))
                fix.note(fmt::format(
                    "put {} on a disk of its own: add a partition there as a spare (raidctl -a), fail the "
                    "component over to it (raidctl -F), one component at a time",
                    escaped(*component)));
            if (job.has(Setting::raid_run))
                fix.note(
                    "configure the set with its own configuration file, or turn autoconfiguration on and "
                    "reboot");
        }
    }
}

}  // namespace diskwright
