// SPDX-License-Identifier: BSD-2-Clause
// Steps that make the set, the table and the partition.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/commands/generator.hpp"
#include "advisor/planning/plan_parts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

NewPartition component_partition(const Planning& p, const Partition& partition) {
    NewPartition out;
    out.device = partition.parent;
    out.name = partition.name;
    out.scheme = partition.scheme.value_or(Scheme::gpt);
    out.use = PartitionUse::component;
    out.sector = logical_sector(p.graph, partition.name);
    out.start = partition.start_bytes.value_or(0);
    out.size = partition.size_bytes.value_or(0);
    out.label = partition.label.value_or("");
    return out;
}

bool beyond_mbr(const Planning& p, const std::string& disk) {
    const Number size = p.graph.size_of(disk);
    const std::uint64_t sector = logical_sector(p.graph, disk);
    return !size || *size / sector >= std::uint64_t{1} << 32;
}

void append(SetupCommands& to, SetupCommands more) {
    std::move(more.begin(), more.end(), std::back_inserter(to));
}

Step component_step(const Planning& p) {
    Step step;
    step.kind = StepKind::component_partitions;
    step.risk = Risk::destroys_data;
    std::uint64_t start = 0, data = 0;
    for (const Component* c : data_components(*p.target.volume)) {
        const Partition* partition = p.graph.partition(c->name);
        if (!partition) continue;
        const NewPartition made = component_partition(p, *partition);
        append(step.commands,
               make_table(p.release.os, nullptr, made.device, made.scheme, beyond_mbr(p, made.device)));
        append(step.commands, make_partition(p.release.os, made, p.release.wedges));
        start = made.start;
        data = start + reserved_bytes(*p.target.volume, *c).value_or(0);
        for (const auto& [setting, value] :
             {std::pair{Setting::partition_start, made.start}, std::pair{Setting::partition_size, made.size}})
            step.changes.push_back({setting, partition->name, value});
    }
    step.reason = fmt::format(
        "one partition for each disk, from sector {} on, so that the set's data begins at byte {} of each, a "
        "whole MiB behind what the driver reserves; all of one size, so that a replacement that is a little "
        "smaller still fits",
        start / p.layout.logical, data);
    step.cost = "data off the physical sectors makes every small write read and write two of them";
    step.precondition = "the disks hold nothing that is wanted";
    return step;
}

std::string set_reason(const Planning& p) {
    const Volume& set = *p.target.volume;
    std::string out =
        fmt::format("the set itself, {} of {} components", escaped(set.name), data_components(set).size());
    if (p.layout.unit)
        out += fmt::format(", stripe unit {}{}", human_size(*p.layout.unit),
                           p.layout.full_stripe
                               ? fmt::format(", {} data disks, full stripe {}", p.layout.data_disks,
                                             human_size(*p.layout.full_stripe))
                               : "");
    if (set.kind.is(VolumeKind::raidframe))
        out +=
            "; the parity (or mirror) is made right before anything is written, and the kernel configures "
            "the set by itself at boot";
    if (set.kind.is(VolumeKind::softraid) && set.level.is(RaidLevel::raid5))
        out += "; softraid does not initialise the parity, which becomes right as stripes are written";
    return out;
}

std::string set_cost(const Planning& p) {
    const Volume& set = *p.target.volume;
    if (set.kind.is(VolumeKind::raidframe))
        return "without -i the first failure of a disk returns garbage for it; without -A the set is not "
               "there "
               "after a boot";
    return "none of the following exists without it";
}

std::string nothing_wanted(const Planning& p) {
    const auto used = in_use(p.graph, p.target);
    if (used.empty()) return fmt::format("{} holds nothing that is wanted", escaped(p.target.base));
    return fmt::format("nothing on {} is wanted any more: this is a new set-up, and {} is lost",
                       escaped(p.target.base), escaped(fmt::format("{}", fmt::join(used, ", "))));
}

}  // namespace

