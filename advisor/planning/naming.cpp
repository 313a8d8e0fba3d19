// SPDX-License-Identifier: BSD-2-Clause
// Names of what is to be made, and whether they may stand in a command.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/quoting.hpp"
#include "advisor/planning/plan_parts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// disklabel -i of NetBSD reads sector numbers into an int.
constexpr std::uint64_t netbsd_label_sectors = std::uint64_t{1} << 31;
constexpr std::uint64_t label_sectors = std::uint64_t{1} << 32;

// Set components that are disks as they are: a GPT inside the set would look to the kernel like a damaged one
// of the first disk.
bool on_whole_disks(const Planning& p) {
    if (!p.target.volume) return false;
    const auto components = data_components(*p.target.volume);
    return !components.empty() && std::all_of(components.begin(), components.end(), [&](const Component* c) {
        return !c->name.empty() && !p.graph.partition(c->name) && whole_device_name(c->name).empty();
    });
}

// The kernel numbers wedges in the order in which they appear; those that are known may not be all.
std::uint64_t next_wedge(const HostFacts& facts) {
    std::uint64_t next = 0;
    const auto count = [&](std::string_view name) {
        if (!name.starts_with("dk")) return;
        if (const auto number = to_unsigned(name.substr(2)); number && *number < 1'000'000)
            next = std::max(next, *number + 1);
    };
    for (const Partition& partition : facts.partitions) count(partition.name);
    for (const Volume& volume : facts.volumes)
        for (const Component& component : volume.components) count(component.name);
    for (const Filesystem& filesystem : facts.filesystems) count(filesystem.device);
    return next;
}

bool safe(std::string_view name) {
    return safe_name(name) && name.find("/-") == std::string_view::npos;
}

}  // namespace

Scheme new_scheme(const Planning& p) {
    const Number size = p.graph.size_of(p.target.base);
    const std::uint64_t sectors = size ? *size / p.layout.logical : label_sectors;
    switch (p.release.os) {
        case Os::netbsd:
            return sectors < netbsd_label_sectors ? Scheme::disklabel : Scheme::gpt;
        case Os::freebsd:
            return on_whole_disks(p) && sectors < label_sectors ? Scheme::disklabel : Scheme::gpt;
        case Os::linux_:
            return Scheme::gpt;
        default:
            return Scheme::disklabel;  // 48-bit sizes
    }
}

std::string new_partition_name(const Planning& p, Scheme scheme) {
    if (scheme == Scheme::disklabel) return p.target.base + "a";
    const bool ends_in_digit = p.target.base.back() >= '0' && p.target.base.back() <= '9';
    if (p.release.os == Os::linux_) return p.target.base + (ends_in_digit ? "p1" : "1");
    return p.release.os == Os::netbsd ? fmt::format("dk{}", next_wedge(p.facts)) : p.target.base + "p1";
}

std::string_view mount_type(const Planning& p) {
    return p.release.ext4 ? "ext4" : p.release.os == Os::freebsd ? "ufs" : "ffs";
}

std::string tool_name(const HostFacts& facts, const StorageGraph& graph, const std::string& name) {
    const FixBuilder fix(facts, graph, *facts.os.name, {});
    return without_dev(device_path(fix, name));
}

std::optional<std::string> refusal(const Planning& p) {
    std::vector<std::string> names{p.target.base, p.device, p.point};
    if (!p.intent.label.empty()) names.push_back(p.intent.label);
    if (p.intent.new_set && p.target.volume)
        for (const Component& c : p.target.volume->components) names.push_back(c.name);
    for (const std::string& used : in_use(p.graph, p.target)) names.push_back(used);
    for (const std::string& name : names)
        if (!safe(name))
            return fmt::format(
                "no command is printed: the name '{}' has characters that must not stand in one",
                escaped(name));
    return std::nullopt;
}

}  // namespace diskwright
