// SPDX-License-Identifier: BSD-2-Clause
// Layout: NetBSD/src:sys/sys/bootblock.h (struct mbr_sector, mbr_partition); the chain of extended tables as
// NetBSD/src:sbin/fdisk/fdisk.c and torvalds/linux:block/partitions/msdos.c walk it: entry 0 counts from its
// own table, the link to the next table from the first one. What is no table: the tests of
// freebsd/freebsd-src:sys/geom/part/g_part_mbr.c (flags, BIOS parameter block).
#include "probes/ondisk/mbr.hpp"
#include "probes/ondisk/magics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/gpt.hpp"
#include "probes/ondisk/partition_types.hpp"
#include "probes/support/byte_reader.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t mbr_size = 512, table_at = 446, entry_size = 16;
constexpr std::uint8_t protective_type = 0xee;
constexpr std::size_t longest_chain = 64;  // far above what any system numbers

struct RawEntry {
    std::uint8_t flag, type;
    std::uint64_t start, sectors;
    std::uint64_t at;
    bool used() const { return type != 0 && sectors > 0; }
};

struct RawTable {
    std::array<RawEntry, 4> entries;
};

std::optional<RawTable> decode(std::span<const std::byte> bytes, std::uint64_t offset) {
    const ByteReader in(bytes);
    if (in.u16(mbr_signature_at) != mbr_signature) return std::nullopt;
    RawTable table;
    for (std::size_t i = 0; i < table.entries.size(); ++i) {
        const std::size_t at = table_at + i * entry_size;
        table.entries[i] = {*in.u8(at), *in.u8(at + 4), *in.u32(at + 8), *in.u32(at + 12), offset + at};
    }
    return table;
}

bool text_at(const ByteReader& in, std::size_t at, std::string_view text) {
    return in.text(at, text.size()) == text;
}

// A volume without partitions begins with a boot sector that bears the same signature.
bool is_volume_boot_sector(const ByteReader& in) {
    return text_at(in, 3, "NTFS    ") || text_at(in, 3, "EXFAT   ") || text_at(in, 54, "FAT12") ||
           text_at(in, 54, "FAT16") || text_at(in, 82, "FAT32");
}

bool plausible(const RawTable& table) {
    for (const RawEntry& e : table.entries) {
        if (e.flag != 0 && e.flag != 0x80) return false;
        // Boot blocks of BSD labels carry a made-up entry from sector 0.
        if (e.used() && e.start == 0) return false;
    }
    return std::any_of(table.entries.begin(), table.entries.end(),
                       [](const RawEntry& e) { return e.used(); });
}

void add_entry(Mbr& mbr, const RawEntry& raw, std::uint64_t index, std::uint64_t base, bool logical) {
    mbr.entries.push_back(
        {index, logical, raw.flag == 0x80, raw.type, base + raw.start, raw.sectors, raw.at, std::nullopt});
}

// The table of a chain is read through its own extended partition; what it says of sectors behind that is not
// believed.
void add_logical(const ByteSource& source, const RawEntry& raw, std::uint64_t index, std::uint64_t base,
                 std::uint64_t container_end, Mbr& mbr) {
    add_entry(mbr, raw, index, base, true);
    MbrEntry& e = mbr.entries.back();
    e.container_end = container_end;
    if (e.start + e.sectors > container_end)
        mbr.damage.push_back(
            fmt::format("{}@{:#x}: a logical partition up to sector {}, in an extended one that ends at {}",
                        source.name(), e.at, e.start + e.sectors - 1, container_end - 1));
}

