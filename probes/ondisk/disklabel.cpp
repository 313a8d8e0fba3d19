// SPDX-License-Identifier: BSD-2-Clause
// The 4.4BSD disk label. Layout: NetBSD/src:sys/sys/disklabel.h, openbsd/src:sys/sys/disklabel.h (version 1
// has 48-bit sizes and offsets, and sizes of blocks in one byte), freebsd/freebsd-src:sys/sys/disk/bsd.h.
// Where it stands differs by port (LABELSECTOR and LABELOFFSET of sys/arch/*/include/disklabel.h): the first
// 16 sectors of the disk hold every place of them, at a multiple of four bytes; on disks with an MBR or a GPT
// the same of the system's own slot. Byte order is that of the machine. NetBSD and OpenBSD count from the
// start of the disk, FreeBSD from the start of the slice once the offset of c is subtracted
// (freebsd/freebsd-src:sys/geom/part/g_part_bsd.c).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/gpt.hpp"
#include "probes/ondisk/label_search.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/mbr.hpp"
#include "probes/ondisk/partition_types.hpp"
#include "probes/support/byte_reader.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t magic2_at = 132, partitions_at = 148, partition_size = 16;
constexpr std::uint32_t most_partitions = 64;  // OpenBSD 7.8 has 52
constexpr std::size_t largest_label = partitions_at + most_partitions * partition_size;
constexpr std::size_t searched = 8192;
constexpr std::uint32_t clipped = 0xffffffff;  // what 32 bits hold of a larger disk

constexpr std::array<std::string_view, 33> netbsd_types{
    "unused", "swap",       "Version 6",      "Version 7",   "System V", "4.1BSD",  "Eighth Edition",
    "4.2BSD", "MSDOS",      "4.4LFS",         "unknown",     "HPFS",     "ISO9660", "boot",
    "ADOS",   "HFS",        "FILECORE",       "Linux Ext2",  "NTFS",     "RAID",    "ccd",
    "jfs",    "Apple UFS",  "vinum",          "UDF",         "SysVBFS",  "EFS",     "NiLFS",
    "cgd",    "MINIX FSv3", "VMware VMKCORE", "VMware VMFS", "ZFS"};
constexpr std::array<std::string_view, 22> openbsd_types{
    "unused", "swap",   "Version6", "Version7", "SystemV", "4.1BSD", "Eighth-Edition", "4.2BSD",
    "MSDOS",  "4.4LFS", "unknown",  "HPFS",     "ISO9660", "boot",   "ADOS",           "HFS",
    "ADFS",   "ext2fs", "ccd",      "RAID",     "NTFS",    "UDF"};
// Numbers from 7 on that gpart has a name for; it prints "!15" for the rest.
struct GpartType {
    std::uint8_t number;
    std::string_view name;
};
constexpr std::array<GpartType, 5> gpart_types{{{1, "freebsd-swap"},
                                                {7, "freebsd-ufs"},
                                                {14, "freebsd-vinum"},
                                                {27, "freebsd-zfs"},
                                                {28, "freebsd-nandfs"}}};
std::string type_text(std::uint8_t type, Os os) {
    std::string_view name;
    if (os == Os::openbsd) {
        name = type < openbsd_types.size() ? openbsd_types.at(type) : std::string_view{};
    } else if (os == Os::freebsd) {
        const auto at = std::find_if(gpart_types.begin(), gpart_types.end(),
                                     [&](const GpartType& t) { return t.number == type; });
        return at == gpart_types.end() ? fmt::format("!{}", type) : std::string(at->name);
    } else if (os == Os::dragonfly) {
        return dragonfly_label_type(type);
    } else {
        name = type < netbsd_types.size() ? netbsd_types.at(type) : std::string_view{};
    }
    return name.empty() ? fmt::format("{}", type) : std::string(name);
}

struct LabelPartition {
    std::uint64_t index, offset, size;
    std::uint8_t type;
    std::uint64_t fsize, bsize;  // 0: not set
    std::uint64_t at;
};

struct Label {
    std::uint64_t at = 0;  // in the source
    Os os = Os::netbsd;
    std::uint32_t sector = 512, count = 0;
    std::uint64_t total = 0;  // sectors
    std::uint64_t bound_start = 0, bound_end = 0;
    std::vector<LabelPartition> partitions;
};

