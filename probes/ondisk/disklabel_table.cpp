// SPDX-License-Identifier: BSD-2-Clause
// The facts of disk labels: which of them count, and the partitions as the tools of their system name them.
// NetBSD and OpenBSD count from the start of the disk, FreeBSD from the start of the slice once the offset of
// c is subtracted (freebsd/freebsd-src:sys/geom/part/g_part_bsd.c).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/ondisk/disklabel.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/gpt.hpp"
#include "probes/ondisk/mbr.hpp"
#include "probes/ondisk/partition_types.hpp"
#include "probes/ondisk/reading.hpp"
#include "probes/ondisk/sub_source.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

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
std::uint64_t counted_from(const Disklabel& label) {
    if (label.os != Os::freebsd && label.os != Os::dragonfly) return 0;
    return label.partitions.size() > 2 ? label.partitions[2].offset : 0;
}

// The label on da0:1 names its partitions da0s1a. `holder` is the device, or the slot of a second system's
// label: whichever system runs calls the partitions of its own label after the device.
std::string row_name(const std::string& holder, const Disklabel& label, std::uint64_t index) {
    std::string base = holder;
    if (label.os == Os::dragonfly) std::replace(base.begin(), base.end(), ':', 's');
    // After z OpenBSD goes on with A.
    const char letter = static_cast<char>(index < 26 ? 'a' + index : 'A' + (index - 26));
    return fmt::format("{}{}", base, letter);
}

void write_newfs_values(const DisklabelRow& row, const Disklabel& label, Partition& p) {
    const bool likely = row.type == 7 && row.fsize > 0 && row.bsize >= 4096 && row.bsize <= 65536 &&
                        (row.bsize & (row.bsize - 1)) == 0 && (row.fsize & (row.fsize - 1)) == 0;
    if (!likely || label.os == Os::freebsd) return;
    p.fsize = Number(row.fsize, p.start_bytes.from());
    p.bsize = Number(row.bsize, p.start_bytes.from());
}

// What newfs is to use, as in a listing of the label. Whatever reads the partition itself knows better, be it
// that no file system is there.
void write_newfs_hints(ByteSource& source, std::size_t first_slot, Found& found) {
    const auto looked_into = innermost(found.slots);
    for (std::size_t i = first_slot; i < found.slots.size(); ++i) {
        const std::string& name = found.slots[i].name;
        const Partition& p = partition(found.facts, name);
        if (!p.bsize) continue;
        SubSource contents(source, {name, *p.start_bytes, *p.size_bytes, ByteSource::Tables::none, {}, {}});
        const bool is_looked_into = std::any_of(looked_into.begin(), looked_into.end(),
                                                [&](const Slot& slot) { return slot.name == name; });
        if (is_looked_into && read_heads(contents)) continue;
        const Provenance& from = p.bsize.from();
        const Provenance inferred(from.source(), 0, from.text(), Provenance::Kind::inferred);
        Filesystem& fs = filesystem(found.facts, name);
        fs.type = Text("ffs", inferred);
        fs.fsize = Number(*p.fsize, inferred);
        fs.bsize = Number(*p.bsize, inferred);
    }
}

bool write_row(const ByteSource& source, const std::string& holder, const Disklabel& label,
               const DisklabelRow& row, Found& found) {
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
    write_newfs_values(row, label, p);
    if (row.type != 0) found.slots.push_back({p.name, *p.start_bytes, *p.size_bytes, label.os});
    return true;
}

void write_label(ByteSource& source, const std::string& holder, const Disklabel& label, Found& found) {
    std::uint64_t shown = 0;
    const std::size_t slots_before = found.slots.size();
    for (const DisklabelRow& row : label.partitions)
        shown += write_row(source, holder, label, row, found) ? 1 : 0;
    write_newfs_hints(source, slots_before, found);
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
        const auto label = find_disklabel(source, place.base, place.hint);
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
