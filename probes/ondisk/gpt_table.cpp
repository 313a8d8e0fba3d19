// SPDX-License-Identifier: BSD-2-Clause
// The facts of a GPT: which copy counts, what is wrong with the other, and the partitions.
#include <fmt/format.h>

#include <algorithm>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/gpt.hpp"
#include "probes/ondisk/mbr.hpp"
#include "probes/ondisk/partition_types.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using State = GptCopy::State;

void event(Event::Kind kind, const ByteSource& source, std::uint64_t at, std::string detail, Found& found) {
    const Provenance from = at_byte(source, at, detail);
    found.facts.events.push_back({source.name(), kind, std::move(detail), from});
}

std::string without_place(const GptCopy& copy) {
    const auto colon = copy.why.find(": ");
    return colon == std::string::npos ? copy.why : copy.why.substr(colon + 2);
}

void note_damage(const ByteSource& source, const Gpt& gpt, Found& found) {
    const std::uint64_t header_at = gpt.sector_bytes;
    if (gpt.primary.state == State::unreadable) return;
    if (gpt.primary.state != State::valid) {
        found.damage.push_back(gpt.primary.why.empty()
                                   ? fmt::format("{}@{:#x}: no primary GPT header", source.name(), header_at)
                                   : gpt.primary.why);
        event(Event::Kind::primary_gpt_corrupt, source, header_at,
              gpt.primary.why.empty() ? "no primary GPT header" : without_place(gpt.primary), found);
        return;
    }
    const std::uint64_t backup_at = gpt.primary.header.alternate * gpt.sector_bytes;
    const std::uint64_t sectors = source.size_bytes().value_or(0) / gpt.sector_bytes;
    if (gpt.backup.state == State::unreadable && sectors > 0 && gpt.primary.header.alternate >= sectors) {
        const std::string detail = fmt::format(
            "the primary GPT header puts the secondary one in sector {}, and the last one is {}{}",
            gpt.primary.header.alternate, sectors - 1,
            gpt.primary.header.alternate == sectors
                ? ": the table is older than the metadata that took the last sector of the disk"
                : "");
        found.damage.push_back(fmt::format("{}@{:#x}: {}", source.name(), header_at, detail));
        event(Event::Kind::secondary_gpt_missing, source, header_at, detail, found);
    } else if (gpt.backup.state == State::damaged || gpt.backup.state == State::absent) {
        const std::string detail = gpt.backup.why.empty()
                                       ? "no secondary GPT header where the primary one puts it"
                                       : without_place(gpt.backup);
        found.damage.push_back(fmt::format("{}@{:#x}: {}", source.name(), backup_at, detail));
        event(Event::Kind::secondary_gpt_missing, source, backup_at, detail, found);
    } else if (gpt.backup.state == State::valid && !gpt.backup_at_end) {
        event(Event::Kind::secondary_gpt_missing, source, backup_at,
              "the secondary GPT header is not in the last sector", found);
    }
    if (gpt.backup.state != State::valid) return;
    if (gpt.backup.header.entries_crc != gpt.primary.header.entries_crc ||
        gpt.backup.header.disk_guid != gpt.primary.header.disk_guid)
        found.damage.push_back(fmt::format("{}@{:#x}: the secondary GPT differs from the primary one",
                                           source.name(), backup_at));
}

std::optional<Os> types_say(const GptCopy& copy) {
    for (const GptEntry& e : copy.entries)
        if (const auto os = gpt_type_os(e.type); os && *os != Os::linux_) return os;
    return std::nullopt;
}

// g_part_gpt.c, gpt_attrtypes: bits of the FreeBSD types; bit 2 is the UEFI specification's.
std::vector<std::string> attributes_of(const GptEntry& e) {
    std::vector<std::string> out;
    if ((e.attributes >> 59 & 1) != 0) out.emplace_back("bootme");
    if ((e.attributes >> 58 & 1) != 0) out.emplace_back("bootonce");
    if ((e.attributes >> 57 & 1) != 0) out.emplace_back("bootfailed");
    return out;
}

// Provenance cites the entry by what a person would look for in a dump of it.
bool write_entry(const ByteSource& source, const Gpt& gpt, const GptEntry& e, Os speaker, Found& found) {
    const Provenance from = at_byte(
        source, e.at, fmt::format("type {}, first sector {}, last sector {}", e.type, e.first, e.last));
    const auto start = multiply(e.first, gpt.sector_bytes);
    const auto count = e.last >= e.first ? add(e.last - e.first, 1) : std::nullopt;
    const auto size = count ? multiply(*count, gpt.sector_bytes) : std::nullopt;
    if (!start || !size || !add(*start, *size)) {
        found.damage.push_back(fmt::format(
            "{}@{:#x}: entry {} from sector {} to sector {} {}", source.name(), e.at, e.index + 1, e.first,
            e.last, e.last < e.first ? "ends before it begins" : "lies past the end of the disk"));
        return false;
    }
    Partition& p = partition(found.facts, gpt_entry_name(source.name(), e.index, speaker));
    p.parent = source.name();
    p.scheme = Known<Scheme>(Scheme::gpt, from);
    p.index = Number(e.index + (speaker == Os::openbsd ? 0 : 1), from);
    p.start_bytes = Number(*start, from);
    p.size_bytes = Number(*size, from);
    p.type = Text(gpt_type_text(e.type, speaker), from);
    if (!e.name.empty()) p.label = Text(e.name, from);
    if (auto words = attributes_of(e); !words.empty()) p.attributes = TextList(std::move(words), from);
    Slot slot{p.name, *start, *size, gpt_type_os(e.type)};
    if (is_gpt_label_holder(e.type)) slot.tables = ByteSource::Tables::label;
    found.slots.push_back(slot);
    return true;
}