Result<bool> walk_chain(ByteSource& source, const MbrEntry& container, Mbr& mbr) {
    const std::uint64_t first = container.start, end = container.start + container.sectors;
    std::set<std::uint64_t> seen;
    std::uint64_t table_start = first, logical = 0;
    for (const MbrEntry& e : mbr.entries)
        if (e.logical) logical = e.index + 1;
    while (true) {
        const std::uint64_t offset = table_start * mbr.sector_bytes;  // both below 2^34 and 2^16
        if (seen.size() >= longest_chain && !seen.contains(table_start)) {
            mbr.cut = true;
            return true;
        }
        if (!seen.insert(table_start).second) {
            mbr.damage.push_back(
                fmt::format("{}@{:#x}: the chain of extended tables has no end", source.name(), offset));
            return true;
        }
        const auto bytes = source.read(offset, mbr_size);
        if (!bytes) {
            // An image that is only a head, or a place that was not collected: no damage.
            if (bytes.error().kind == ErrorKind::no_input) return true;
            return bytes.error();
        }
        const auto table = decode(*bytes, offset);
        if (!table) {
            mbr.damage.push_back(
                fmt::format("{}@{:#x}: no extended table where one is linked to", source.name(), offset));
            return true;
        }
        std::optional<std::uint64_t> next;
        for (const RawEntry& e : table->entries) {
            if (!e.used()) continue;
            if (!is_mbr_container(e.type))
                add_logical(source, e, logical++, table_start, end, mbr);
            else if (!next)
                next = first + e.start;
        }
        if (!next) return true;
        if (*next >= end)
            mbr.damage.push_back(
                fmt::format("{}@{:#x}: a link to an extended table in sector {}, in an extended partition "
                            "that ends at {}",
                            source.name(), offset, *next, end - 1));
        table_start = *next;
    }
}

Provenance entry_source(const ByteSource& source, const MbrEntry& e) {
    return at_byte(source, e.at,
                   fmt::format("type {:#04x}{}, start {}, size {} sectors", e.type,
                               e.active ? ", active" : "", e.start, e.sectors));
}

// A hybrid MBR names some partitions of the GPT again.
bool is_row_of(const Gpt& gpt, const Mbr& mbr, const MbrEntry& e) {
    const auto& rows = gpt.used()->entries;
    return std::any_of(rows.begin(), rows.end(), [&](const GptEntry& row) {
        return row.last >= row.first && mbr.sector_bytes == gpt.sector_bytes && row.first == e.start &&
               row.last - row.first + 1 == e.sectors;
    });
}

// A table of Linux types alone, on a device of no known driver, is read with Linux's tools: 0x83, not 131.
Os types_speaker(const ByteSource& source, const Mbr& mbr, Os speaker) {
    const bool linux_alone = std::all_of(mbr.entries.begin(), mbr.entries.end(), [](const MbrEntry& e) {
        return mbr_type_os(e.type) == Os::linux_ || is_mbr_container(e.type);
    });
    return linux_alone && !os_of_disk_name(source.name()) ? Os::linux_ : speaker;
}

struct Speakers {
    Os names, types;
};

void write_entry(const ByteSource& source, const Mbr& mbr, const MbrEntry& e, const Speakers& speakers,
                 bool with_slot, Found& found) {
    const Os speaker = speakers.names;
    const std::string name = e.logical ? mbr_logical_name(source.name(), e.index, speaker)
                                       : mbr_entry_name(source.name(), e.index, speaker);
    const Provenance from = entry_source(source, e);
    Partition& p = partition(found.facts, name);
    p.parent = source.name();
    // Linux numbers logical partitions on in the same table.
    const bool own_table = e.logical && speaker != Os::linux_;
    p.scheme = Known<Scheme>(own_table ? Scheme::ebr : Scheme::mbr, from);
    const bool from_one = speaker == Os::freebsd || speaker == Os::linux_ || speaker == Os::dragonfly;
    if (!e.logical)
        p.index = Number(e.index + (from_one ? 1 : 0), from);
    else if (from_one)
        p.index = Number(e.index + 5, from);
    p.type = Text(mbr_type_text(e.type, speakers.types), from);
    p.start_bytes = Number(e.start * mbr.sector_bytes, from);
    p.size_bytes = Number(e.sectors * mbr.sector_bytes, from);
    if (e.active) p.attributes = TextList({"active"}, from);
    if (!with_slot || is_mbr_container(e.type) || e.type == protective_type) return;
    const std::uint64_t end = std::min(e.start + e.sectors, e.container_end.value_or(~std::uint64_t{0}));
    if (end <= e.start) return;
    Slot slot{name, *p.start_bytes, (end - e.start) * mbr.sector_bytes, mbr_type_os(e.type)};
    const bool label = e.type == 0xa5 || e.type == 0x6c;
    if (label) slot.tables = ByteSource::Tables::label;
    found.slots.push_back(slot);
}

}  // namespace

