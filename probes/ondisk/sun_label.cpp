// SPDX-License-Identifier: BSD-2-Clause
// The label of SunOS in sector 0, big-endian: eight partitions, each from the start of a cylinder, all 16-bit
// words together 0 by exclusive or. Layout: freebsd/freebsd-src:sys/sys/vtoc.h (struct vtoc8); which rows
// count, and what they are called: sys/geom/part/g_part_vtoc8.c. A label of NetBSD in the same sector stands
// over what this one has in front of its geometry, and is read instead.
#include <algorithm>
#include <string_view>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t label_bytes = 512, most_partitions = 8, raw_partition = 2;
constexpr std::uint64_t sector_bytes = 512, magic = 0xdabe, sanity = 0x600ddeee, backup_tag = 5;

namespace field {
constexpr std::size_t partitions = 140, tags = 142, sanity = 188, cylinders = 432, heads = 436, sectors = 438,
                      map = 444, magic = 508, checksum = 510;
}

std::uint64_t sum_of(const Structure& label) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < label_bytes; at += 2) sum ^= label.u16(at);
    return sum;
}

// Rows without tags are told by their place.
std::uint64_t tag_of(const Structure& label, std::size_t index) {
    if (label.u32(field::sanity) == sanity) return label.u16(field::tags + 4 * index);
    return index == raw_partition ? backup_tag : 0;
}

bool is_of_freebsd(std::uint64_t tag) {
    return tag >> 8 == 9;  // ELFOSABI_FREEBSD
}

std::string type_text(std::uint64_t tag) {
    switch (tag) {
        case 0x0901:
            return "freebsd-swap";
        case 0x0902:
            return "freebsd-ufs";
        case 0x0903:
            return "freebsd-vinum";
        case 0x0904:
            return "freebsd-zfs";
        default:
            return fmt::format("!{}", tag);
    }
}

bool write_row(const ByteSource& source, const Structure& label, std::size_t index,
               std::uint64_t cylinder_sectors, Found& found) {
    const std::size_t at = field::map + 8 * index;
    const std::uint64_t cylinder = label.u32(at), sectors = label.u32(at + 4), tag = tag_of(label, index);
    // gpart shows no row for the whole disk.
    if (sectors == 0 || index == raw_partition || tag == backup_tag) return false;
    const char letter = static_cast<char>('a' + index);
    const Provenance from =
        label.from(at, fmt::format("{}: cylinder {}, {} sectors, tag {}", letter, cylinder, sectors, tag));
    Partition& p = partition(found.facts, fmt::format("{}{}", source.name(), letter));
    p.parent = source.name();
    p.scheme = Known<Scheme>(Scheme::vtoc8, from);
    p.index = Number(index + 1, from);
    p.type = Text(type_text(tag), from);
    p.start_bytes = Number(cylinder * cylinder_sectors * sector_bytes, from);  // 32, 32 and 9 bits
    p.size_bytes = Number(sectors * sector_bytes, from);
    const auto os = is_of_freebsd(tag) ? std::optional(Os::freebsd) : std::nullopt;
    if (os) vote_for_os(source, found, *os, from);
    found.slots.push_back({p.name, *p.start_bytes, *p.size_bytes, os});
    return true;
}

bool has_label_of(const ByteSource& source, const Found& found) {
    const auto& tables = found.facts.tables;
    return std::any_of(tables.begin(), tables.end(), [&](const PartitionTable& t) {
        return t.parent == source.name() && t.scheme.is(Scheme::disklabel);
    });
}

}  // namespace

Result<bool> read_sun_label(ByteSource& source, Found& found) {
    if (source.tables() != ByteSource::Tables::any || has_label_of(source, found)) return false;
    const auto read = read_structure(source, 0, label_bytes, ByteOrder::big);
    if (!read) return read.error();
    if (!*read || (**read).u16(field::magic) != magic) return false;
    const Structure& label = **read;
    const bool tagged = label.u32(field::sanity) == sanity;
    if (sum_of(label) != 0) {
        // Two bytes alone are met by chance.
        if (!tagged) return false;
        return Error{ErrorKind::bad_data,
                     label.place(field::checksum) + ": Sun label: checksum wrong, the label is not used"};
    }
    const std::uint64_t cylinders = label.u16(field::cylinders), heads = label.u16(field::heads),
                        sectors = label.u16(field::sectors),
                        rows = tagged ? label.u16(field::partitions) : most_partitions;
    if (cylinders == 0 || heads == 0 || sectors == 0 || rows != most_partitions)
        return Error{ErrorKind::bad_data,
                     fmt::format("{}: Sun label: {} cylinders of {} heads and {} sectors, {} partitions",
                                 label.place(field::cylinders), cylinders, heads, sectors, rows)};
    std::uint64_t shown = 0;
    for (std::size_t i = 0; i < most_partitions; ++i)
        shown += write_row(source, label, i, heads * sectors, found) ? 1 : 0;
    const Provenance from = label.from(
        field::cylinders,
        fmt::format("Sun label: {} cylinders of {} heads and {} sectors", cylinders, heads, sectors));
    PartitionTable& t = table(found.facts, source.name(), Scheme::vtoc8);
    t.scheme = Known<Scheme>(Scheme::vtoc8, from);
    t.sector_bytes = Number(sector_bytes, from);
    t.first_usable_bytes = Number(0, from);
    t.last_usable_bytes = Number(cylinders * heads * sectors * sector_bytes, from);
    t.entries_shown = Number(shown, from);
    return true;
}

}  // namespace diskwright