// Sectors of the usable range that no entry covers.
void write_free(const ByteSource& source, const Gpt& gpt, const GptCopy& copy, const Provenance& from,
                PartitionTable& t) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> used;
    for (const GptEntry& e : copy.entries)
        if (e.last >= e.first) used.emplace_back(e.first, e.last);
    std::sort(used.begin(), used.end());
    std::uint64_t next = copy.header.first_usable, free = 0, largest = 0;
    std::uint64_t end = copy.header.last_usable;  // inclusive
    // What the header promises beyond the device is not there to be used.
    if (const auto size = source.size_bytes(); size && *size >= gpt.sector_bytes)
        end = std::min(end, *size / gpt.sector_bytes - 1);
    const auto gap = [&](std::uint64_t from_sector, std::uint64_t to_sector) {
        if (to_sector <= from_sector) return;
        free += to_sector - from_sector;
        largest = std::max(largest, to_sector - from_sector);
    };
    for (const auto& [first, last] : used) {
        if (first > end) break;
        gap(next, first);
        if (last >= next) next = last >= end ? end + 1 : last + 1;
    }
    gap(next, end + 1);
    if (const auto bytes = multiply(free, gpt.sector_bytes)) t.free_bytes = Number(*bytes, from);
    if (const auto bytes = multiply(largest, gpt.sector_bytes)) t.largest_free_bytes = Number(*bytes, from);
}

void write_table(const ByteSource& source, const Gpt& gpt, const GptCopy& copy, std::uint64_t shown,
                 Found& found) {
    const GptHeader& h = copy.header;
    const Provenance from =
        at_byte(source, h.at,
                fmt::format("GPT header: usable sectors {} to {}, alternate header in sector {}",
                            h.first_usable, h.last_usable, h.alternate));
    PartitionTable& t = table(found.facts, source.name(), Scheme::gpt);
    t.scheme = Known<Scheme>(Scheme::gpt, from);
    const auto put = [&](Number& into, std::optional<std::uint64_t> sectors) {
        const auto bytes = sectors ? multiply(*sectors, gpt.sector_bytes) : std::nullopt;
        if (bytes) into = Number(*bytes, from);
    };
    put(t.first_usable_bytes, h.first_usable);
    put(t.last_usable_bytes, add(h.last_usable, 1));
    // The higher of the two headers stood in the last sector when the table was written.
    put(t.total_bytes, add(std::max(h.my_lba, h.alternate), 1));
    t.sector_bytes = Number(gpt.sector_bytes, from);
    if (gpt.primary.state == State::absent || gpt.primary.state == State::damaged)
        t.corrupt = Flag(true, from);
    if (h.last_usable < ~std::uint64_t{0}) write_free(source, gpt, copy, from, t);
    t.entries_shown = Number(shown, from);
}

void write_gpt(const ByteSource& source, const Gpt& gpt, const GptCopy& copy, Found& found) {
    note_damage(source, gpt, found);
    const Os speaker = table_speaker(source.name(), types_say(copy));
    std::uint64_t shown = 0;
    for (const GptEntry& e : copy.entries) shown += write_entry(source, gpt, e, speaker, found) ? 1 : 0;
    write_table(source, gpt, copy, shown, found);
}

}  // namespace

Result<bool> read_gpt_table(ByteSource& source, Found& found) {
    if (source.tables() != ByteSource::Tables::any) return false;
    const Gpt& gpt = gpt_of(source, found);
    const auto mbr = read_mbr(source);
    if (!mbr) return mbr.error();
    const bool protective = *mbr && (*mbr)->protective();
    const GptCopy* copy = gpt.used();
    if (*mbr && !protective) {
        // The MBR is in use and a table nobody reads was left (torvalds/linux:block/partitions/efi.c).
        if (copy)
            event(Event::Kind::stale_gpt, source, copy->header.at, "a GPT beside an MBR that is in use",
                  found);
        return false;
    }
    if (gpt.primary.state == State::too_large) {
        const std::string& why = gpt.primary.why;
        found.facts.unparsed.push_back(
            {source.name(), 0, 0, why.substr(std::min(why.find(": "), why.size() - 2) + 2)});
        return false;
    }
    if (!copy) {
        if (gpt.primary.state == State::damaged) return Error{ErrorKind::bad_data, gpt.primary.why};
        if (protective && gpt.primary.state == State::absent)
            return Error{ErrorKind::bad_data, fmt::format("{}@{:#x}: a protective MBR, and no GPT header",
                                                          source.name(), gpt.sector_bytes)};
        return false;
    }
    if (!*mbr && copy == &gpt.backup) return false;  // read_gpt_backup
    write_gpt(source, gpt, *copy, found);
    return true;
}

Result<bool> read_gpt_backup(ByteSource& source, Found& found) {
    if (source.tables() != ByteSource::Tables::any || !source.size_bytes()) return false;
    const auto mbr = read_mbr(source);
    if (!mbr) return mbr.error();
    if (*mbr) return false;
    const Gpt& gpt = gpt_of(source, found);
    if (!gpt.used() || gpt.used() != &gpt.backup) return false;
    write_gpt(source, gpt, gpt.backup, found);
    return true;
}

}  // namespace diskwright
