// SPDX-License-Identifier: BSD-2-Clause
// mdadm(8): Linux md.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void add(FixBuilder& fix, const std::string& set, const std::string* device) {
    if (!device) return;
    if (device->empty())
        fix.note(fmt::format("with a new disk in place: mdadm {} --add DEVICE", escaped(set)));
    else
        fix.run(Command("mdadm").name(set).word("--add").name(device_path(fix, *device)));
}

// --add takes a member back whose superblock still belongs to the set, and only copies what the bitmap says.
void rebuild(FixBuilder& fix, const Volume& volume, const std::string& set, const std::string* component) {
    if (!component) return;
    const bool spare = std::any_of(volume.components.begin(), volume.components.end(),
                                   [](const Component& c) { return c.state.is(ComponentState::spare); });
    if (spare || volume.auto_read_only.is(true)) {
        fix.run(Command("mdadm").word("--readwrite").name(set));
        fix.note("md rebuilds by itself once the set may be written and has a disk to rebuild onto");
        return;
    }
    if (component->empty()) {
        fix.note(fmt::format("with a new disk in place: mdadm {} --add DEVICE", escaped(set)));
        return;
    }
    const std::string device = device_path(fix, *component);
    for (const Component& c : volume.components)
        if (same_device(c.name, *component) && c.state.is(ComponentState::failed))
            fix.run(Command("mdadm").name(set).word("--remove").name(device));
    fix.run(Command("mdadm").name(set).word("--add").name(device));
    fix.note("if the disk itself is bad, replace it before adding it again");
}

void reshape(FixBuilder& fix, const Volume& volume, const std::string& set, std::uint64_t unit) {
    if (volume.level.is(RaidLevel::raid1) || unit % KiB != 0) {
        fix.note("this set has no chunk that could be changed to this size");
        return;
    }
    fix.run(Command("mdadm")
                .word("--grow")
                .name(set)
                .word(fmt::format("--chunk={}", unit / KiB))
                .flag("--backup-file", fmt::format("/root/{}-grow.backup", base_name(volume.name))));
    fix.note(
        "the reshape runs for hours to days with the set in use; keep the backup file on another device and "
        "a backup of the data, and set the geometry of the file system afterwards");
}

void one_set(FixBuilder& fix, const Volume& volume, const Job& job) {
    const std::string set = device_path(fix, volume.name);
    if (job.has(Setting::raid_run)) fix.run(Command("mdadm").word("--run").name(set));
    add(fix, set, job.text(Setting::raid_spare));
    add(fix, set, job.text(Setting::raid_add_component));
    if (!job.has(Setting::raid_add_component)) rebuild(fix, volume, set, job.text(Setting::raid_rebuild));
    if (job.has(Setting::raid_parity_rewrite)) fix.run(Command("mdadm").word("--action=repair").name(set));
    if (job.has(Setting::raid_parity_map))
        fix.run(Command("mdadm").word("--grow").word("--bitmap=internal").name(set));
    if (job.has(Setting::raid_reshape_continue))
        fix.run(Command("mdadm").word("--grow").word("--continue").name(set));
    if (const auto unit = job.number(Setting::raid_stripe_unit)) reshape(fix, volume, set, *unit);
    if (const std::string* level = job.text(Setting::raid_level))
        fix.note(fmt::format(
            "mdadm --grow --level={} changes the level; it needs the number of members that this level "
            "wants and a backup first",
            escaped(*level)));
    if (const std::string* component = job.text(Setting::raid_component_move))
        fix.note(fmt::format(
            "replace {0} by a partition of another disk: mdadm {1} --add DEVICE, then mdadm {1} --replace "
            "{0} --with DEVICE",
            escaped(*component), escaped(set)));
}

}  // namespace

void generate_md(FixBuilder& fix) {
    if (!fix.is({Os::linux_})) return;
    for (const Volume& volume : fix.host().volumes) {
        if (!volume.kind.is(VolumeKind::md)) continue;
        for (const Job& job : fix.take_of(
                 volume.name,
                 {Setting::raid_run, Setting::raid_spare, Setting::raid_add_component, Setting::raid_rebuild,
                  Setting::raid_parity_rewrite, Setting::raid_parity_map, Setting::raid_reshape_continue,
                  Setting::raid_stripe_unit, Setting::raid_level, Setting::raid_component_move}))
            one_set(fix, volume, job);
    }
}

}  // namespace diskwright
