// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "probes/ondisk/assembled_source.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/sub_source.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Kind = OnDiskFormat::Kind;

constexpr std::uint64_t clipped_total = std::uint64_t{0xffffffff};  // sectors, of a full 32-bit field

// Where several readers look, close to each other: one request instead of several.
struct Neighbours {
    std::uint64_t start;
    std::size_t length;
};
constexpr std::array neighbours{Neighbours{0, 20 * KiB}, Neighbours{28 * KiB, 8 * KiB},
                                Neighbours{60 * KiB, 12 * KiB}};

bool is_filled(const Found& found) {
    return !found.facts.empty() || !found.slots.empty() || !found.members.empty();
}

bool holds(const Slot& slot, std::uint64_t byte) {
    return byte >= slot.start_bytes && (!slot.size_bytes || byte - slot.start_bytes < *slot.size_bytes);
}

// Whether that metadata is a slot's: its readers look for it just there, at the place for a device of the
// slot's size.
bool seen_through_slot(ByteSource& source, std::span<const OnDiskFormat> formats,
                       const std::vector<Slot>& slots, const Member& m) {
    return std::any_of(slots.begin(), slots.end(), [&](const Slot& slot) {
        if (!holds(slot, m.metadata_at)) return false;
        // A table that reaches further than its device is that of the set which the device is a part of.
        const auto end = add(slot.start_bytes, slot.size_bytes.value_or(0));
        if (source.size_bytes() && (!end || *end > *source.size_bytes())) return false;
        SubSource part(source, {slot.name, slot.start_bytes, slot.size_bytes, slot.tables, slot.os, {}});
        Found found;
        read_kind(part, formats, Kind::set, found);
        return std::any_of(found.members.begin(), found.members.end(), [&](const Member& other) {
            return other.identity == m.identity && slot.start_bytes + other.metadata_at == m.metadata_at;
        });
    });
}

// Only who came later can have written over the other: the secondary GPT is still there.
bool lies_over_the_table(const Member& m, const ByteSource& source, const Found& tables) {
    constexpr std::uint64_t sectors_of_gpt = 34;
    const auto& events = tables.facts.events;
    return m.metadata_at < sectors_of_gpt * source.sector_bytes() &&
           std::any_of(events.begin(), events.end(),
                       [](const Event& e) { return e.kind == Event::Kind::primary_gpt_corrupt; });
}

Conflict conflict_of(const ByteSource& source, const Member& m, const Found& tables) {
    Conflict out;
    out.what = fmt::format("disks.{}.contents", source.name());
    out.subject = source.name();
    const std::string name = m.set.name.empty() ? "a set without a name" : escaped(m.set.name);
    out.values.push_back({fmt::format("a component of {}", name), m.from});
    Conflict::Value table{fmt::format("{} partitions", tables.slots.size()), {}};
    for (const PartitionTable& t : tables.facts.tables)
        if (t.scheme && table.from.empty()) table.from = t.scheme.from();
    out.values.push_back(std::move(table));
    return out;
}

void settle_tables_and_sets(ByteSource& source, std::span<const OnDiskFormat> formats, Reading& reading) {
    if (!reading.has_tables()) return;
    const auto slots = innermost(reading.tables.slots);
    std::vector<Member> kept;
    std::vector<Conflict> conflicts;
    bool replaced = false;
    for (Member& m : reading.sets.members) {
        if (seen_through_slot(source, formats, slots, m)) continue;
        if (m.metadata_at >= m.data_offset_bytes) {
            // A set that can't be put together here hides nothing: what is known of its disk stays.
            replaced = replaced || AssembledSource::possible(m.set);
            kept.push_back(std::move(m));
            continue;
        }
        if (reading.tables.slots.empty()) {
            kept.push_back(std::move(m));  // a table of nothing contradicts nobody
            continue;
        }
        conflicts.push_back(conflict_of(source, m, reading.tables));
        if (!lies_over_the_table(m, source, reading.tables)) continue;
        replaced = true;
        kept.push_back(std::move(m));
    }
    reading.sets.members = std::move(kept);
    if (replaced) reading.tables = Found{};
    for (Conflict& c : conflicts) reading.sets.facts.conflicts.push_back(std::move(c));
}

// A copy of a table is left over where anything else is on the source.
void settle_copy(const ByteSource& source, Found&& copy, Reading& reading) {
    if (copy.facts.tables.empty()) return;
    if (!reading.anything()) {
        reading.tables = std::move(copy);
        return;
    }
    reading.tables.facts.events.push_back({source.name(), Event::Kind::stale_gpt,
                                           "a secondary GPT without a primary one",
                                           copy.facts.tables.front().scheme.from()});
}

