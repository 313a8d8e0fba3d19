// SPDX-License-Identifier: BSD-2-Clause
// HOST002: a device most of which is in no partition.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "probes/support/text.hpp"
#include "rules/disk/tables.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

struct Range {
    std::uint64_t begin, end;
    bool data;  // holds data: no swap, boot or reserved partition
};

bool is_any_of(std::string_view type, std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return iequals(type, n); });
}

bool is_container(std::string_view type) {
    return is_any_of(type, {"5", "05", "0x05", "0f", "0x0f", "15", "85", "0x85", "133", "ebr", "extended",
                            "w95 ext'd (lba)", "win95 ext'd (lba)", "linux extended"});
}
// Slices that may hold a disklabel: 165, 166, 169 as the tools spell them.
bool is_label_slice(std::string_view type) {
    return is_any_of(type, {"165", "a5", "0xa5", "freebsd", "166", "a6", "0xa6", "openbsd", "169", "a9",
                            "0xa9", "netbsd"});
}
bool is_protective(std::string_view type) {
    return is_any_of(type, {"ee", "0xee", "238"}) || icontains(type, "protective");
}
bool is_small_part(std::string_view type) {
    return icontains(type, "swap") || icontains(type, "boot") || icontains(type, "efi") ||
           icontains(type, "reserved") || icontains(type, "recovery") ||
           is_any_of(type, {"82", "0x82", "ef", "0xef"});
}
// Allocators of their own, that leave or take space as they like.
bool is_pool_type(std::string_view type) {
    return icontains(type, "lvm") || icontains(type, "zfs") || icontains(type, "solaris") ||
           is_any_of(type, {"8e", "0x8e"});
}

bool in_pool(const RuleContext& context, std::string_view device) {
    for (const Volume& v : context.host.volumes) {
        if (!v.kind.is(VolumeKind::lvm) && !v.kind.is(VolumeKind::zfs)) continue;
        for (const Component& c : v.components)
            if (!c.name.empty() && same_device(c.name, device)) return true;
    }
    return false;
}

bool is_read_only(const RuleContext& context, const std::string& device) {
    const Disk* d = context.graph.disk(device);
    if (d && d->read_only.is(true)) return true;
    for (const Event& e : context.host.events)
        if (e.kind == Event::Kind::read_only_device && same_device(e.subject, device)) return true;
    static constexpr std::array<std::string_view, 4> optical{"cd", "acd", "sr", "scd"};
    if (device.starts_with("iso9660/")) return true;
    return std::any_of(optical.begin(), optical.end(), [&](std::string_view name) {
        return device.starts_with(name) && device.size() > name.size() && device[name.size()] >= '0' &&
               device[name.size()] <= '9';
    });
}

// The installer's own layout stops at fixed maxima and leaves the rest on purpose (OpenBSD
// sbin/disklabel/editor.c).
bool is_auto_layout(const RuleContext& context, const std::vector<const Partition*>& partitions) {
    if (context.host.os.name && !context.host.is(Os::openbsd)) return false;
    constexpr std::size_t fewest_of_it = 4;  // a, swap and at least /tmp, /var, /usr, /home
    std::size_t file_systems = 0;
    bool swap = false;
    for (const Partition* p : partitions) {
        if ((p->scheme && *p->scheme != Scheme::disklabel) || !p->type) continue;
        file_systems += *p->type == "4.2BSD" ? 1 : 0;
        swap = swap || *p->type == "swap";
    }
    return swap && file_systems >= fewest_of_it;
}

// Nothing when the parts do not tell what is free.
std::optional<std::vector<Range>> used_ranges(const std::vector<const Partition*>& partitions,
                                              std::uint64_t size) {
    const auto of_scheme = [&](Scheme s) {
        return std::any_of(partitions.begin(), partitions.end(), [&](const Partition* p) {
            return p->scheme.is(s) && p->size_bytes && !p->type.is("unused");
        });
    };
    const bool labelled = of_scheme(Scheme::disklabel);
    const bool logical =
        of_scheme(Scheme::ebr) || std::any_of(partitions.begin(), partitions.end(), [](const Partition* p) {
            return p->scheme.is(Scheme::mbr) && p->index.value_or(0) >= 5;
        });
    std::vector<Range> out;
    for (const Partition* p : partitions) {
        const std::string type = p->type.value_or("");
        if (iequals(type, "unused") || is_protective(type)) continue;
        if (p->scheme.is(Scheme::mbr) &&
            ((labelled && is_label_slice(type)) || (logical && is_container(type))))
            continue;
        if (!p->start_bytes || !p->size_bytes) return std::nullopt;
        if (*p->size_bytes == 0) continue;
        const std::uint64_t begin = std::min(*p->start_bytes, size);
        const std::uint64_t end = std::min(add(*p->start_bytes, *p->size_bytes).value_or(size), size);
        if (end > begin) out.push_back({begin, end, !is_small_part(type)});
    }
    return out;
}

