// SPDX-License-Identifier: BSD-2-Clause
// SNIA DDF 1.2 and 2.0: an anchor in the last sector names the two headers, a header the sections with the
// names and the configurations of the virtual disks. Big-endian; Adaptec wrote it little-endian. Layout:
// freebsd/freebsd-src:sys/geom/raid/md_ddf.h; checksums and levels: md_ddf.c.
#include <algorithm>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/firmware_raid.hpp"
#include "probes/support/text.hpp"

namespace diskwright::firmware {
namespace {

constexpr std::uint64_t sector = 512;
constexpr std::size_t header_bytes = 512, guid_bytes = 24;
constexpr std::size_t most_section_bytes = 64 * 1024;
constexpr std::uint64_t header_signature = 0xde11de11, virtual_disks_signature = 0xdddddddd,
                        configuration_signature = 0xeeeeeeee, drive_signature = 0x33333333;

namespace header {
constexpr std::size_t crc = 4, guid = 8, revision = 32, primary = 96, secondary = 104, record_sectors = 134,
                      most_elements = 136, virtual_disks = 208, configurations = 216, drive = 224;
}
namespace config {
constexpr std::size_t guid = 8, sequence = 36, elements = 64, stripe = 66, level = 67, secondary_count = 69,
                      secondary_place = 70, secondary_level = 71, block_count = 72, vd_size = 80, disks = 512;
}
namespace entry {  // of a virtual disk
constexpr std::size_t first = 64, bytes = 64, guid = 0, state = 32, name = 48;
}

struct Section {
    std::uint64_t at;
    std::size_t bytes;
};

std::string complaint(const Structure& in, std::string_view what) {
    return fmt::format("{}: DDF: {}", in.place(0), what);
}

std::string guid_text(const Structure& in, std::size_t at) {
    std::string out;
    for (std::size_t i = 0; i < guid_bytes; ++i)
        out += fmt::format("{}{:02x}", i > 0 && i % 4 == 0 ? ":" : "", in.u8(at + i));
    return out;
}

// CRC-32 of the structure with ones in the field itself. FreeBSD begins and ends with all ones as usual
// (sys/libkern/crc32.c), md-raid-utilities/mdadm:super-ddf.c (calc_crc) with 0 and nothing.
bool crc_right(const Structure& in) {
    std::vector<std::byte> copy(in.bytes().begin(), in.bytes().end());
    std::fill_n(copy.begin() + header::crc, 4, std::byte{0xff});
    const std::uint64_t recorded = in.u32(header::crc);
    return crc32(copy) == recorded || crc32_update(0, copy) == recorded;
}

std::optional<ByteOrder> order_of(const Structure& in) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
        if (in.in_order(order).u32(0) == header_signature) return order;
    return std::nullopt;
}

std::optional<Section> section(const Structure& head, std::size_t field) {
    const std::uint64_t first = head.u32(field), count = head.u32(field + 4);
    if (first == 0xffffffff || count == 0 || count == 0xffffffff) return std::nullopt;
    const auto at = add(head.at(), first * sector);
    if (!at) return std::nullopt;
    return Section{*at,
                   static_cast<std::size_t>(std::min<std::uint64_t>(count * sector, most_section_bytes))};
}

std::optional<Structure> read_section(ByteSource& source, const Structure& head, std::size_t field) {
    const auto s = section(head, field);
    if (!s) return std::nullopt;
    const auto in = read_structure(source, s->at, s->bytes, head.order());
    return in ? *in : std::nullopt;
}

// The primary header, else the secondary one.
Result<std::optional<Structure>> used_header(ByteSource& source, const Structure& anchor, Found& found) {
    for (const std::size_t which : {header::primary, header::secondary}) {
        const std::uint64_t lba = anchor.u64(which);
        const auto at = multiply(lba, sector);
        if (lba == 0 || lba == ~std::uint64_t{0} || !at) continue;
        const auto head = read_structure(source, *at, header_bytes, anchor.order());
        if (!head) return head.error();
        if (!*head) continue;
        const bool signature = (**head).u32(0) == header_signature;
        if (signature && crc_right(**head)) return *head;
        found.damage.push_back(complaint(**head, signature ? "the checksum of a header does not match"
                                                           : "no header where the anchor puts one"));
    }
    return std::optional<Structure>();
}

std::optional<RaidLevel> level_of(const Structure& record) {
    const bool spanned = record.u8(config::secondary_count) > 1;
    const std::uint64_t primary = record.u8(config::level);
    // Secondary level 0: the primary elements are striped.
    if (spanned)
        return primary == 1 && record.u8(config::secondary_level) == 0 ? std::optional(RaidLevel::raid10)
                                                                       : std::nullopt;
    switch (primary) {
        case 0x00:
            return RaidLevel::raid0;
        case 0x01:
            return RaidLevel::raid1;
        case 0x03:
            return RaidLevel::raid3;
        case 0x04:
            return RaidLevel::raid4;
        case 0x05:
            return RaidLevel::raid5;
        case 0x06:
            return RaidLevel::raid6;
        case 0x1f:
            return RaidLevel::concat;
        default:
            return std::nullopt;
    }
}

// The entry of a virtual disk, by its GUID.
std::optional<std::size_t> entry_of(const Structure& disks, std::span<const std::byte> guid) {
    for (std::size_t at = entry::first; at + entry::bytes <= disks.bytes().size(); at += entry::bytes) {
        const auto own = disks.bytes().subspan(at + entry::guid, guid_bytes);
        if (std::equal(own.begin(), own.end(), guid.begin(), guid.end())) return at;
    }
    return std::nullopt;
}

void describe_entry(const Structure& disks, std::size_t at, Volume& v) {
    v.name = std::string(trim(disks.text(at + entry::name, 16)));
    const std::uint64_t state = disks.u8(at + entry::state);
    constexpr std::array states{VolumeState::optimal, VolumeState::degraded};
    const Provenance from = disks.from(at + entry::state, fmt::format("VD_State {:#x}", state));
    if ((state & 7) < states.size())
        v.state = Known<VolumeState>(states[static_cast<std::size_t>(state & 7)], from);
    if ((state & 7) == 4) v.state = Known<VolumeState>(VolumeState::failed, from);
    v.parity_clean = Flag((state & 0x10) == 0, from);
}

struct Sections {
    std::optional<Structure> virtual_disks, configurations, drive;
};

// How many of these there are, striped or joined; each has a record of its own under the same GUID.
std::uint64_t spans(const Structure& record) {
    return std::max<std::uint64_t>(1, record.u8(config::secondary_count));
}

// Where this drive stands in the configuration and where its part begins. The drives of the second span come
// behind those of the first.
void find_place(const Structure& head, const Structure& record, const Sections& s, Member& m) {
    const std::uint64_t count = record.u16(config::elements), room = head.u16(header::most_elements);
    if (!s.drive || s.drive->u32(0) != drive_signature) return;
    const std::uint64_t own = s.drive->u32(32);
    for (std::uint64_t i = 0; i < std::min(count, room); ++i) {
        if (record.u32(config::disks + 4 * static_cast<std::size_t>(i)) != own) continue;
        m.column = record.u8(config::secondary_place) * count + i;
        const std::uint64_t lba = record.u64(config::disks + static_cast<std::size_t>(4 * room + 8 * i));
        if (const auto bytes = multiply(lba, sector)) m.data_offset_bytes = *bytes;
        return;
    }
}

Member member_of(const ByteSource& source, std::uint64_t anchor_at, const Structure& head,
                 const Structure& record, const Sections& s) {
    const std::string guid = guid_text(record, config::guid);
    const Provenance from = record.from(0, "DDF virtual disk " + guid);
    Member m = member(source, "DDF", anchor_at, from);
    m.identity = "DDF:" + guid;
    m.events = record.u32(config::sequence);
    Volume& v = m.set;
    v.uuid = record.known(guid, config::guid, "VD_GUID");
    if (const auto level = level_of(record))
        v.level = Known<RaidLevel>(*level, record.from(config::level, "level"));
    v.columns =
        Number(record.u16(config::elements) * spans(record), record.from(config::elements, "elements"));
    const std::uint64_t shift = record.u8(config::stripe);
    if (v.level && !v.level.is(RaidLevel::raid1) && !v.level.is(RaidLevel::concat) && shift <= 20)
        v.stripe_unit_bytes = record.known(sector << shift, config::stripe, "Stripe_Size");
    if (const auto bytes = multiply(record.u64(config::vd_size), sector))
        v.size_bytes = record.known(*bytes, config::vd_size, "VD_Size");
    if (const auto bytes = multiply(record.u64(config::block_count), sector)) m.data_bytes = *bytes;
    if (s.virtual_disks && s.virtual_disks->u32(0) == virtual_disks_signature)
        if (const auto at = entry_of(*s.virtual_disks, record.bytes().subspan(config::guid, guid_bytes)))
            describe_entry(*s.virtual_disks, *at, v);
    find_place(head, record, s, m);
    return m;
}

// A drive may have the records of the other spans as well: its own counts.
void take(Member&& member, std::vector<Member>& members) {
    const auto same = std::find_if(members.begin(), members.end(),
                                   [&](const Member& m) { return m.identity == member.identity; });
    if (same == members.end())
        members.push_back(std::move(member));
    else if (!same->column)
        *same = std::move(member);
}

void read_configurations(const ByteSource& source, std::uint64_t anchor_at, const Structure& head,
                         const Sections& s, Found& found, std::vector<Member>& members) {
    const auto length = static_cast<std::size_t>(head.u16(header::record_sectors)) * sector;
    if (!s.configurations || length < config::disks) return;
    const auto bytes = s.configurations->bytes();
    for (std::size_t at = 0; at + length <= bytes.size(); at += length) {
        const Structure record(source, s.configurations->at() + at, bytes.subspan(at, length), head.order());
        if (record.u32(0) != configuration_signature) continue;
        if (crc_right(record))
            take(member_of(source, anchor_at, head, record, s), members);
        else
            found.damage.push_back(complaint(record, "the checksum of a configuration does not match"));
    }
}

}  // namespace

