// SPDX-License-Identifier: BSD-2-Clause
// What DISK002 and DISK003 share.
#pragma once

#include <algorithm>
#include <cstdint>

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

}  // namespace diskwright::tables
