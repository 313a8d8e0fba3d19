// SPDX-License-Identifier: BSD-2-Clause
// Sets whose tool is not ours to command, and hardware: what to do is said, no command is printed.
#include <fmt/format.h>

#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string_view where(const FixBuilder& fix, const std::string& name) {
    const Volume* volume = fix.graph().volume(name);
    if (volume && volume->kind.is(VolumeKind::hardware)) return "with the controller's own tool";
    if (volume && volume->kind.is(VolumeKind::ccd)) return "in ccd.conf";
    return "with the set's own tool";
}

}  // namespace

void generate_other_sets(FixBuilder& fix) {
    for (const Job& job :
         fix.take({Setting::raid_stripe_unit, Setting::raid_level, Setting::raid_rebuild,
                   Setting::raid_add_component, Setting::raid_spare, Setting::raid_parity_rewrite,
                   Setting::raid_parity_map, Setting::raid_autoconfigure, Setting::raid_root,
                   Setting::raid_component_move, Setting::raid_reshape_continue, Setting::raid_run})) {
        for (const Change& change : job.changes) {
            const std::string value = to_string(change.value);
            fix.note(fmt::format("{}{} of {}: {}", info(change.setting).phrase,
                                 value.empty() || value == "on" ? "" : fmt::format(" ({})", escaped(value)),
                                 escaped(job.subject), where(fix, job.subject)));
        }
    }
    for (const Job& job : fix.take({Setting::controller_battery}))
        fix.note(fmt::format("replace the battery of {}; until then write-through keeps the data safe",
                             escaped(job.subject)));
    for (const Job& job : fix.take({Setting::disk_replace}))
        fix.note(fmt::format(
            "replace {}: check the backup first; in a set with redundancy, rebuild onto the new disk",
            escaped(job.subject)));
}

}  // namespace diskwright