// A pool in a slot that begins where the device does has its labels where one on the device would; likewise
// one in a set whose members end in metadata.
bool may_hide_a_pool(const Reading& reading) {
    const auto& slots = reading.tables.slots;
    if (!reading.sets.members.empty() ||
        std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.start_bytes == 0; }))
        return false;
    const HostFacts& inside = reading.contents.facts;
    return reading.has_tables() || !inside.filesystems.empty() || !inside.swap.empty();
}

bool contains(const Slot& outer, const Slot& inner) {
    if (!outer.size_bytes || !inner.size_bytes) return false;
    return outer.start_bytes <= inner.start_bytes &&
           inner.start_bytes - outer.start_bytes <= *outer.size_bytes &&
           *inner.size_bytes <= *outer.size_bytes - (inner.start_bytes - outer.start_bytes);
}

}  // namespace

bool read_heads(ByteSource& source) {
    bool all = true;
    for (const auto& [start, length] : neighbours) {
        const auto part_of = [&](std::uint64_t whole) {
            return static_cast<std::size_t>(
                std::min<std::uint64_t>(length, whole - std::min<std::uint64_t>(start, whole)));
        };
        const std::size_t there = part_of(source.readable_bytes());
        if (there > 0 && !source.read(start, there)) all = false;
        if (there < part_of(source.size_bytes().value_or(~0ULL))) all = false;
    }
    return all;
}

bool Reading::anything() const {
    return is_filled(tables) || is_filled(sets) || is_filled(contents);
}

Reading read_source(ByteSource& source, std::span<const OnDiskFormat> formats) {
    Reading out;
    read_heads(source);
    out.tables.lost_originals = out.sets.lost_originals = out.contents.lost_originals = false;
    read_kind(source, formats, Kind::table, out.tables);
    read_kind(source, formats, Kind::set, out.sets);
    settle_tables_and_sets(source, formats, out);
    if (!out.has_tables() && out.sets.members.empty())
        read_kind(source, formats, Kind::contents, out.contents);
    Found copy;
    copy.gpt = out.tables.gpt;
    read_kind(source, formats, Kind::table_copy, copy);
    settle_copy(source, std::move(copy), out);
    if (may_hide_a_pool(out)) note_left_zfs_labels(source, out.contents);
    return out;
}

void read_kind(ByteSource& source, std::span<const OnDiskFormat> formats, Kind kind, Found& found) {
    for (const OnDiskFormat& format : formats) {
        if (format.kind != kind) continue;
        const auto result = format.read(source, found);
        if (!result && result.error().kind != ErrorKind::no_input)
            found.damage.push_back(result.error().message);
    }
}

namespace {

// Metadata that was found by where the device ends. The label of ccd lies among its data.
bool ends_its_device(const Member& m) {
    return m.metadata_at >= m.data_offset_bytes && !m.set.kind.is(VolumeKind::ccd);
}

}  // namespace

bool is_clipped(const PartitionTable& t) {
    return t.scheme.is(Scheme::disklabel) && t.sector_bytes && t.total_bytes &&
           *t.total_bytes / *t.sector_bytes == clipped_total;
}

std::uint64_t reach(const Found& found) {
    std::uint64_t out = 0;
    const auto extend = [&](std::uint64_t end) { out = std::max(out, end); };
    for (const Slot& s : found.slots) extend(add(s.start_bytes, s.size_bytes.value_or(0)).value_or(~0ULL));
    for (const PartitionTable& t : found.facts.tables)
        if (!is_clipped(t)) extend(t.total_bytes.value_or(0));
    for (const Filesystem& f : found.facts.filesystems) extend(f.size_bytes.value_or(0));
    for (const Member& m : found.members)
        if (!ends_its_device(m)) extend(add(m.data_offset_bytes, m.data_bytes.value_or(0)).value_or(~0ULL));
    return out;
}

std::vector<Slot> innermost(const std::vector<Slot>& slots) {
    std::vector<Slot> out;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        bool holds_another = false;
        for (std::size_t j = 0; j < slots.size() && !holds_another; ++j) {
            if (i == j || !contains(slots[i], slots[j])) continue;
            holds_another = !contains(slots[j], slots[i]) || j > i;
        }
        if (!holds_another) out.push_back(slots[i]);
    }
    return out;
}

}  // namespace diskwright