bool plausible_sector(std::uint32_t sector) {
    return sector >= 128 && sector <= 65536 && (sector & (sector - 1)) == 0;
}

std::uint16_t checksum(const ByteReader& in, std::size_t at, std::uint32_t count) {
    std::uint16_t sum = 0;
    for (std::size_t i = 0; i < partitions_at + count * partition_size; i += 2)
        sum = static_cast<std::uint16_t>(sum ^ *in.u16(at + i));
    return sum;
}

// The fields from 64 on differ: OpenBSD has the uid there and a version at 114, where NetBSD and FreeBSD have
// spare words; those have a rotation speed and an interleave where OpenBSD has bounds.
bool looks_like_openbsd(const ByteReader& in, std::size_t at) {
    if (*in.u16(at + 114) == 1) return true;
    const bool spinning = *in.u16(at + 72) != 0 || *in.u16(at + 74) != 0;
    return *in.u64(at + 64) != 0 && !spinning;
}

void decode_sizes(const ByteReader& in, std::size_t p, bool version1, LabelPartition& out) {
    if (version1) {
        const std::uint8_t fragblock = *in.u8(p + 13);
        const std::uint32_t shift = fragblock >> 3, frag = fragblock & 7;
        if (fragblock == 0 || frag == 0 || shift > 8) return;
        out.bsize = std::uint64_t{1} << (shift + 12);
        out.fsize = out.bsize >> (frag - 1);
    } else {
        out.fsize = *in.u32(p + 8);
        out.bsize = out.fsize * *in.u8(p + 13);
    }
}

Label decode(const ByteReader& in, std::size_t at, std::uint64_t source_at, std::optional<Os> hint) {
    Label label;
    label.at = source_at;
    label.sector = *in.u32(at + 40);
    label.count = *in.u16(at + 138);
    label.total = *in.u32(at + 60);
    label.os = hint.value_or(looks_like_openbsd(in, at) ? Os::openbsd : Os::netbsd);
    const bool openbsd = label.os == Os::openbsd, version1 = openbsd && *in.u16(at + 114) == 1;
    if (openbsd) {
        label.total |= std::uint64_t{*in.u16(at + 112)} << 32;
        label.bound_start = *in.u32(at + 80) | std::uint64_t{*in.u16(at + 76)} << 32;
        label.bound_end = *in.u32(at + 84) | std::uint64_t{*in.u16(at + 78)} << 32;
    }
    for (std::uint32_t i = 0; i < label.count; ++i) {
        const std::size_t p = at + partitions_at + i * partition_size;
        LabelPartition part{i, *in.u32(p + 4), *in.u32(p), *in.u8(p + 12), 0, 0, source_at + (p - at)};
        if (version1) {
            part.offset |= std::uint64_t{*in.u16(p + 8)} << 32;
            part.size |= std::uint64_t{*in.u16(p + 10)} << 32;
        }
        decode_sizes(in, p, version1, part);
        label.partitions.push_back(part);
    }
    return label;
}

Error damaged(const ByteSource& source, std::uint64_t at, std::string_view what) {
    return {ErrorKind::bad_data, fmt::format("{}@{:#x}: disk label: {}", source.name(), at, what)};
}

// The label that begins at `at`, if one does: both magic numbers in one byte order, counts in range, and
// words that sum to zero.
Result<std::optional<Label>> label_at(const ByteSource& source, std::span<const std::byte> bytes,
                                      std::size_t at, std::uint64_t base, std::optional<Os> hint) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const ByteReader in(bytes, order);
        const bool first = in.u32(at) == disklabel_magic, second = in.u32(at + magic2_at) == disklabel_magic;
        if (!first && !second) continue;
        const auto count = in.u16(at + 138);
        const bool whole = count && *count > 0 && *count <= most_partitions &&
                           at + partitions_at + *count * partition_size <= bytes.size();
        const bool sane = whole && plausible_sector(*in.u32(at + 40));
        // One magic number alone is no label unless the rest is like one.
        if (first != second && !sane) continue;
        if (!whole && count && *count > 0 && *count <= most_partitions) return std::optional<Label>{};
        if (!sane)
            return damaged(source, base + at,
                           fmt::format("{} partitions of sectors of {} bytes", count.value_or(0),
                                       in.u32(at + 40).value_or(0)));
        if (first != second || checksum(in, at, *count) != 0)
            return damaged(source, base + at, "its words do not sum to zero");
        return std::optional(decode(in, at, base + at, hint));
    }
    return std::optional<Label>{};
}

