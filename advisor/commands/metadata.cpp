// SPDX-License-Identifier: BSD-2-Clause
// Left-over or damaged metadata, removed or repaired by the tool that owns it; never by dd.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Owner {
    std::string_view what, tool, verb;
};
constexpr std::array owners{
    Owner{"mirror", "gmirror", "clear"},   Owner{"stripe", "gstripe", "clear"},
    Owner{"raid3", "graid3", "clear"},     Owner{"concat", "gconcat", "clear"},
    Owner{"journal", "gjournal", "clear"}, Owner{"label", "glabel", "clear"},
};

// "gmirror", "GEOM::MIRROR", "mirror" -> "mirror"
std::string geom_class(std::string_view what) {
    what = what.substr(what.find_last_of(" :") + 1);
    if (what.starts_with('g')) what.remove_prefix(1);
    return std::string(what);
}

bool has_other_table(const FixBuilder& fix, const std::string& disk) {
    const auto on_disk = [&](const auto& element) { return same_device(element.parent, disk); };
    for (const PartitionTable& t : fix.host().tables)
        if (on_disk(t) && t.scheme && !t.scheme.is(Scheme::gpt) && !t.protective.is(true)) return true;
    return std::any_of(fix.host().partitions.begin(), fix.host().partitions.end(), [&](const Partition& p) {
        return on_disk(p) && p.scheme && !p.scheme.is(Scheme::gpt);
    });
}

bool gpt_in_use(const FixBuilder& fix, const std::string& disk) {
    return std::any_of(fix.host().partitions.begin(), fix.host().partitions.end(), [&](const Partition& p) {
        return same_device(p.parent, disk) && p.scheme.is(Scheme::gpt);
    });
}

void clear_gpt(FixBuilder& fix, const std::string& disk) {
    // gpart destroy also clears the last sector, where GEOM keeps the metadata of a component.
    if (fix.graph().volume_with_component(disk)) {
        fix.note(fmt::format("{} is a component of a set: take it out, clear the GPT, and insert it again",
                             escaped(disk)));
    } else if (gpt_in_use(fix, disk)) {
        fix.note(fmt::format(
            "the GPT of {} holds partitions that the input shows: make sure which table is in use first",
            escaped(disk)));
    } else if (fix.is({Os::netbsd})) {
        fix.run(Command("gpt").word("destroy").name(disk));
    } else if (fix.is({Os::freebsd}) && !has_other_table(fix, disk)) {
        fix.run(Command("gpart").word("destroy").word("-F").name(disk));
    } else if (fix.is({Os::linux_})) {
        fix.run(Command("wipefs").word("--all").word("--types").word("gpt").name(device_path(fix, disk)));
    } else {
        fix.note(
            fmt::format("no tool removes the left-over GPT of {} and leaves the other table alone: keep a "
                        "copy of the first and last sectors before any attempt",
                        escaped(disk)));
    }
}

bool clear_with_owner(FixBuilder& fix, const std::string& what, const std::string& disk) {
    if (icontains(what, "zfs")) {
        fix.run(Command("zpool").word("labelclear").name(device_path(fix, disk)));
        return true;
    }
    if (fix.is({Os::linux_}) && (what == "md" || icontains(what, "mdadm") || icontains(what, "linux_raid"))) {
        fix.run(Command("mdadm").word("--zero-superblock").name(device_path(fix, disk)));
        return true;
    }
    if (!fix.is({Os::freebsd, Os::dragonfly})) return false;
    for (const Owner& owner : owners)
        if (geom_class(what) == owner.what) {
            fix.run(Command(owner.tool).word(owner.verb).name(without_dev(disk)));
            return true;
        }
    return false;
}

void recover(FixBuilder& fix, const std::string& disk) {
    if (fix.is({Os::freebsd}))
        fix.run(Command("gpart").word("recover").name(disk));
    else if (fix.is({Os::netbsd, Os::dragonfly}))
        fix.run(Command("gpt").word("recover").name(disk));
    else if (fix.is({Os::linux_}))
        fix.run(Command("sgdisk").word("--move-second-header").name(device_path(fix, disk)));
    else
        fix.note(fmt::format("fdisk -e {} reads the good copy of the GPT and writes both again with w",
                             escaped(disk)));
}

}  // namespace

void generate_metadata(FixBuilder& fix) {
    for (const Job& job : fix.take({Setting::gpt_recover})) recover(fix, job.subject);
    for (const Job& job : fix.take({Setting::stale_metadata_clear})) {
        const std::string what =
            job.text(Setting::stale_metadata_clear) ? *job.text(Setting::stale_metadata_clear) : "";
        if (icontains(what, "gpt")) {
            clear_gpt(fix, job.subject);
        } else if (clear_with_owner(fix, lowercase(what), job.subject)) {
            fix.note("make sure that nothing uses this metadata before it is cleared");
        } else {
            fix.note(fmt::format("remove the left-over {} metadata of {} with the tool that made it",
                                 escaped(what), escaped(job.subject)));
        }
    }
}

}  // namespace diskwright
