// SPDX-License-Identifier: BSD-2-Clause
#include "rules/align/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t advanced_format = 4096;
constexpr std::size_t deepest = 8, most_places = 64,
                      most_steps = 512;  // hostile facts may stack a set on itself

bool any_of(std::string_view type, std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return iequals(type, n); });
}

// MBR types as decimal (NetBSD, DragonFly fdisk), as hexadecimal (OpenBSD, Linux fdisk) and by name.
bool is_container_type(std::string_view t) {
    return any_of(t,
                  {"5", "05", "f", "0f", "15", "85", "133", "0x5", "0x05", "0xf", "0x0f", "0x85", "ebr"}) ||
           icontains(t, "extended") || icontains(t, "ext'd");
}
bool is_label_holder_type(std::string_view t) {
    return any_of(t, {"165", "166", "169", "108", "a5", "a6", "a9", "6c", "0xa5", "0xa6", "0xa9", "0x6c",
                      "freebsd", "openbsd", "netbsd", "dragonfly", "dragonflybsd"});
}
bool is_boot_type(std::string_view t) {
    return any_of(t, {"ef", "239", "0xef", "ee", "238", "0xee", "41", "0x41", "efi", "esp", "uefi", "pmbr",
                      "msr"}) ||
           icontains(t, "boot") || icontains(t, "efi ") || icontains(t, "efi_") || icontains(t, "reserved") ||
           icontains(t, "bios") || icontains(t, "prep") || icontains(t, "efi system");
}
bool is_swap_type(std::string_view t) {
    return icontains(t, "swap") || any_of(t, {"82", "130", "0x82"});
}
bool is_unused_type(std::string_view t) {
    return any_of(t, {"unused", "<unused>", "free", "-free-", "- free -", "0", "00", "0x0", "0x00", "empty",
                      "unallocated"});
}

bool d_may_be_raw(const RuleContext& context) {
    return !context.host.os.name || context.host.is(Os::netbsd);
}

// All of its device, or of what the label says the device has: a label can be older than a larger set below.
// Nothing when one of the two is not known and the other does not agree.
std::optional<bool> covers_parent(const RuleContext& context, const Partition& p) {
    if (!p.size_bytes) return std::nullopt;
    const Number device = context.graph.size_of(p.parent);
    if (device.known() && *p.size_bytes >= *device) return true;
    for (const PartitionTable& t : context.host.tables) {
        if (!t.total_bytes || t.parent != p.parent || !p.scheme || !t.scheme.is(*p.scheme)) continue;
        if (t.total_bytes.is(*p.size_bytes)) return true;
        return device.known() ? std::optional(false) : std::nullopt;
    }
    return std::nullopt;
}

std::string table_command(const HostFacts& host, const std::string& disk) {
    if (host.is(Os::freebsd)) return fmt::format("gpart show {}", disk);
    if (host.is(Os::linux_)) return fmt::format("fdisk -l /dev/{}", disk);
    return fmt::format("disklabel {}", disk);
}

// A byte of a device on one disk below it; the byte is unknown when a start or a reserved area on the way is.
struct Place {
    std::string disk;
    Number byte;
};

void collect_places(const StorageGraph& graph, const std::string& device, const Number& byte,
                    std::size_t depth, std::size_t& steps, std::vector<Place>& out) {
    if (depth > deepest || out.size() >= most_places || ++steps > most_steps) return;
    const auto start = graph.start_on_base(device);
    Number at;
    if (start.bytes.known() && byte.known())
        if (const auto sum = add(*start.bytes, *byte)) at = Number(*sum, {});
    const Volume* volume = graph.disk(start.base) ? nullptr : graph.volume(start.base);
    if (!volume || volume->components.empty() || volume->kind.is(VolumeKind::hardware)) {
        out.push_back({start.base, at});
        return;
    }
    // Only the byte within a stripe unit matters below: rows are whole units.
    Number inside = at;
    if (at.known())
        if (const auto location = map_byte(*volume, *at)) inside = Number(location->byte, {});
    for (const Component* c : data_components(*volume)) {
        if (c->name.empty()) continue;
        const Number reserved = reserved_bytes(*volume, *c);
        Number next;
        if (inside.known() && reserved.known())
            if (const auto sum = add(*inside, *reserved)) next = Number(*sum, {});
        collect_places(graph, c->name, next, depth + 1, steps, out);
    }
}

void add_evidence(std::vector<Provenance>& to, const Provenance& from) {
    if (!from.empty() && std::find(to.begin(), to.end(), from) == to.end()) to.push_back(from);
}