Result<bool> read_ddf(ByteSource& source, Found& found) {
    for (const Place& last : before_end(source, 1)) {
        const auto bytes = read_structure(source, last.at, header_bytes);
        if (!bytes) return bytes.error();
        const auto order = *bytes ? order_of(**bytes) : std::nullopt;
        if (!order) continue;
        const Structure anchor = (**bytes).in_order(*order);
        if (!crc_right(anchor))
            return Error{ErrorKind::bad_data, complaint(anchor, "the checksum of the anchor does not match")};
        const auto used = used_header(source, anchor, found);
        if (!used) return used.error();
        const Structure& head = *used ? **used : anchor;
        std::vector<Member> members;
        if (*used) {
            const Sections s{read_section(source, head, header::virtual_disks),
                             read_section(source, head, header::configurations),
                             read_section(source, head, header::drive)};
            read_configurations(source, anchor.at(), head, s, found, members);
        }
        const std::string guid = guid_text(anchor, header::guid);
        if (members.empty())
            members.push_back(member(
                source, "DDF", anchor.at(),
                anchor.from(0, fmt::format("DDF {}, header {}", anchor.text(header::revision, 8), guid))));
        for (Member& m : members) found.members.push_back(std::move(m));
        return true;
    }
    return false;
}

}  // namespace diskwright::firmware
