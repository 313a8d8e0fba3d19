// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/planning/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool may_carry(const StorageGraph& graph, const Volume& v) {
    // Pools and logical volumes have file systems of their own kind; a component belongs to its set.
    return !v.kind.is(VolumeKind::zfs) && !graph.volume_with_component(v.name);
}

Error ambiguous(std::string_view what, const std::vector<std::string>& names) {
    return {ErrorKind::usage, fmt::format("there are several {}: name one with --volume: {}", what,
                                          escaped(fmt::format("{}", fmt::join(names, ", "))))};
}

Result<std::string> only_device(const StorageGraph& graph) {
    std::vector<std::string> volumes, disks;
    for (const Volume& v : graph.facts().volumes)
        if (may_carry(graph, v)) volumes.push_back(v.name);
    if (volumes.size() == 1) return volumes.front();
    if (!volumes.empty()) return ambiguous("volumes", volumes);
    for (const Disk& d : graph.facts().disks) disks.push_back(d.name);
    if (disks.size() == 1) return disks.front();
    if (!disks.empty()) return ambiguous("disks", disks);
    return Error{ErrorKind::bad_data,
                 "no volume and no disk is known: give an INPUT that shows one, or --disks"};
}

Error unknown_device(const StorageGraph& graph, const std::string& subject) {
    std::vector<std::string_view> names;
    for (const Volume& v : graph.facts().volumes) names.push_back(v.name);
    for (const Disk& d : graph.facts().disks) names.push_back(d.name);
    for (const Partition& p : graph.facts().partitions) names.push_back(p.name);
    if (graph.filesystem(subject))
        return {ErrorKind::bad_data,
                fmt::format("where {} begins is not known: add the listing of its table to the input",
                            escaped(subject))};
    const auto near = nearest(subject, names);
    return {ErrorKind::usage,
            fmt::format("--volume {}: no volume, disk or partition of that name{}", escaped(subject),
                        near ? fmt::format("; did you mean '{}'?", escaped(*near)) : "")};
}

bool is_leaf(const StorageGraph& graph, const Partition& partition) {
    const auto& all = graph.facts().partitions;
    return std::none_of(all.begin(), all.end(), [&](const Partition& p) {
        return &p != &partition && same_device(p.parent, partition.name);
    });
}

// Made up by the kernel, or the entry for the whole device: nothing that was partitioned.
bool is_whole(const StorageGraph& graph, const Partition& p, const std::string& base) {
    for (const PartitionTable& t : graph.facts().tables)
        if (same_device(t.parent, p.parent) && p.scheme && t.scheme.is(*p.scheme) && t.fictitious.is(true))
            return true;
    const bool label = p.scheme.is(Scheme::disklabel) && !p.name.empty();
    const char letter = label ? p.name.back() : ' ';
    const bool raw = letter == 'c' || (letter == 'd' && graph.facts().is(Os::netbsd));
    const Number size = graph.size_of(base);
    return raw &&
           (!p.size_bytes || !size || *p.size_bytes >= *size || (p.type && iequals(*p.type, "unused")));
}

bool of_file_system_type(const Partition& p) {
    static constexpr std::array<std::string_view, 5> types{"4.2BSD", "freebsd-ufs", "ffs", "ufs",
                                                           "openbsd-data"};
    if (!p.type) return false;
    return icontains(*p.type, "FFSv1/FFSv2") || icontains(*p.type, "FreeBSD UFS") ||
           std::any_of(types.begin(), types.end(), [&](auto type) { return iequals(*p.type, type); });
}

bool for_file_system(const StorageGraph& graph, const Partition& p) {
    if (graph.swap_on(p.name) || graph.volume_with_component(p.name)) return false;
    const Filesystem* fs = graph.filesystem(p.name);
    return of_file_system_type(p) || (fs && fs->type && fs->type->starts_with("ffs"));
}

// The named partition, or the largest that is for a file system; what else there is makes it not alone.
Result<bool> find_partition(const StorageGraph& graph, Target& target, const Partition* named) {
    std::vector<const Partition*> leaves;
    for (const Partition& p : graph.facts().partitions)
        if (same_device(graph.start_on_base(p.name).base, target.base) && is_leaf(graph, p) &&
            !is_whole(graph, p, target.base))
            leaves.push_back(&p);
    target.partition = named;
    for (const Partition* p : leaves) {
        if (named || !for_file_system(graph, *p)) continue;
        if (!target.partition || p->size_bytes.value_or(0) > target.partition->size_bytes.value_or(0))
            target.partition = p;
    }
    target.alone =
        std::all_of(leaves.begin(), leaves.end(), [&](const Partition* p) { return p == target.partition; });
    if (!target.partition && !leaves.empty()) {
        std::vector<std::string> names;
        for (const Partition* p : leaves) names.push_back(p->name);
        return Error{ErrorKind::bad_data,
                     fmt::format("{} is partitioned, and no partition is for a file system ({}): name one "
                                 "with --volume",
                                 escaped(target.base), escaped(fmt::format("{}", fmt::join(names, ", "))))};
    }
    if (target.partition) target.start_bytes = graph.start_on_base(target.partition->name).bytes;
    return true;
}

}  // namespace

Result<Target> find_target(const StorageGraph& graph, const std::string& subject) {
    const auto name = subject.empty() ? only_device(graph) : Result<std::string>(subject);
    if (!name) return name.error();
    Target target;
    const Partition* named = nullptr;
    if (const Volume* v = graph.volume(*name)) {
        target.base = v->name;
    } else if (const Disk* d = graph.disk(*name)) {
        target.base = d->name;
    } else if ((named = graph.partition(*name)) != nullptr) {
        target.base = graph.start_on_base(named->name).base;
    } else {
        return unknown_device(graph, *name);
    }
    target.volume = graph.volume(target.base);
    const std::string& device = named ? named->name : target.base;
    if (const Volume* set = graph.volume_with_component(device))
        return Error{ErrorKind::usage, fmt::format("{} is a component of {}: a file system goes on the set",
                                                   escaped(device), escaped(set->name))};
    const auto found = find_partition(graph, target, named);
    if (!found) return found.error();
    return target;
}

std::vector<std::string> in_use(const StorageGraph& graph, const Target& target) {
    const auto& facts = graph.facts();
    std::vector<std::string> out;
    const auto concerns = [&](std::string_view device) {
        if (target.partition && !same_device(device, target.partition->name)) return false;
        return same_device(graph.start_on_base(device).base, target.base);
    };
    for (const Mount& m : facts.mounts)
        if (m.device && concerns(*m.device)) out.push_back(m.point);
    for (const Filesystem& f : facts.filesystems)
        if (concerns(f.device) && !graph.mount_of(f.device)) out.push_back(f.device);
    for (const SwapArea& s : facts.swap)
        if (concerns(s.device)) out.push_back(s.device);
    return out;
}

}  // namespace diskwright