struct Free {
    std::uint64_t total = 0;
    std::uint64_t adjoining = 0;  // largest free range beside the only data partition
};

Free free_of(std::vector<Range> used, std::uint64_t size) {
    constexpr std::uint64_t slack = 1 * MiB;  // alignment leaves as much between neighbours
    std::sort(used.begin(), used.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    const auto data = static_cast<std::size_t>(
        std::count_if(used.begin(), used.end(), [](const Range& r) { return r.data; }));
    const auto only = std::find_if(used.begin(), used.end(), [](const Range& r) { return r.data; });
    Free out;
    std::uint64_t at = 0;
    const auto gap = [&](std::uint64_t begin, std::uint64_t end) {
        if (end <= begin) return;
        out.total += end - begin;
        if (data != 1) return;
        const bool after = begin >= only->end && begin - only->end <= slack,
                   before = end <= only->begin && only->begin - end <= slack;
        if (after || before) out.adjoining = std::max(out.adjoining, end - begin);
    };
    for (const Range& r : used) gap(at, r.begin), at = std::max(at, r.end);
    gap(at, size);
    return out;
}

std::string_view growing_tools(const HostFacts& host) {
    if (host.os.name) switch (*host.os.name) {
            case Os::freebsd:
                return "gpart resize, growfs";
            case Os::netbsd:
                return "gpt resize or disklabel -e, resize_ffs";
            case Os::openbsd:
                return "disklabel -E, growfs";
            case Os::linux_:
                return "growpart, resize2fs or xfs_growfs";
            case Os::dragonfly:
                break;
        }
    return "the system's own tools";
}

// The table still ends where the device did before it grew: nothing can be added behind that.
const Event* old_end(const HostFacts& host, const std::string& device) {
    for (const Event& e : host.events)
        if (e.kind == Event::Kind::secondary_gpt_missing && same_device(e.subject, device)) return &e;
    return nullptr;
}

std::string_view gpt_end_tool(const HostFacts& host) {
    if (host.is(Os::freebsd)) return "gpart recover";
    if (host.is(Os::netbsd)) return "gpt resizedisk";
    if (host.is(Os::linux_)) return "sgdisk -e";
    return "gpart recover, gpt resizedisk or sgdisk -e";
}

// A part in the unit that the whole is shown in: two units in one sentence do not compare.
std::string in_unit_of(std::uint64_t whole, std::uint64_t part) {
    const std::string shown = human_size(whole);
    const std::string_view unit = std::string_view(shown).substr(shown.find(' ') + 1);
    const auto one = to_size("1 " + std::string(unit));
    const double value = static_cast<double>(part) / static_cast<double>(one.value_or(1));
    if (value == std::floor(value)) return fmt::format("{:.0f} {}", value, unit);
    return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, unit);
}