// Every start on the way down to the disk or volume.
void add_start_evidence(const StorageGraph& graph, const Partition& partition, std::vector<Provenance>& to) {
    const Partition* p = &partition;
    for (std::size_t i = 0; p && i < deepest; ++i) {
        add_evidence(to, p->start_bytes.from());
        const Partition* parent = p->parent.empty() ? nullptr : graph.partition(p->parent);
        p = parent == p ? nullptr : parent;
    }
}

}  // namespace

bool is_raid_type(const Partition& partition) {
    return partition.type &&
           (icontains(*partition.type, "raid") || any_of(*partition.type, {"fd", "0xfd", "253"}));
}

PartitionRole role_of(const RuleContext& context, const Partition& p) {
    const bool label = !p.scheme || p.scheme.is(Scheme::disklabel) || p.scheme.is(Scheme::vtoc8);
    const char letter = p.name.empty() ? '\0' : p.name.back();
    if (label && letter == 'c') return PartitionRole::whole;
    if (label && letter == 'd' && d_may_be_raw(context) && p.start_bytes.is(0)) {
        const Number total = context.graph.size_of(p.parent);
        if (!total.known() || !p.size_bytes.known() || covers_parent(context, p).value_or(false))
            return PartitionRole::whole;
    }
    const std::string_view type = p.type ? trim(*p.type) : std::string_view{};
    if (p.type && is_unused_type(type)) return PartitionRole::unused;
    if (p.size_bytes.is(0)) return PartitionRole::unused;
    if (p.type && is_container_type(type)) return PartitionRole::container;
    if (p.type && is_boot_type(type)) return PartitionRole::boot;
    const FstabEntry* entry = context.graph.fstab_of(p.name);
    if ((p.type && is_swap_type(type)) || context.graph.swap_on(p.name) ||
        (entry && entry->type && *entry->type == "swap"))
        return PartitionRole::swap;
    if (p.type && is_label_holder_type(type) && !context.graph.filesystem(p.name) &&
        !context.graph.mount_of(p.name) && !entry && !context.graph.volume_with_component(p.name))
        return PartitionRole::label_holder;
    return PartitionRole::data;
}

std::optional<bool> is_raw(const RuleContext& context, const Partition& p) {
    if (!p.scheme.is(Scheme::disklabel) || !p.name.ends_with('d') || !p.start_bytes.is(0)) return false;
    const Partition* c = context.graph.partition(p.name.substr(0, p.name.size() - 1) + "c");
    const bool other = c && c->start_bytes.is(0) && c->size_bytes && p.size_bytes.is(*c->size_bytes);
    if (other && !d_may_be_raw(context)) return false;
    return covers_parent(context, p);
}

bool start_matters(const RuleContext& context, const Partition& p) {
    if (p.scheme.is(Scheme::vtoc8)) return false;
    const auto role = role_of(context, p);
    return role == PartitionRole::data || role == PartitionRole::swap;
}

NamedTwice::NamedTwice(const RuleContext& context) : graph_(context.graph) {
    for (const Partition& p : context.host.partitions) {
        if (!p.scheme.is(Scheme::disklabel) || !p.size_bytes) continue;
        const auto start = graph_.start_on_base(p.name);
        if (start.bytes) labels_.push_back({start.base, {*start.bytes, *p.size_bytes}});
    }
    std::sort(labels_.begin(), labels_.end());
}

bool NamedTwice::operator()(const Partition& p) const {
    if (p.scheme.is(Scheme::disklabel) || !p.size_bytes) return false;
    const auto start = graph_.start_on_base(p.name);
    if (!start.bytes) return false;
    const decltype(labels_)::value_type wanted{start.base, {*start.bytes, *p.size_bytes}};
    return std::binary_search(labels_.begin(), labels_.end(), wanted);
}