// Where a label may begin: either of its magic numbers may be damaged.
std::vector<std::size_t> candidates(std::span<const std::byte> bytes) {
    std::vector<std::size_t> out;
    for (const std::size_t at : label_magic_places(bytes, searched + magic2_at)) {
        if (at < searched) out.push_back(at);
        if (at >= magic2_at) out.push_back(at - magic2_at);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// The first whole label; a damaged one only when there is none.
Result<std::optional<Label>> find_label(ByteSource& source, std::uint64_t base, std::optional<Os> hint) {
    const std::uint64_t there = source.readable_bytes() - std::min(source.readable_bytes(), base);
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(there, searched + largest_label));
    if (length < partitions_at) return std::optional<Label>{};
    const auto bytes = source.read(base, length);
    if (!bytes) {
        if (bytes.error().kind == ErrorKind::no_input) return std::optional<Label>{};
        return bytes.error();
    }
    std::optional<Error> first_error;
    for (const std::size_t at : candidates(*bytes)) {
        if (at + partitions_at > length) break;
        auto label = label_at(source, *bytes, at, base, hint);
        if (!label && !first_error) first_error = label.error();
        if (label && *label) return label;
    }
    if (first_error) return *first_error;
    return std::optional<Label>{};
}

struct Place {
    std::uint64_t base;
    std::optional<Os> hint;
    std::string slot;  // its name; empty without one
};

// Where the systems would look, in their order: their own slot, else the start of the disk. Slots of the
// host's own system come first.
Result<std::vector<Place>> places(ByteSource& source, Found& found) {
    const std::string& device = source.name();
    if (source.tables() == ByteSource::Tables::label) return std::vector<Place>{{0, source.system(), {}}};
    std::vector<Place> out;
    const Gpt& gpt = gpt_of(source, found);
    if (const GptCopy* copy = gpt.used()) {
        for (const GptEntry& e : copy->entries)
            if (gpt_type_os(e.type) == Os::openbsd)
                if (const auto base = multiply(e.first, gpt.sector_bytes))
                    out.push_back({*base, Os::openbsd,
                                   gpt_entry_name(device, e.index, table_speaker(device, Os::openbsd))});
    }
    const auto mbr = read_mbr(source);
    if (!mbr) return mbr.error();
    // A backup alone may be left over from before the label.
    const bool gpt_in_use = gpt.primary.state == GptCopy::State::valid || (gpt.used() && *mbr);
    bool own_slot = false;
    if (*mbr) {
        for (const MbrEntry& e : (*mbr)->entries) {
            const auto os = mbr_type_os(e.type);
            own_slot = own_slot || os == Os::freebsd || os == Os::dragonfly;
            if (os == Os::openbsd || os == Os::netbsd)
                out.push_back({e.start * (*mbr)->sector_bytes, os,
                               mbr_entry_name(device, e.index, table_speaker(device, mbr_types_say(**mbr)))});
        }
    }
    std::stable_partition(out.begin(), out.end(), [&](const Place& p) { return p.hint == source.system(); });
    if (out.empty() && !own_slot && !gpt_in_use) {
        const bool freebsd = table_speaker(source.name(), {}) == Os::freebsd;
        out.push_back({0, freebsd ? std::optional(Os::freebsd) : std::nullopt, {}});
    }
    return out;
}

// FreeBSD and DragonFly labels count from the slice; those of old releases have its start added.
std::uint64_t counted_from(const Label& label) {
    if (label.os != Os::freebsd && label.os != Os::dragonfly) return 0;
    return label.partitions.size() > 2 ? label.partitions[2].offset : 0;
}

// The label on da0:1 names its partitions da0s1a. `holder` is the device, or the slot of a second system's
// label: whichever system runs calls the partitions of its own label after the device.
std::string row_name(const std::string& holder, const Label& label, std::uint64_t index) {
    std::string base = holder;
    if (label.os == Os::dragonfly) std::replace(base.begin(), base.end(), ':', 's');
    // After z OpenBSD goes on with A.
    const char letter = static_cast<char>(index < 26 ? 'a' + index : 'A' + (index - 26));
    return fmt::format("{}{}", base, letter);
}

void write_newfs_hint(const LabelPartition& row, const Label& label, Partition& p, Found& found) {
    const bool likely = row.type == 7 && row.fsize > 0 && row.bsize >= 4096 && row.bsize <= 65536 &&
                        (row.bsize & (row.bsize - 1)) == 0 && (row.fsize & (row.fsize - 1)) == 0;
    if (!likely || label.os == Os::freebsd) return;
    const Provenance& from = p.start_bytes.from();
    p.fsize = Number(row.fsize, from);
    p.bsize = Number(row.bsize, from);
    // What newfs is to use, as in a listing of the label: whatever reads the file system itself knows better.
    const Provenance inferred(from.source(), 0, from.text(), Provenance::Kind::inferred);
    Filesystem& fs = filesystem(found.facts, p.name);
    fs.type = Text("ffs", inferred);
    fs.fsize = Number(row.fsize, inferred);
    fs.bsize = Number(row.bsize, inferred);
}

bool write_row(const ByteSource& source, const std::string& holder, const Label& label,
               const LabelPartition& row, Found& found) {
    const std::uint64_t base = counted_from(label);
    const bool raw = label.os == Os::freebsd && row.index == 2;  // gpart shows no raw partition
    if (row.size == 0 || raw || row.offset < base || row.index >= 52) return false;
    const Provenance from =
        at_byte(source, row.at,
                fmt::format("{}: size {}, offset {}, type {}", static_cast<char>('a' + row.index % 26),
                            row.size, row.offset, row.type));
    Partition& p = partition(found.facts, row_name(holder, label, row.index));
    p.parent = source.name();
    p.scheme = Known<Scheme>(Scheme::disklabel, from);
    p.index = Number(row.index + (label.os == Os::freebsd ? 1 : 0), from);
    p.type = Text(type_text(row.type, label.os), from);
    p.start_bytes = Number((row.offset - base) * label.sector, from);  // 48 bits and 17: no overflow
    p.size_bytes = Number(row.size * label.sector, from);
    write_newfs_hint(row, label, p, found);
    if (row.type != 0) found.slots.push_back({p.name, *p.start_bytes, *p.size_bytes, label.os});
    return true;
}

void write_label(const ByteSource& source, const std::string& holder, const Label& label, Found& found) {
    std::uint64_t shown = 0;
    for (const LabelPartition& row : label.partitions)
        shown += write_row(source, holder, label, row, found) ? 1 : 0;
    const Provenance from = at_byte(source, label.at,
                                    fmt::format("disk label: {} bytes/sector, {} sectors, {} partitions",
                                                label.sector, label.total, label.count));
    PartitionTable& t = table(found.facts, holder, Scheme::disklabel);
    t.scheme = Known<Scheme>(Scheme::disklabel, from);
    t.sector_bytes = Number(label.sector, from);
    if (label.total > 0) t.total_bytes = Number(label.total * label.sector, from);
    if (label.bound_end > label.bound_start) {
        t.first_usable_bytes = Number(label.bound_start * label.sector, from);
        t.last_usable_bytes = Number(label.bound_end * label.sector, from);
    }
    t.entries_shown = Number(shown, from);
}

}  // namespace

Result<bool> read_disklabel(ByteSource& source, Found& found) {
    if (source.tables() == ByteSource::Tables::none) return false;
    const auto where = places(source, found);
    if (!where) return where.error();
    std::optional<Error> error;
    bool any = false;
    for (const Place& place : *where) {
        const auto label = find_label(source, place.base, place.hint);
        if (!label && error) found.damage.push_back(label.error().message);
        if (!label && !error) error = label.error();
        if (!label || !*label) continue;
        write_label(source, any ? place.slot : source.name(), **label, found);
        any = true;
    }
    if (error && !any) return *error;
    if (error) found.damage.push_back(error->message);
    return any;
}

}  // namespace diskwright