std::optional<Os> mbr_types_say(const Mbr& mbr) {
    for (const MbrEntry& e : mbr.entries)
        if (const auto os = mbr_type_os(e.type); os && *os != Os::linux_) return os;
    return std::nullopt;
}

bool Mbr::protective() const {
    return std::any_of(entries.begin(), entries.end(),
                       [](const MbrEntry& e) { return !e.logical && e.type == protective_type; });
}

bool Mbr::hybrid() const {
    return protective() && entries.size() > 1;
}

std::uint64_t table_sector(ByteSource& source) {
    if (source.sector_bytes() != 512) return source.sector_bytes();
    for (const std::uint64_t sector : {512, 4096}) {
        const auto bytes = source.read(sector, 8);
        if (bytes && text_at(ByteReader(*bytes), 0, gpt_signature)) return sector;
    }
    return 512;
}

Result<std::optional<Mbr>> read_mbr(ByteSource& source) {
    if (source.tables() != ByteSource::Tables::any) return std::optional<Mbr>{};
    const auto bytes = source.read(0, mbr_size);
    if (!bytes) {
        if (bytes.error().kind == ErrorKind::no_input) return std::optional<Mbr>{};
        return bytes.error();
    }
    const auto table = decode(*bytes, 0);
    if (!table || !plausible(*table) || is_volume_boot_sector(ByteReader(*bytes)))
        return std::optional<Mbr>{};
    Mbr mbr;
    mbr.sector_bytes = table_sector(source);
    for (std::size_t i = 0; i < table->entries.size(); ++i)
        if (table->entries[i].used()) add_entry(mbr, table->entries[i], i, 0, false);
    std::vector<MbrEntry> containers;
    for (const MbrEntry& e : mbr.entries)
        if (is_mbr_container(e.type)) containers.push_back(e);
    for (const MbrEntry& container : containers)
        if (const auto walked = walk_chain(source, container, mbr); !walked) return walked.error();
    return std::optional(std::move(mbr));
}

Result<bool> read_mbr_table(ByteSource& source, Found& found) {
    const auto mbr = read_mbr(source);
    if (!mbr) return mbr.error();
    if (!*mbr) return false;
    const Mbr& table = **mbr;
    // Where a GPT is in use, its entries are the partitions; a hybrid MBR only names some of them again.
    const Gpt* gpt = table.protective() ? &gpt_of(source, found) : nullptr;
    if (gpt && !gpt->used()) gpt = nullptr;
    const Provenance from = at_byte(source, table_at, "DOS partition table");
    PartitionTable& t = diskwright::table(found.facts, source.name(), Scheme::mbr);
    t.scheme = Known<Scheme>(Scheme::mbr, from);
    if (table.protective()) t.protective = Flag(true, from);
    if (const auto size = source.size_bytes()) t.total_bytes = Number(*size, from);
    if (table.cut)
        found.facts.unparsed.push_back(
            {source.name(), 0, 0,
             fmt::format("a chain of more than {} extended tables: the rest is not read", longest_chain)});
    const Os system = table_speaker(source.name(), mbr_types_say(table)),
             speaker = gpt && system == Os::freebsd ? Os::netbsd : system;
    const Speakers speakers{speaker, types_speaker(source, table, speaker)};
    std::uint64_t shown = 0;
    for (const MbrEntry& e : table.entries) {
        // It says that a GPT is there, readable or not, and is no partition.
        if (e.type == protective_type) continue;
        ++shown;
        if (gpt && is_row_of(*gpt, table, e)) continue;
        write_entry(source, table, e, speakers, !gpt, found);
    }
    t.entries_shown = Number(shown, from);
    found.damage.insert(found.damage.end(), table.damage.begin(), table.damage.end());
    return true;
}

}  // namespace diskwright
