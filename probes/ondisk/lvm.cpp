// SPDX-License-Identifier: BSD-2-Clause
// LVM2 physical volume: a label of 512 bytes in one of the first four sectors, behind it the list of data and
// metadata areas; a metadata area has a header of 512 bytes and the group's description as text in a ring.
// Layout: lvmteam/lvm2:lib/label/label.h (struct label_header), lib/format_text/layout.h (struct pv_header,
// mda_header, raw_locn); checksums: lib/misc/crc.c (CRC-32 from 0xf597a6cf, not inverted).
#include <algorithm>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint32_t crc_start = 0xf597a6cf;
constexpr std::size_t sector_bytes = 512;
constexpr std::uint64_t most_text_bytes = 4 * KiB;
constexpr std::string_view area_magic = " LVM2 x[5A%r0N*>";

namespace field {
constexpr std::size_t sector = 8, crc = 16, offset = 20, type = 24;  // label
constexpr std::size_t after_uuid = 40;                               // of the physical volume: its areas
constexpr std::size_t area_magic = 4, area_start = 24, text_offset = 40, text_size = 48;
}  // namespace field

std::optional<Structure> label_of(const Structure& sectors, const ByteSource& source, std::size_t number) {
    const Structure label(source, sectors.at() + number * sector_bytes,
                          sectors.bytes().subspan(number * sector_bytes, sector_bytes));
    if (label.has(0, "LABELONE") && label.has(field::type, "LVM2 001")) return label;
    return std::nullopt;
}

// Where extents begin, pe_start: the start of the first data area.
Number first_data_area(const Structure& label) {
    if (label.u32(field::offset) > sector_bytes) return {};
    const auto at = static_cast<std::size_t>(label.u32(field::offset)) + field::after_uuid;
    if (at + 8 > sector_bytes || label.u64(at) == 0) return {};
    return label.known(label.u64(at), at, "start of the first data area");
}

// The list of data areas ends with a zero one; the first metadata area follows.
std::optional<std::uint64_t> metadata_area(const Structure& label) {
    if (label.u32(field::offset) > sector_bytes) return std::nullopt;
    auto at = static_cast<std::size_t>(label.u32(field::offset)) + field::after_uuid;
    while (at + 32 <= sector_bytes && label.u64(at) != 0) at += 16;
    if (at + 32 > sector_bytes || label.u64(at + 16) == 0) return std::nullopt;
    return label.u64(at + 16);
}

// "vg0 {" at the start of the text.
Result<std::optional<Structure>> group_text(ByteSource& source, std::uint64_t area) {
    const auto header = read_structure(source, area, sector_bytes);
    if (!header || !*header) return header;
    if (!(*header)->has(field::area_magic, area_magic)) return std::optional<Structure>();
    const auto size = std::min((*header)->u64(field::text_size), most_text_bytes);
    const auto place = add((*header)->u64(field::area_start), (*header)->u64(field::text_offset));
    if (!place || size == 0) return std::optional<Structure>();
    return read_structure(source, *place, static_cast<std::size_t>(size));
}

bool is_group_name(std::string_view name) {
    return !name.empty() && name.size() <= 127 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("+_.-").find(c) != std::string_view::npos;
    });
}

}  // namespace

Result<bool> read_lvm(ByteSource& source, Found& found) {
    const auto sectors = read_structure(source, 0, 4 * sector_bytes);
    if (!sectors) return sectors.error();
    if (!*sectors) return false;
    std::optional<Structure> label;
    for (std::size_t number = 0; number < 4 && !label; ++number) label = label_of(**sectors, source, number);
    if (!label) return false;
    const bool right =
        crc32_update(crc_start, label->bytes().subspan(field::offset)) == label->u32(field::crc);
    if (!right)
        found.damage.push_back(label->place(field::crc) + ": lvm: the label's checksum is wrong");
    else if (label->u64(field::sector) * sector_bytes != label->at())
        found.damage.push_back(label->place(field::sector) + ": lvm: the label is of another sector");

    // A volume without a group yet is named by its device.
    std::string name = source.name();
    Provenance from = label->from(0, "physical volume of LVM2");
    if (const auto area = metadata_area(*label)) {
        const auto text = group_text(source, *area);
        if (!text) return text.error();
        const std::string opening = *text ? (*text)->text(0, (*text)->bytes().size()) : std::string{};
        const auto group = trim(std::string_view(opening).substr(0, opening.find('{')));
        if (is_group_name(group))
            name = group, from = (*text)->from(0, fmt::format("volume group {}", group));
    }
    Volume& v = volume(found.facts, name);
    v.kind = Known<VolumeKind>(VolumeKind::lvm, from);
    Component& c = component(v, source.name());
    if (right) c.data_offset_bytes = first_data_area(*label);
    vote_for_os(source, found, Os::linux_, from);
    return true;
}

}  // namespace diskwright