SectorVerdict sector_verdict(const RuleContext& context, const Partition& p) {
    const StorageGraph& graph = context.graph;
    SectorVerdict out;
    const auto start = graph.start_on_base(p.name);
    out.base = start.base;
    if (!start.bytes) return out;
    out.start_bytes = *start.bytes;
    add_start_evidence(graph, p, out.evidence);
    const bool on_volume = !graph.disk(start.base) && graph.volume(start.base);
    std::vector<Place> places;
    std::size_t steps = 0;
    collect_places(graph, p.name, Number(0, {}), 0, steps, places);
    out.kind = SectorVerdict::Kind::aligned;
    for (const Place& place : places) {
        const auto medium = graph.medium(place.disk);
        if (!medium.physical_sector_bytes.known()) {
            const std::uint64_t byte = place.byte.value_or(out.start_bytes);
            if (byte % advanced_format == 0 || (on_volume && out.start_bytes % advanced_format == 0))
                continue;
            if (out.kind == SectorVerdict::Kind::aligned) out.kind = SectorVerdict::Kind::unaligned_if_4096;
            out.missing.push_back(sector_command(context.host, place.disk));
            continue;
        }
        const std::uint64_t sector = *medium.physical_sector_bytes;
        if (sector == 0 || (on_volume && out.start_bytes % sector == 0)) continue;
        if (!place.byte.known()) {
            out.missing.push_back(table_command(context.host, place.disk));
            continue;
        }
        if (*place.byte % sector == medium.physical_offset_bytes.value_or(0) % sector) continue;
        out.kind = SectorVerdict::Kind::unaligned;
        out.sector_bytes = medium.physical_sector_bytes;
        add_evidence(out.evidence, medium.physical_sector_bytes.from());
        return out;
    }
    if (out.kind == SectorVerdict::Kind::aligned && !out.missing.empty())
        out.kind = SectorVerdict::Kind::unknown;
    return out;
}

Number component_data_start(const StorageGraph& graph, const Volume& volume, const Component& component) {
    const Number start = graph.start_on_disk(component.name), reserved = reserved_bytes(volume, component);
    if (!start) return start;
    if (!reserved) return reserved;
    const auto sum = add(*start, *reserved);
    return sum ? Number(*sum, reserved.from()) : Number::unknown("start of the data is out of range");
}

std::vector<Change> move_start(const RuleContext& context, const Partition& p, std::uint64_t grain) {
    const auto start = context.graph.start_on_base(p.name);
    if (!start.bytes || !p.start_bytes) return {};
    grain = std::clamp(grain, MiB, GiB);
    const auto below = context.graph.on_volume(p.name);
    if (below.volume && is_striped(*below.volume)) {
        const Number stripe = full_stripe_bytes(*below.volume);
        const std::uint64_t step = stripe.value_or(below.volume->stripe_unit_bytes.value_or(1));
        // A stripe that shares few factors with 1 MiB would waste gigabytes: the stripe alone then.
        if (step > 0 && step <= GiB) {
            const std::uint64_t both = std::lcm(grain, step);
            grain = both <= GiB ? both : step;
        }
    }
    // A drive whose first physical sector begins off logical sector 0 is aligned as far behind each boundary.
    const Disk* disk = context.graph.disk(start.base);
    const std::uint64_t offset = disk ? disk->physical_offset_bytes.value_or(0) % grain : 0;
    const std::uint64_t behind = (*start.bytes % grain + grain - offset) % grain;
    const std::uint64_t shift = (grain - behind) % grain;
    const auto moved = add(*p.start_bytes, shift);
    if (!moved || (p.size_bytes && *p.size_bytes <= shift)) return {};
    std::vector<Change> out{{Setting::partition_start, p.name, *moved}};
    if (!p.size_bytes) return out;
    out.push_back({Setting::partition_size, p.name, *p.size_bytes - shift});
    // The same range under another name (an MBR entry that the label lists again) moves with it.
    for (const Partition& twin : context.host.partitions) {
        if (twin.name == p.name || twin.parent != p.parent || !twin.start_bytes.is(*p.start_bytes) ||
            !twin.size_bytes.is(*p.size_bytes) || role_of(context, twin) == PartitionRole::whole)
            continue;
        out.push_back({Setting::partition_start, twin.name, *moved});
        out.push_back({Setting::partition_size, twin.name, *p.size_bytes - shift});
    }
    return out;
}

// The data of a member is the set's: it comes back by a rebuild or from a backup of the set, never by a new
// file system on the member.
bool advise_member_move(const RuleContext& context, const Partition& p, Findings::Report& report) {
    const Volume* found = context.graph.volume_with_component(p.name);
    if (!found) return false;
    const Volume& set = *found;
    for (const Change& c : move_start(context, p))
        report.change(c.setting == Setting::partition_start ? Setting::raid_component_start : c.setting,
                      c.subject, c.value);
    if (!is_redundant(set))
        report.note(fmt::format(
            "{0} is a member of {1}, which cannot do without it: save what lies on {1}, move its members, "
            "make {1} again and restore",
            p.name, set.name));
    else
        report.note(fmt::format(
            "{0} is a member of {1}: {2}take it out of the set, move it and rebuild onto it, one member at a "
            "time; or save the data and make {1} again on moved members. A rebuild needs a member no smaller "
            "than what the set uses of it",
            p.name, set.name, is_degraded(set) ? "once the set is complete again, " : ""));
    return true;
}

}  // namespace diskwright
