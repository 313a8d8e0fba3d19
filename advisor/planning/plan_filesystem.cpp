// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>

#include "advisor/planning/plan_parts.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

constexpr std::string_view temporary_point = "/mnt";
constexpr std::uint64_t largest_ffs_sector = 8192;  // SBLOCKSIZE, ufs/ffs/fs.h

// A set of md and a plain file carry the file system themselves, as is usual on Linux.
bool takes_whole_device(const Planning& p) {
    return p.release.os == Os::linux_ && (p.target.volume || p.target.base.starts_with('/'));
}

Result<bool> decide_partition(const LayoutInput& in, Planning& p) {
    const Partition* present = p.target.partition;
    if (!present && takes_whole_device(p)) {
        p.decision = PartitionDecision::whole;
        p.device = p.target.base;
        const Number size = p.graph.size_of(p.target.base);
        p.layout.size = size ? *size / p.layout.bsize * p.layout.bsize : 0;
        return true;
    }
    if (!present) {
        p.decision = PartitionDecision::create;
        p.partition.scheme = new_scheme(p);
        const auto placed = place_partition(in, p.partition.scheme, p.layout);
        if (!placed) return placed.error();
        p.device = new_partition_name(p, p.partition.scheme);
        return true;
    }
    p.device = present->name;
    p.partition.scheme = present->scheme.value_or(Scheme::disklabel);
    if (!p.target.start_bytes)
        return Error{
            ErrorKind::bad_data,
            fmt::format("where {} begins is not known: add the listing of its table to the input, or "
                        "--assume partitions.{}.start_bytes=BYTES",
                        escaped(p.device), escaped(p.device))};
    const std::uint64_t start = *p.target.start_bytes;
    const std::uint64_t size = present->size_bytes.value_or(0);
    p.layout.start = start, p.layout.size = size;
    if (start % p.layout.must_align == 0) return true;
    p.decision = PartitionDecision::move;
    const std::uint64_t by = round_up(start, p.layout.alignment) - start;
    p.layout.start = start + by;
    if (size <= by || start > *p.target.start_bytes + by)
        return Error{ErrorKind::bad_data, fmt::format("{} is too small to begin at a multiple of {} bytes",
                                                      escaped(p.device), p.layout.alignment)};
    p.layout.size = size - by;
    return true;
}

void complete_partition(Planning& p) {
    p.partition.device = p.target.base;
    p.partition.name = p.device;
    p.partition.sector = p.layout.logical;
    p.partition.start = p.layout.start;
    p.partition.size = p.layout.size;
    p.partition.label = p.intent.label;
}

Result<bool> check_root(const Planning& p) {
    for (const std::string& used : in_use(p.graph, p.target))
        if (used == "/")
            return Error{ErrorKind::no_permission,
                         fmt::format("{} holds the root file system: no plan is made that destroys it",
                                     escaped(p.target.base))};
    return true;
}

Result<bool> check_label(const Intent& intent) {
    const bool plain =
        intent.label.size() <= 31 && std::all_of(intent.label.begin(), intent.label.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
    if (plain) return true;
    return Error{ErrorKind::usage, fmt::format("--label {}: at most 31 letters, digits and underscores",
                                               escaped(intent.label))};
}

void write_steps(const Planning& p, Plan& plan) {
    for (auto make : {unmount_steps, set_steps, partition_steps, filesystem_steps, mount_steps})
        for (Step& step : make(p)) plan.steps.push_back(std::move(step));
    if (const auto why = refusal(p)) {
        for (Step& step : plan.steps) step.commands.clear(), step.undo.clear();
        plan.notes.push_back(*why);
    }
}

// What an audit would still say of the result: faults of what the plan leaves as it is.
void add_remaining(const Planning& p, Plan& plan) {
    for (const Finding& f : judge(plan.planned, {}, p.workload.word).findings)
        if (f.severity >= Severity::warning)
            plan.notes.push_back(fmt::format("{} {} remains: {}: {}", to_string(f.severity), f.code,
                                             escaped(f.subject), escaped(f.message)));
}

}  // namespace

Result<Plan> plan_filesystem(const HostFacts& facts, const Intent& intent) {
    const auto release = release_facts(facts);
    if (!release) return release.error();
    const auto workload = workload_profile(intent.workload);
    if (!workload) return workload.error();
    if (const auto label = check_label(intent); !label) return label.error();
    if (!intent.mount_point.empty() && intent.mount_point.find_first_not_of("/.") == std::string::npos)
        return Error{ErrorKind::usage, fmt::format("--mount {}: the root file system is not replaced under a "
                                                   "running system",
                                                   escaped(intent.mount_point))};
    if (!intent.mount_point.empty() && !intent.mount_point.starts_with('/'))
        return Error{ErrorKind::usage,
                     fmt::format("--mount {}: not an absolute path", escaped(intent.mount_point))};
    const StorageGraph graph(facts);
    auto target = find_target(graph, intent.subject);
    if (!target) return target.error();

    Planning p{.facts = facts,
               .intent = intent,
               .graph = graph,
               .release = *release,
               .workload = **workload,
               .target = std::move(*target),
               .layout = {},
               .partition = {},
               .device = {},
               .options = {},
               .point = intent.mount_point.empty() ? std::string(temporary_point) : intent.mount_point};
    const LayoutInput in{graph,      p.target.base,     p.target.volume, *release,
                         **workload, intent.size_bytes, intent.bsize,    intent.fsize};
    p.layout = block_layout(in);
    for (const auto& check : {check_root(p), decide_partition(in, p)})
        if (!check) return check.error();
    if (!p.release.ext4 && p.layout.logical > largest_ffs_sector)
        return Error{
            ErrorKind::bad_data,
            fmt::format("{} has sectors of {} bytes: an FFS superblock of {} cannot be written there",
                        escaped(p.target.base), p.layout.logical, largest_ffs_sector)};
    place_inodes(in, p.layout);
    if (p.target.volume)
        p.layout.block_components = components_per_block(*p.target.volume, p.layout.start, p.layout.bsize);
    complete_partition(p);
    choose_protection(p);

    Plan plan{.os = release->os,
              .release = release->name,
              .subject = p.target.base,
              .device = p.device,
              .layout = p.layout,
              .steps = {},
              .notes = plan_notes(p),
              .planned = planned_facts(p)};
    write_steps(p, plan);
    add_remaining(p, plan);
    return plan;
}

}  // namespace diskwright
