// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/geom.hpp"

#include <algorithm>
#include <array>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/md5.hpp"
#include "probes/support/text.hpp"

namespace diskwright::geom {
namespace {

constexpr std::size_t structure_bytes = 512;
constexpr std::size_t version_at = 16;

// The sector of an image is not always known: 512 bytes are assumed of it, its disk may have had 4096.
std::array<std::uint64_t, 3> sectors(const ByteSource& source) {
    return {source.sector_bytes(), 512, 4096};
}

// Whether a partition reaches over that place. One that ends behind its device is of a set, of which the
// device is a component.
bool lies_in_a_slot(ByteSource& source, std::uint64_t place) {
    Found tables;
    for (const auto reader : {read_gpt_table, read_mbr_table, read_disklabel, read_disklabel64})
        (void)reader(source, tables);
    return std::any_of(tables.slots.begin(), tables.slots.end(), [&](const Slot& slot) {
        const auto end = slot.size_bytes ? add(slot.start_bytes, *slot.size_bytes) : source.size_bytes();
        return end && *end <= source.size_bytes().value_or(0) && place >= slot.start_bytes && place < *end;
    });
}

// Of a disk and a partition of it, as FreeBSD names them: ada0 and ada0s1a.
bool is_part_of(std::string_view part, std::string_view whole) {
    return part.size() > whole.size() && part.starts_with(whole) &&
           std::string_view("psabcdefgh").find(part[whole.size()]) != std::string_view::npos;
}

}  // namespace

Result<std::optional<Metadata>> metadata(ByteSource& source, std::string_view magic, std::uint64_t newest) {
    const auto size = source.size_bytes();
    // Slots of other systems are not looked at: what is read of a disk is limited.
    if (!size || source.os().value_or(Os::freebsd) != Os::freebsd) return std::optional<Metadata>();
    std::uint64_t last_place = *size;
    for (const std::uint64_t sector : sectors(source)) {
        if (sector < structure_bytes || *size / sector < 2) continue;
        const std::uint64_t end = *size / sector * sector, place = end - sector;
        if (place == last_place) continue;
        last_place = place;
        const auto found = read_structure(source, place, structure_bytes);
        if (!found) return found.error();
        if (!*found || !(**found).has(0, magic) || (**found).u8(magic.size()) != 0) continue;
        Metadata md{**found, magic, (**found).u32(version_at), sector, end};
        if (md.version > newest)
            return unusable(md, version_at,
                            fmt::format("version {}; the newest that is known is {}", md.version, newest));
        return std::optional(md);
    }
    return std::optional<Metadata>();
}

std::string hash_fault(const Metadata& md, std::size_t at) {
    const auto right = md5(md.in.bytes().first(at));
    if (std::equal(right.begin(), right.end(), md.in.bytes().begin() + static_cast<std::ptrdiff_t>(at)))
        return {};
    return "the MD5 hash does not match";
}

std::string complaint(const Metadata& md, std::size_t offset, std::string_view what) {
    return fmt::format("{}: {}: {}", md.in.place(offset), md.magic, what);
}

Error unusable(const Metadata& md, std::size_t offset, std::string_view what) {
    return {ErrorKind::bad_data, complaint(md, offset, what)};
}

Owner owner_of(const Metadata& md, std::size_t provider_at, std::size_t size_at) {
    Owner owner{{}, md.in.text(provider_at, 16)};
    if (size_at != 0 && md.in.u64(size_at) != 0) owner.size = md.in.u64(size_at);
    return owner;
}

bool owns(ByteSource& source, const Metadata& md, const Owner& owner, std::string_view name, Found& found) {
    if (owner.size && *owner.size == md.provider_bytes) return true;
    if (!owner.size)
        return owner.provider.empty() ||
               (!is_part_of(owner.provider, source.name()) && !is_part_of(source.name(), owner.provider));
    if (source.tables() == ByteSource::Tables::any && !lies_in_a_slot(source, md.in.at())) {
        std::string detail = fmt::format("{} metadata of {} for a provider of {} bytes, where {} are",
                                         md.magic, name, *owner.size, md.provider_bytes);
        const Provenance from = md.in.from(0, detail);
        found.facts.events.push_back(
            {source.name(), Event::Kind::stale_raid_metadata, std::move(detail), from});
    }
    return false;
}

Member member(const ByteSource& source, const Metadata& md, VolumeKind kind, RaidLevel level,
              std::string name, std::uint64_t id, std::size_t id_at) {
    Member m;
    m.identity = fmt::format("{}:{}:{}", to_string(kind), name, id);
    m.from = md.in.from(0, fmt::format("{} version {}, {}, id {}", md.magic, md.version, name, id));
    m.device = source.name();
    m.metadata_at = md.in.at();
    m.set.name = std::move(name);
    m.set.kind = Known<VolumeKind>(kind, md.in.from(0, fmt::format("magic {}", md.magic)));
    m.set.level = Known<RaidLevel>(level, md.in.from(id_at, fmt::format("id {}", id)));
    return m;
}

void refuse(const Metadata& md, std::size_t offset, std::string_view why, Volume& set) {
    if (set.state) return;
    set.state = Known<VolumeState>(
        VolumeState::failed,
        md.in.from(offset, fmt::format("{}: {}, so that no device of it appears", md.magic, why)));
}

void describe_synchronisation(const Metadata& md, std::size_t dflags_at, std::size_t sync_offset_at,
                              std::uint64_t whole, Volume& set) {
    const std::uint64_t flags = md.in.u64(dflags_at), done = md.in.u64(sync_offset_at);
    set.parity_clean =
        Flag((flags & flag::dirty) == 0, md.in.from(dflags_at, fmt::format("md_dflags {:#x}", flags)));
    if ((flags & flag::synchronizing) == 0) return;
    set.activity = md.in.known(Activity::rebuild, dflags_at, "md_dflags");
    if (whole > 0 && done <= whole)
        set.activity_percent = Real(100.0 * static_cast<double>(done) / static_cast<double>(whole),
                                    md.in.from(sync_offset_at, fmt::format("md_sync_offset {}", done)));
}

void count_events(const Metadata& md, std::uint64_t genid, std::uint64_t syncid, Member& m) {
    m.events = genid << 32 | syncid;
    m.from = md.in.from(0, fmt::format("{}, genid {}, syncid {}", m.from.text(), genid, syncid));
}

}  // namespace diskwright::geom
