// SPDX-License-Identifier: BSD-2-Clause
// What the readers say of one source, and what of it counts where they contradict each other.
#pragma once

#include <cstdint>
#include <span>

#include "probes/ondisk/format.hpp"

namespace diskwright {

/// Kept apart by what it is.
struct Reading {
    Found tables, sets, contents;
    bool has_tables() const { return !tables.slots.empty() || !tables.facts.tables.empty(); }
    bool anything() const;
};

/// Tables and sets, then what lies inside where neither is there. Of a table and the metadata of a set on one
/// device: the same metadata may be seen through a slot, the table may lie inside the set, or one of them is
/// left over from before the other. Where nothing tells which, both stand in the conflicts, and the set is
/// not put together. A copy of a table counts where nothing else is on the source.
Reading read_source(ByteSource& source, std::span<const OnDiskFormat> formats);

/// What most readers look at in the first 72 KiB of a source, in few requests. Whether all of it is there.
bool read_heads(ByteSource& source);

/// The readers of one kind alone. What the source does not have is no damage: an image may be the head of its
/// device.
void read_kind(ByteSource& source, std::span<const OnDiskFormat> formats, OnDiskFormat::Kind kind,
               Found& found);

/// A 32-bit label of a larger device: that has at least as much as it says.
bool is_clipped(const PartitionTable& table);
/// How far what was recognised says the device reaches.
std::uint64_t reach(const Found& found);

/// Slots that hold others, such as the system's own MBR slot around its label or a raw partition, show what
/// is in those again: the others alone. Of two names for one range the later one: the label's beside the
/// MBR's.
std::vector<Slot> innermost(const std::vector<Slot>& slots);

}  // namespace diskwright
