// SPDX-License-Identifier: BSD-2-Clause
// What DISK002, DISK003 and HOST002 share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright::tables {

inline constexpr std::uint64_t sectors_32bit = std::uint64_t{1} << 32;

/// Sector of the device that a table lies on: the table's own, the disk's, the set's.
inline Number sector_of(const RuleContext& context, const PartitionTable& table) {
    if (table.sector_bytes) return table.sector_bytes;
    if (const Disk* d = context.graph.disk(table.parent); d && d->logical_sector_bytes)
        return d->logical_sector_bytes;
    if (const Volume* v = context.graph.volume(table.parent); v && v->logical_sector_bytes)
        return v->logical_sector_bytes;
    return Number::unknown("logical sector");
}

inline bool has_table(const HostFacts& host, const std::string& parent, Scheme scheme) {
    const auto listed = [&](const PartitionTable& t) {
        return t.scheme.is(scheme) && same_device(t.parent, parent);
    };
    const auto part = [&](const Partition& p) {
        return p.scheme.is(scheme) && same_device(p.parent, parent);
    };
    return std::any_of(host.tables.begin(), host.tables.end(), listed) ||
           std::any_of(host.partitions.begin(), host.partitions.end(), part);
}

/// How many bytes of the device its tables can describe at all, where that is less than the device: an MBR or
/// a 32-bit disklabel without a GPT beside it. What lies beyond is for DISK002 and DISK003 to say.
inline std::optional<std::uint64_t> reach_of(const RuleContext& context, const PartitionTable& table) {
    const bool label = table.scheme.is(Scheme::disklabel) && !context.host.is(Os::openbsd);
    const bool mbr = table.scheme.is(Scheme::mbr) && !table.protective.is(true);
    if ((!label && !mbr) || has_table(context.host, table.parent, Scheme::gpt)) return std::nullopt;
    return multiply(sectors_32bit, sector_of(context, table).value_or(512));
}

}  // namespace diskwright::tables