std::vector<Step> set_steps(const Planning& p) {
    if (!p.intent.new_set || !p.target.volume) return {};
    std::vector<Step> out{component_step(p)};
    Step set;
    set.kind = StepKind::raid_set;
    const auto components = data_components(*p.target.volume);
    set.commands =
        make_set(*p.target.volume, components.empty() ? 512 : logical_sector(p.graph, components[0]->name));
    set.reason = set_reason(p);
    set.cost = set_cost(p);
    set.risk = Risk::destroys_data;
    if (p.layout.unit && p.target.volume->stripe_unit_bytes)
        set.changes = {{Setting::raid_stripe_unit, p.target.volume->name, *p.layout.unit}};
    if (p.target.volume->kind.is(VolumeKind::softraid))
        set.precondition = fmt::format("bioctl prints the name of the new disk; the plan expects {}",
                                       escaped(p.target.volume->name));
    out.push_back(std::move(set));
    return out;
}

namespace {

Step keep_step(const Planning& p) {
    Step step;
    step.kind = StepKind::partition;
    step.reason = fmt::format("{} is kept: it begins at byte {}, a whole multiple of {} bytes",
                              escaped(p.device), p.layout.start, p.layout.must_align);
    step.cost = "nothing has to be changed";
    return step;
}

Step move_step(const Planning& p) {
    Step step;
    step.kind = StepKind::partition;
    step.risk = Risk::destroys_data;
    const std::uint64_t by = p.layout.start - *p.target.start_bytes;
    step.changes = {{Setting::partition_start, p.device, *p.target.partition->start_bytes + by}};
    HostFacts bare = p.facts;
    bare.filesystems.clear();
    bare.mounts.clear();
    const FixCommands move = commands_for(bare, step.changes);
    for (const auto& argv : move.commands) step.commands.push_back({argv, ""});
    step.reason = fmt::format("{} now begins at byte {}, which is no multiple of {}. {}", escaped(p.device),
                              *p.target.start_bytes, p.layout.must_align, start_reason(p));
    for (const std::string& note : move.notes) step.reason += "; " + note;
    step.cost = start_cost(p);
    step.precondition =
        fmt::format("{} holds nothing that is wanted, or a backup has been read back", escaped(p.device));
    return step;
}

}  // namespace

std::vector<Step> partition_steps(const Planning& p) {
    if (p.decision == PartitionDecision::whole) return {};
    if (p.decision == PartitionDecision::keep) return {keep_step(p)};
    if (p.decision == PartitionDecision::move) return {move_step(p)};
    std::vector<Step> out;
    const std::string device = tool_name(p.facts, p.graph, p.target.base);
    Step table;
    table.kind = StepKind::partition_table;
    table.commands =
        make_table(p.release.os, p.target.volume, device, p.partition.scheme, beyond_mbr(p, p.target.base));
    table.risk = Risk::destroys_data;
    table.reason = p.partition.scheme == Scheme::gpt
                       ? "a GPT describes any size and keeps a second copy at the end"
                       : "one entry of the system's own table for the whole device";
    table.cost = "a 32-bit label cannot describe 2^32 sectors or more";
    table.precondition = nothing_wanted(p);
    if (p.partition.scheme == Scheme::gpt && (p.release.os == Os::freebsd || p.release.os == Os::netbsd))
        table.undo = p.release.os == Os::freebsd ? fmt::format("gpart destroy -F {}", escaped(device))
                                                 : fmt::format("gpt destroy {}", escaped(device));
    if (!table.commands.empty()) out.push_back(std::move(table));

    Step step;
    step.kind = StepKind::partition;
    NewPartition made = p.partition;
    made.device = device;
    step.commands = make_partition(p.release.os, made, p.release.wedges);
    step.changes = {{Setting::partition_start, p.device, p.layout.start}};
    if (p.layout.size != 0) step.changes.push_back({Setting::partition_size, p.device, p.layout.size});
    step.risk = Risk::destroys_data;
    step.reason = start_reason(p);
    step.cost = start_cost(p);
    if (out.empty() && !p.intent.new_set) step.precondition = nothing_wanted(p);
    if (p.release.wedges == Wedges::added_by_hand && p.partition.scheme == Scheme::gpt && p.layout.size == 0)
        step.reason += "; the size is not known here: run the dkctl line that gpt add prints, with type ffs";
    if (p.release.os == Os::netbsd && p.partition.scheme == Scheme::gpt)
        step.reason += fmt::format(
            "; dkctl {} listwedges shows the wedge that was made; where it is not {}, use its "
            "name below",
            escaped(device), escaped(p.device));
    out.push_back(std::move(step));
    return out;
}

}  // namespace diskwright
