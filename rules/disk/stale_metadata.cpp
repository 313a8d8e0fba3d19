// SPDX-License-Identifier: BSD-2-Clause
// DISK004: metadata of an earlier use that something may pick up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "rules/rule.hpp"

namespace diskwright {
namespace {

// Whose metadata a kernel message speaks of.
std::string_view owner_of(const Event& event) {
    if (event.kind == Event::Kind::stale_gpt || event.kind == Event::Kind::primary_gpt_corrupt) return "gpt";
    struct Owner {
        std::string_view word, name;
    };
    static constexpr std::array<Owner, 20> owners{{{"GEOM_STRIPE", "gstripe"},
                                                   {"gstripe", "gstripe"},
                                                   {"GEOM_MIRROR", "gmirror"},
                                                   {"gmirror", "gmirror"},
                                                   {"GEOM_RAID3", "graid3"},
                                                   {"GEOM_CONCAT", "gconcat"},
                                                   {"GEOM_JOURNAL", "gjournal"},
                                                   {"GEOM_LABEL", "glabel"},
                                                   {"GEOM_RAID", "graid"},
                                                   {"GEOM::STRIPE", "gstripe"},
                                                   {"GEOM::MIRROR", "gmirror"},
                                                   {"GEOM::RAID3", "graid3"},
                                                   {"GEOM::CONCAT", "gconcat"},
                                                   {"GEOM::JOURNAL", "gjournal"},
                                                   {"GEOM::LABEL", "glabel"},
                                                   {"zfs", "zfs"},
                                                   {"mdadm", "md"},
                                                   {"md:", "md"},
                                                   {"RAIDframe", "raidframe"},
                                                   {"softraid", "softraid"}}};
    for (const Owner& o : owners)
        if (icontains(event.detail, o.word) || icontains(event.from.text(), o.word)) return o.name;
    return {};
}

// The whole device is a component of something that is in use.
const Volume* in_use_by(const RuleContext& context, const std::string& disk) {
    return context.graph.volume_with_component(disk);
}

// GEOM says so of a disk that something owns as a whole: then the GPT is left over, not damaged.
bool is_left_over(const RuleContext& context, const Event& event, const std::string& disk) {
    switch (event.kind) {
        case Event::Kind::stale_raid_metadata:
        case Event::Kind::stale_gpt:
            return true;
        case Event::Kind::primary_gpt_corrupt:
            return in_use_by(context, disk) != nullptr;
        default:
            return false;
    }
}

bool gpt_in_use(const HostFacts& host, const std::string& disk) {
    return std::any_of(host.tables.begin(), host.tables.end(), [&](const PartitionTable& t) {
        return t.scheme.is(Scheme::gpt) && same_device(t.parent, disk);
    });
}

// Something else is known to use the disk: a table of another scheme, a set, a file system on all of it.
bool has_other_owner(const RuleContext& context, const std::string& disk) {
    const HostFacts& host = context.host;
    return in_use_by(context, disk) || context.graph.filesystem(disk) || context.graph.mount_of(disk) ||
           std::any_of(host.tables.begin(), host.tables.end(),
                       [&](const PartitionTable& t) {
                           return t.scheme && !t.scheme.is(Scheme::gpt) && !t.protective.is(true) &&
                                  same_device(t.parent, disk);
                       }) ||
           std::any_of(host.partitions.begin(), host.partitions.end(), [&](const Partition& p) {
               return p.scheme && !p.scheme.is(Scheme::gpt) && same_device(p.parent, disk);
           });
}

// The partition whose last sector holds it, where the event names one: "metadata of stripe/v0 found on
// ada1p1".
std::string place_of(const Event& event, const std::string& name) {
    const auto said = after(event.detail, "found on ");
    const auto named = said ? words(*said) : std::vector<std::string_view>{};
    return named.empty() ? name : device_name(named.front());
}

struct Leftovers {
    std::vector<const Event*> events;
    std::vector<std::string_view> owners;
    std::string place;  // the device as the first message names it
    bool one_place = true;
};

// zpool labelclear of FreeBSD 12 and before writes to all four places of labels, two of them at the start.
bool may_be_written_over(const RuleContext& context, const Leftovers& left) {
    const auto& swap = context.host.swap;
    return left.owners.front() == "zfs" &&
           (has_other_owner(context, left.place) || gpt_in_use(context.host, left.place) ||
            std::any_of(swap.begin(), swap.end(),
                        [&](const SwapArea& s) { return same_device(s.device, left.place); }));
}

void check(const RuleContext& context, Findings& out) {
    std::map<std::string, Leftovers> by_disk;
    std::vector<const Event*> unnamed;
    for (const Event& e : context.host.events) {
        const std::string name = device_name(e.subject);
        const std::string disk = context.graph.start_on_base(name).base;
        if (!is_left_over(context, e, disk)) continue;
        if (name.empty() || name.starts_with("gptid/") || name.starts_with("diskid/")) {
            unnamed.push_back(&e);
            continue;
        }
        // A table made since then is no leftover.
        if (e.kind == Event::Kind::stale_gpt && gpt_in_use(context.host, disk)) continue;
        Leftovers& left = by_disk[disk];
        const std::string place = place_of(e, name);
        if (left.events.empty()) left.place = place;
        if (left.place != place) left.one_place = false;
        left.events.push_back(&e);
        const auto owner = owner_of(e);
        if (!owner.empty() && std::find(left.owners.begin(), left.owners.end(), owner) == left.owners.end())
            left.owners.push_back(owner);
    }
    // Messages that name a device by its UUID belong to one of the disks found; alone they stand for
    // themselves.
    if (by_disk.empty() && !unnamed.empty()) {
        Leftovers& left =
            by_disk[unnamed.front()->subject.empty() ? "?" : device_name(unnamed.front()->subject)];
        left.events = unnamed, left.one_place = false;
        left.owners.push_back(owner_of(*unnamed.front()));
    }
    for (const auto& [disk, left] : by_disk) {
        std::string what;
        for (const auto owner : left.owners) what += fmt::format("{}{}", what.empty() ? "" : " and ", owner);
        // A damaged table beside it says that something else writes on the whole disk.
        const bool names_gpt = std::find(left.owners.begin(), left.owners.end(), "gpt") != left.owners.end();
        const auto damaged = [&](const Event& e) {
            return e.kind == Event::Kind::primary_gpt_corrupt && same_device(e.subject, disk);
        };
        const bool damaged_gpt =
            !names_gpt && std::any_of(context.host.events.begin(), context.host.events.end(), damaged);
        if (damaged_gpt) what += what.empty() ? "gpt" : " beside a damaged gpt";
        const Volume* user = in_use_by(context, disk);
        const bool only_table = names_gpt && !has_other_owner(context, disk);
        auto report = out.report(disk);
        report.message(fmt::format(
            "old {} metadata is left on the disk and is picked up at boot{}", what.empty() ? "RAID" : what,
            user ? fmt::format(", although {} uses the whole disk", user->name) : std::string{}));
        for (std::size_t i = 0; i < left.events.size() && i < 8; ++i) report.evidence(left.events[i]->from);
        report.cost(
            "devices appear that nobody wants, names are taken, and what attaches first may write to sectors "
            "that belong to the present owner: data at risk");
        const bool over_contents = left.owners.size() == 1 && may_be_written_over(context, left);
        if (over_contents) {
            report.note(
                "zpool import offers the pool that is gone. zpool labelclear of OpenZFS 2.0 and later clears "
                "the labels that are whole; older ones write to all four places of labels, two of them at "
                "the start, where the present contents lie: have a backup, or leave them");
        } else if (only_table) {
            report.note(
                "Nothing that is shown here uses this disk in another way: the GPT that is left may be its "
                "only table, of which the start was overwritten. Look at what it holds first; its copy is "
                "written again with gpart recover, gpt recover or sgdisk -e. Only where another owner has "
                "the disk is it left over.");
        } else if (!user && !damaged_gpt && left.owners.size() == 1 && left.one_place &&
                   !left.owners.front().empty() && !over_contents) {
            report.change(Setting::stale_metadata_clear, left.place, std::string(left.owners.front()))
                .note(
                    "Make sure that the device named holds nothing in use: the owner's tool writes where its "
                    "metadata lies.");
        } else {
            report.note(
                "Clear it with the tool of its owner (gstripe, gmirror, gpart, mdadm, zpool labelclear), "
                "never with a plain overwrite. Where a pool or set uses the whole disk now, those sectors "
                "may already hold its data: take one disk out of it, clear that disk, put it back and let it "
                "rebuild, then the next; have a backup before.");
        }
    }
}

}  // namespace

extern const Rule disk_stale_metadata;
const Rule disk_stale_metadata{
    {.code = "DISK004",
     .slug = "stale-metadata",
     .severity = Severity::warning,
     .impact = 20,
     .summary = "metadata of an earlier use is left where something picks it up",
     .why = "GEOM classes keep their metadata in the last sector, GPT keeps a second copy at the end, md and "
            "ZFS labels lie at both ends. A disk that is given to another use keeps them until their owner's "
            "tool removes them; at the next boot the kernel attaches the old set, or restores the old table "
            "over the new data.",
     .cost = "Wrong devices at boot, components that cannot be added (error=17), or data of the present "
             "owner overwritten. No figure applies.",
     .remedy = "The owner's own tool: gstripe clear, gmirror clear, gpart destroy, mdadm --zero-superblock, "
               "zpool labelclear; with data on the disk one disk at a time, out of the set.",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada1", "physical_sector_bytes": 512}], "events": [
        {"subject": "ada1", "kind": "stale_raid_metadata", "detail": "GEOM_STRIPE: Disk ada1 attached to gsswap."}]})",
     .good = R"({"os": {"name": "freebsd"}, "disks": [{"name": "ada1", "physical_sector_bytes": 512}]})",
     .references = "gstripe(8), gmirror(8), gpart(8), mdadm(8), zpool-labelclear(8)"},
    check};

}  // namespace diskwright
