// SPDX-License-Identifier: BSD-2-Clause
// ALIGN005: two partitions of one table that share sectors.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "probes/support/text.hpp"

#include "rules/align/placement.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

struct Range {
    std::uint64_t start, end;  // end: one past the last byte
    const Partition* partition;
    bool swap;
};

// A dump area over a mirror is set up on purpose: swap wholly inside an entry of type RAID.
bool dump_area(const Range& a, const Range& b) {
    const auto inside = [](const Range& swap, const Range& raid) {
        return swap.swap && is_raid_type(*raid.partition) && swap.start >= raid.start && swap.end <= raid.end;
    };
    return inside(a, b) || inside(b, a);
}

// One wholly inside the other may be a logical partition in its container, or a dump area: the types tell.
const Partition* lacks_type(const Range& a, const Range& b) {
    const bool a_outer = a.start <= b.start && a.end >= b.end;
    if (!a_outer && !(b.start <= a.start && b.end >= a.end)) return nullptr;
    const Partition& outer = a_outer ? *a.partition : *b.partition;
    const Partition& inner = a_outer ? *b.partition : *a.partition;
    if (!outer.type) return &outer;
    return !inner.type && is_raid_type(outer) ? &inner : nullptr;
}

bool meets(const Range& range, const std::vector<Range>& others) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Range& r) { return r.start < range.end && range.start < r.end; });
}

void check(const RuleContext& context, Findings& out) {
    std::map<std::pair<std::string, Scheme>, std::vector<Range>> tables;
    std::vector<Range> perhaps_raw;
    for (const Partition& p : context.host.partitions) {
        if (!p.scheme || p.parent.empty() || !p.start_bytes || !p.size_bytes) continue;
        const auto role = role_of(context, p);
        if (role == PartitionRole::whole || role == PartitionRole::unused || role == PartitionRole::container)
            continue;
        const auto raw = is_raw(context, p);
        const auto end = add(*p.start_bytes, *p.size_bytes);
        if (!end || raw.value_or(false)) continue;
        const Range range{*p.start_bytes, *end, &p, role == PartitionRole::swap};
        if (raw)
            tables[{p.parent, *p.scheme}].push_back(range);
        else
            perhaps_raw.push_back(range);
    }
    for (const Range& r : perhaps_raw)
        if (const auto beside = tables.find({r.partition->parent, *r.partition->scheme});
            beside != tables.end() && meets(r, beside->second))
            out.skip(r.partition->name, {"disklabel " + r.partition->parent});
    for (auto& [table, ranges] : tables) {
        std::stable_sort(ranges.begin(), ranges.end(),
                         [](const Range& a, const Range& b) { return a.start < b.start; });
        // Against the one that reaches furthest: one finding per partition that begins inside another.
        const Range* furthest = nullptr;
        for (const Range& r : ranges) {
            const bool overlap = furthest && r.start < furthest->end && !dump_area(r, *furthest) &&
                                 !(r.start == furthest->start && r.end == furthest->end);
            if (const Partition* unclear = overlap ? lacks_type(r, *furthest) : nullptr) {
                out.skip(unclear->name, {fmt::format("--assume partitions.{}.type=TYPE", unclear->name)});
            } else if (overlap) {
                out.report(furthest->partition->name)
                    .message(fmt::format(
                        "shares {} bytes with {}, which starts at byte {} before this one ends at byte {}",
                        std::min(r.end, furthest->end) - r.start, r.partition->name, r.start, furthest->end))
                    .evidence(furthest->partition->start_bytes)
                    .evidence(r.partition->start_bytes)
                    .note(
                        "stop writing to both, restore the table that was in use when they were filled, and "
                        "check both file systems before mounting them again");
            }
            // A RAID entry with its dump area stays the one to compare with.
            if (!furthest || r.end > furthest->end) furthest = &r;
        }
    }
}

}  // namespace

extern const Rule align_partitions_overlap;
const Rule align_partitions_overlap{
    {.code = "ALIGN005",
     .slug = "partitions-overlap",
     .severity = Severity::error,
     .impact = 1000,
     .summary = "two partitions of one table share sectors",
     .why = "What is written through one partition overwrites the other, and neither file system notices "
            "before it reads its own damaged metadata. Labels edited by hand are the usual cause. Whole-disk "
            "entries (c, and d on NetBSD), extended containers, a partition listed twice with the same "
            "range, and a swap entry inside an entry of type RAID (a dump area over a mirror) are not "
            "overlaps.",
     .cost = "Both file systems lose data as soon as both are used.",
     .remedy = "Stop using both, find the table that was in force when the file systems were made "
               "(superblocks tell their size), restore it, and check the file systems.",
     .bad =
         R"({"os": {"name": "netbsd"}, "partitions": [{"name": "raid0a", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 21474836480, "type": "4.2BSD"}, {"name": "raid0b", "parent": "raid0", "scheme": "disklabel", "start_bytes": 17179869184, "size_bytes": 8589934592, "type": "swap"}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "partitions": [{"name": "raid0a", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 17179869184, "type": "4.2BSD"}, {"name": "raid0b", "parent": "raid0", "scheme": "disklabel", "start_bytes": 17179869184, "size_bytes": 8589934592, "type": "swap"}]})",
     .references = "disklabel(8), gpart(8), fdisk(8)"},
    check};

}  // namespace diskwright