void check_device(const RuleContext& context, const std::string& device,
                  const std::vector<const PartitionTable*>& of_device,
                  const std::vector<const Partition*>& partitions, Findings& out) {
    Number size = context.graph.size_of(device);
    bool complete = false, gpt = false, unnamed = false;
    for (const PartitionTable* t : of_device) {
        if (!size) size = t->total_bytes ? t->total_bytes : t->last_usable_bytes;
        complete = complete || t->entries_shown || t->free_bytes;
        unnamed = unnamed || (t->entries_shown.value_or(0) > 0 && partitions.empty());
        gpt = gpt || t->scheme.is(Scheme::gpt);
    }
    for (const PartitionTable* t : of_device)
        if (const auto reach = tables::reach_of(context, *t); reach && size && *size > *reach)
            size = Number(*reach, size.from());
    // A listing of the protective MBR alone says nothing of what is in the GPT.
    for (const PartitionTable* t : of_device)
        if (!gpt && t->protective.is(true)) return;
    if (!complete || unnamed || !size || *size <= context.thresholds.space_unused_above_bytes) return;
    if (is_read_only(context, device) || context.graph.volume_with_component(device) ||
        context.graph.filesystem(device) || context.graph.mount_of(device) || in_pool(context, device) ||
        is_auto_layout(context, partitions))
        return;
    for (const Partition* p : partitions) {
        if (is_pool_type(p->type.value_or("")) || in_pool(context, p->name)) return;
        // It may belong to an allocator of its own, or hold other partitions.
        const bool used = context.graph.filesystem(p->name) || context.graph.mount_of(p->name) ||
                          context.graph.swap_on(p->name);
        if (!p->type && !used)
            return out.skip(device, {fmt::format("--assume partitions.{}.type=TYPE", p->name)});
    }
    const auto used = used_ranges(partitions, *size);
    if (!used) return;
    const Free free = free_of(*used, *size);
    const double whole = static_cast<double>(*size);
    const bool most = static_cast<double>(free.total) > context.thresholds.space_unused_share * whole;
    const bool beside =
        static_cast<double>(free.adjoining) >= context.thresholds.adjoining_space_unused_share * whole;
    if (!most && !beside) return;
    auto report = out.report(device);
    report
        .message(used->empty()
                     ? fmt::format("nothing of its {} is in a partition", human_size(*size))
                     : fmt::format("{} of its {} are in no partition",
                                   in_unit_of(*size, most ? free.total : free.adjoining), human_size(*size)))
        .evidence(size);
    for (const PartitionTable* t : of_device)
        report.evidence(t->largest_free_bytes).evidence(t->entries_shown);
    for (const Partition* p : partitions)
        if (p->size_bytes && !p->type.is("unused")) report.evidence(p->size_bytes);
    std::string first;
    if (const Event* e = old_end(context.host, device)) {
        report.evidence(e->from);
        first = fmt::format(
            "the second copy of the GPT is not at the end of the device: move it there ({}); then ",
            gpt_end_tool(context.host));
    }
    report.note(
        first +
        (beside
             ? fmt::format("the range adjoins the data partition: enlarge that, then the file system ({}), "
                           "or leave it on purpose",
                           growing_tools(context.host))
             : std::string("add a partition, aligned, or leave it on purpose (spare area of an SSD, room for "
                           "growth)")));
}

void check(const RuleContext& context, Findings& out) {
    std::map<std::string, std::vector<const PartitionTable*>> tables;
    for (const PartitionTable& t : context.host.tables) tables[t.parent].push_back(&t);
    std::map<std::string, std::vector<const Partition*>> partitions;
    for (const Partition& p : context.host.partitions) partitions[p.parent].push_back(&p);
    for (const auto& [device, of_device] : tables)
        check_device(context, device, of_device, partitions[device], out);
}

}  // namespace

extern const Rule host_space_unused;
const Rule host_space_unused{
    {.code = "HOST002",
     .slug = "space-unused",
     .severity = Severity::notice,
     .impact = 1.1,
     .summary = "much of a device is in no partition",
     .why = "After a disk was replaced by a larger one, a virtual disk was enlarged or a set was grown, the "
            "partition table keeps its old bounds until somebody moves them. More than half of the device "
            "unused, or a fifth of it beside its only data partition, is rarely meant. LVM and ZFS hand out "
            "space themselves, whole-disk members have no table, and OpenBSD's installer leaves the rest of "
            "a large disk on purpose: those are left out.",
     .cost = "Space.",
     .remedy = "Enlarge the last partition and its file system, or add one.",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "da0", "size_bytes": 40000000000, "physical_sector_bytes": 512}], "tables": [{"parent": "da0", "scheme": "gpt", "entries_shown": 1}], "partitions": [{"name": "da0p1", "parent": "da0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 10737418240, "type": "freebsd-ufs"}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "da0", "size_bytes": 40000000000, "physical_sector_bytes": 512}], "tables": [{"parent": "da0", "scheme": "gpt", "entries_shown": 1}], "partitions": [{"name": "da0p1", "parent": "da0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 38654705664, "type": "freebsd-ufs"}]})",
     .references = "gpart(8), disklabel(8), growfs(8)"},
    check};

}  // namespace diskwright
