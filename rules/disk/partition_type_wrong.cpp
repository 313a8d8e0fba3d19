// SPDX-License-Identifier: BSD-2-Clause
// DISK006: the type in the partition table is not what the partition is used for.
#include <fmt/format.h>

#include <array>
#include <set>

#include "rules/rule.hpp"

namespace diskwright {
namespace {

enum class Use { filesystem, swap, component };

bool one_of(std::string_view type, std::initializer_list<std::string_view> names) {
    for (const auto n : names)
        if (iequals(type, n)) return true;
    return false;
}

bool swap_type(std::string_view type) {
    return one_of(type, {"swap", "freebsd-swap", "netbsd-swap", "dragonfly-swap", "linux-swap", "linux swap",
                         "NetBSD swap", "FreeBSD swap", "linux swap / solaris", "82"});
}
// Types that promise a file system of one kind.
bool filesystem_type(std::string_view type) {
    return one_of(
        type, {"4.2BSD", "4.4LFS", "freebsd-ufs", "netbsd-ffs", "ffs", "FreeBSD UFS", "NetBSD FFSv1/FFSv2",
               "MSDOS", "Linux Ext2", "ext2fs", "linux filesystem", "Linux", "83"});
}

// The type that the same table has for the other use.
std::string_view right_type(const Partition& p, Use use) {
    const std::string_view type = *p.type;
    if (use == Use::component) return p.scheme.is(Scheme::disklabel) ? "RAID" : "raid";
    const bool swap = use == Use::swap;
    if (type.starts_with("freebsd-")) return swap ? "freebsd-swap" : "freebsd-ufs";
    if (p.scheme.is(Scheme::disklabel)) return swap ? "swap" : "4.2BSD";
    if (one_of(type, {"82", "83", "Linux", "linux filesystem", "linux swap", "linux-swap"}))
        return swap ? "linux-swap" : "linux";
    return swap ? "swap" : "ffs";
}

std::string_view cost_of(Use use) {
    switch (use) {
        case Use::swap:
            return "installers, crash dumps and tools that go by the type treat the swap area as a file "
                   "system, and fsck or newfs are one wrong letter away; no figure applies";
        case Use::component:
            return "the kernel looks for the members of its sets in partitions of type RAID: the set is not "
                   "there after the next boot, and newfs or fsck are one wrong letter away";
        case Use::filesystem:
            break;
    }
    return "a tool that goes by the type may swap onto the file system: data at risk";
}

void report_on(const Partition& p, Use use, const Provenance& evidence, std::string_view where,
               Findings& out) {
    out.report(p.name)
        .message(fmt::format("is typed {} but used as {}", *p.type, where))
        .evidence(p.type)
        .evidence(evidence)
        .cost(std::string(cost_of(use)))
        .change(Setting::partition_type, p.name, std::string(right_type(p, use)));
}

bool is_wrong(std::string_view type, Use use) {
    switch (use) {
        case Use::swap:
            return filesystem_type(type);
        case Use::filesystem:
            return swap_type(type);
        case Use::component:
            break;
    }
    return filesystem_type(type) || swap_type(type);
}

// Other kinds of set take their members wherever they lie.
bool goes_by_the_type(const Volume& set) {
    return set.kind.is(VolumeKind::raidframe) || set.kind.is(VolumeKind::softraid);
}

bool serves(const Component& c) {
    return c.state && !c.state.is(ComponentState::missing) && !c.state.is(ComponentState::failed);
}

void check(const RuleContext& context, Findings& out) {
    std::set<std::string> done;
    const auto judge = [&](std::string_view device, Use use, const Provenance& from, std::string_view where) {
        const Partition* p = context.graph.partition(device);
        if (!p || !p->type || done.contains(p->name)) return;
        if (is_wrong(*p->type, use) && done.insert(p->name).second) report_on(*p, use, from, where, out);
    };
    for (const SwapArea& s : context.host.swap)
        judge(s.device, Use::swap, s.size_bytes ? s.size_bytes.from() : s.used_bytes.from(), "swap");
    for (const FstabEntry& e : context.host.fstab)
        if (e.type && *e.type == "swap" && !e.device.empty())
            judge(e.device, Use::swap, e.type.from(), "swap in fstab");
    for (const Mount& m : context.host.mounts)
        if (m.device && m.type &&
            one_of(*m.type, {"ffs", "ufs", "lfs", "ext2fs", "ext4", "ext3", "xfs", "msdos"}))
            judge(*m.device, Use::filesystem, m.device.from(),
                  fmt::format("a file system mounted on {}", m.point));
    for (const Volume& v : context.host.volumes)
        for (const Component& c : v.components)
            // What the set has lost may have become something else.
            if (goes_by_the_type(v) && !c.name.empty() && serves(c))
                judge(c.name, Use::component, c.state.from(),
                      fmt::format("a component of {}", v.name));
}

}  // namespace

extern const Rule disk_partition_type_wrong;
const Rule disk_partition_type_wrong{
    {.code = "DISK006",
     .slug = "partition-type-wrong",
     .severity = Severity::notice,
     .impact = 1.2,
     .summary = "the type of a partition does not match its use",
     .why = "Boot programs, installers, dump devices and people go by the type in the table. Swap on a "
            "partition typed as a file system, or a file system on one typed as swap, works until one of "
            "them does. The kernels of NetBSD and OpenBSD look for members of RAIDframe and softraid sets "
            "only in partitions of type RAID.",
     .cost = "None in speed. No figure applies; a file system on a swap partition can be overwritten.",
     .remedy =
         "Correct the type in place (disklabel -e, gpart modify -t, gpt type); the data stays where it is.",
     .bad =
         R"({"os": {"name": "netbsd"}, "partitions": [{"name": "wd0b", "parent": "wd0", "scheme": "disklabel", "type": "4.2BSD"}],
        "swap": [{"device": "wd0b", "size_bytes": 2147483648}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "partitions": [{"name": "wd0b", "parent": "wd0", "scheme": "disklabel", "type": "swap"}],
        "swap": [{"device": "wd0b", "size_bytes": 2147483648}]})",
     .references = "disklabel(5), gpart(8), gpt(8), fdisk(8)"},
    check};

}  // namespace diskwright
