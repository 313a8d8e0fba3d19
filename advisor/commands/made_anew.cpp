// SPDX-License-Identifier: BSD-2-Clause
// What lies on a set that has to be made anew. Its tables and file systems go with it, so commands against
// the partitions of today would be wrong before the set is made and are not known to fit after it: what the
// new ones look like is said instead.
#include <fmt/format.h>

#include <string>

#include "advisor/commands/fix_builder.hpp"
#include "advisor/commands/newfs.hpp"
#include "advisor/commands/quoting.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// md reshapes with the data in place; softraid's strip is the same whatever is asked for.
bool made_anew(FixBuilder& fix, const Volume& set) {
    if (set.kind.is(VolumeKind::md)) return false;
    return fix.asked(set.name, Setting::raid_level) ||
           (fix.asked(set.name, Setting::raid_stripe_unit) && !set.kind.is(VolumeKind::softraid));
}

bool lies_on(const StorageGraph& graph, std::string device, const Volume& set) {
    constexpr int deepest = 8;  // hostile facts may put a device on itself
    for (int depth = 0; depth < deepest; ++depth) {
        const Volume* below = graph.on_volume(device).volume;
        if (!below) return false;
        if (below == &set) return true;
        if (below->components.size() != 1) return false;
        device = below->components.front().name;
    }
    return false;
}

std::string new_start(const Job& job) {
    const auto start = job.number(Setting::partition_start);
    return start ? fmt::format("; {} then begins at byte {}", escaped(job.subject), *start) : "";
}

void on_new_set(FixBuilder& fix, const Volume& set, const std::string& device) {
    const auto moves = fix.take_of(device, {Setting::partition_start, Setting::partition_size});
    const auto changes = fix.take_of(device, told_to_newfs);
    if (moves.empty() && changes.empty()) return;
    std::string text =
        fmt::format("{} goes with {} and is made anew on it", escaped(device), escaped(set.name));
    for (const Job& job : moves) text += new_start(job);
    const Filesystem* fs = fix.graph().filesystem(device);
    const bool ffs = !changes.empty() || (fs && fs->type && fs->type->starts_with("ffs"));
    Command newfs("newfs");
    const bool berkeley = !fix.is({Os::linux_});
    if (ffs && berkeley && newfs_command(fix, changes.empty() ? Job{device, {}} : changes.front(), newfs) &&
        newfs.refused().empty())
        text += "; its file system: " + shell_line(newfs.argv());
    fix.note(std::move(text));
}

}  // namespace

void generate_on_sets_made_anew(FixBuilder& fix) {
    for (const Volume& set : fix.host().volumes) {
        if (!made_anew(fix, set)) continue;
        for (const Partition& p : fix.host().partitions)
            if (lies_on(fix.graph(), p.name, set)) on_new_set(fix, set, p.name);
        for (const Filesystem& fs : fix.host().filesystems)
            if (lies_on(fix.graph(), fs.device, set)) on_new_set(fix, set, fs.device);
    }
}

}  // namespace diskwright
