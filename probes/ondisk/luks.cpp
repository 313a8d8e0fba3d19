// SPDX-License-Identifier: BSD-2-Clause
// LUKS1: header of 592 bytes at 0, big-endian, no checksum. LUKS2: binary header of 4096 bytes at 0 with a
// JSON area behind it, both under one SHA-256, and a second copy of all at hdr_size.
// Layout: cryptsetup, docs/on-disk-format.pdf (LUKS1) and docs/on-disk-format-luks2.pdf sections 2 and 3;
// mbroz/cryptsetup:lib/luks2/luks2.h (struct luks2_hdr_disk), lib/luks2/luks2_disk_metadata.c.
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/sha256.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// hdr_disk_sanity_check_pre takes any size from the first to the last of luks2_header_sizes. The area behind
// the binary header is read of the usual ones only, up to what cryptsetup gives for 32 key slots of its own.
constexpr std::uint64_t binary_bytes = 4096, most_read = 128 * KiB;
constexpr std::size_t luks1_bytes = 592;

namespace field {
constexpr std::size_t version = 6, payload = 104;  // LUKS1, in sectors of 512 bytes
constexpr std::size_t hdr_size = 8, csum_alg = 72, hdr_offset = 256, csum = 448;
constexpr std::size_t csum_bytes = 64;
}  // namespace field

Volume& crypto(const ByteSource& source, const Structure& header, std::string format, Found& found) {
    Volume& v = volume(found.facts, "luks-" + source.name());
    v.kind = Known<VolumeKind>(VolumeKind::crypto, header.from(0, "LUKS header"));
    v.crypto_format = header.known(std::move(format), field::version, "format");
    component(v, source.name());
    vote_for_os(source, found, Os::linux_, header.from(0, "LUKS header"));
    return v;
}

enum class Checksum { right, wrong, unknown };

/// A header of LUKS2: the binary part, and the JSON area where it was read.
struct Header {
    Structure raw;
    Checksum sum = Checksum::unknown;
    std::uint64_t size() const { return raw.u64(field::hdr_size); }
};

Checksum checksum_of(const Structure& header) {
    if (header.text(field::csum_alg, 32) != "sha256") return Checksum::unknown;
    std::vector<std::byte> bytes(header.bytes().begin(), header.bytes().end());
    std::fill_n(bytes.begin() + field::csum, field::csum_bytes, std::byte{0});
    const auto digest = sha256(bytes);
    std::array<std::byte, field::csum_bytes> whole{};  // a shorter digest is followed by zeros
    std::copy(digest.begin(), digest.end(), whole.begin());
    const auto stored = header.part(field::csum, whole.size());
    return std::equal(whole.begin(), whole.end(), stored.begin()) ? Checksum::right : Checksum::wrong;
}

// Nothing where there is no header of LUKS2. The checksum of one that is not read whole stays unknown: it is
// larger than is read of it, or the image ends inside.
Result<std::optional<Header>> header_at(ByteSource& source, std::uint64_t at, std::string_view magic) {
    const auto start = read_structure(source, at, binary_bytes, ByteOrder::big);
    if (!start) return start.error();
    if (!*start) return std::optional<Header>();
    const Header header{**start};
    if (!header.raw.has(0, magic) || header.raw.u16(field::version) != 2 ||
        header.raw.u64(field::hdr_offset) != at || header.size() < luks2_header_sizes.front() ||
        header.size() > luks2_header_sizes.back() || (at != 0 && header.size() != at))
        return std::optional<Header>();
    if (header.size() > most_read) return std::optional(header);
    const auto whole = read_structure(source, at, static_cast<std::size_t>(header.size()), ByteOrder::big);
    if (!whole) return whole.error();
    return std::optional(*whole ? Header{**whole, checksum_of(**whole)} : header);
}

struct Segment {
    std::optional<std::uint64_t> sector_bytes, start_bytes;
};

// The first data segment; sizes stand in the text as strings, since they may exceed what JSON keeps exactly.
Segment first_segment(const Structure& header) {
    if (header.bytes().size() <= binary_bytes) return {};
    const auto text = header.text(binary_bytes, header.bytes().size() - binary_bytes);
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("segments") || !json["segments"].is_object()) return {};
    for (const auto& segment : json["segments"]) {
        if (!segment.is_object() || !segment.contains("sector_size")) continue;
        Segment out;
        const auto& value = segment["sector_size"];
        if (!value.is_number_unsigned() || !power_of_two(value.get<std::uint64_t>()) ||
            value.get<std::uint64_t>() < 512 || value.get<std::uint64_t>() > 4096)
            continue;
        out.sector_bytes = value.get<std::uint64_t>();
        if (const auto start = segment.find("offset"); start != segment.end() && start->is_string())
            out.start_bytes = to_unsigned(start->get<std::string>());
        return out;
    }
    return {};
}

// Data that would begin inside the header lie on another device: the header is detached.
void describe_data(const ByteSource& source, const Structure& header, std::optional<std::uint64_t> start,
                   std::uint64_t header_end, std::size_t at, std::string_view field, Volume& v) {
    if (start && *start >= header_end)
        component(v, source.name()).data_offset_bytes = header.known(*start, at, field);
}

struct Copies {
    std::optional<Header> first, second;
};

Result<Copies> read_copies(ByteSource& source) {
    Copies out;
    const auto first = header_at(source, 0, luks_magic);
    if (!first) return first.error();
    out.first = *first;
    // A second copy lies where the first one ends, or at one of the sizes when that is not known.
    std::vector<std::uint64_t> places(luks2_header_sizes.begin(), luks2_header_sizes.end());
    if (out.first) places.insert(places.begin(), out.first->size());
    for (const std::uint64_t place : places) {
        const auto second = header_at(source, place, luks2_second_magic);
        if (!second) return second.error();
        if (!*second) continue;
        out.second = *second;
        break;
    }
    // Both copies name the same algorithm and size, so that one unknown beside a right one is a damaged name.
    if (out.first && out.second) {
        if (out.second->sum == Checksum::right && out.first->sum == Checksum::unknown)
            out.first->sum = Checksum::wrong;
        if (out.first->sum == Checksum::right && out.second->sum == Checksum::unknown &&
            out.second->raw.bytes().size() > binary_bytes)
            out.second->sum = Checksum::wrong;
    }
    return out;
}

Result<bool> read_luks2(ByteSource& source, bool marked, Found& found) {
    const auto copies = read_copies(source);
    if (!copies) return copies.error();
    const auto whole = [](const std::optional<Header>& copy) { return copy && copy->sum != Checksum::wrong; };
    const bool first = whole(copies->first), second = whole(copies->second);
    if (!marked && !(second && copies->second->sum == Checksum::right)) return false;
    if (!first)
        found.damage.push_back(fmt::format("{}@0x0: luks: the first header is damaged", source.name()));
    if (copies->first && !second) {
        // An image may end before it, and a capture have nothing of the place.
        const auto place = read_structure(source, copies->first->size(), binary_bytes);
        if (!place) return place.error();
        if (*place)
            found.damage.push_back((*place)->place(0) + ": luks: the second header is damaged or not there");
    }
    const auto& used = first ? copies->first : second ? copies->second : copies->first;
    if (!used) return Error{ErrorKind::bad_data, source.name() + "@0x0: luks: neither header can be used"};
    Volume& v = crypto(source, used->raw, "LUKS2", found);
    const Segment segment = first_segment(used->raw);
    if (segment.sector_bytes)
        v.crypto_sector_bytes = used->raw.known(*segment.sector_bytes, binary_bytes, "sector_size");
    describe_data(source, used->raw, segment.start_bytes, 2 * used->size(), binary_bytes, "offset", v);
    return true;
}

}  // namespace

Result<bool> read_luks(ByteSource& source, Found& found) {
    const auto start = read_structure(source, 0, luks1_bytes, ByteOrder::big);
    if (!start) return start.error();
    if (!*start) return false;
    const bool marked = (*start)->has(0, luks_magic);
    if (marked && (*start)->u16(field::version) == 1) {
        Volume& v = crypto(source, **start, "LUKS1", found);
        v.crypto_sector_bytes = (*start)->known(std::uint64_t{512}, field::version, "sector of LUKS1");
        describe_data(source, **start, (*start)->u32(field::payload) * 512, luks1_bytes, field::payload,
                      "payload_offset in bytes", v);
        return true;
    }
    if (!marked && !copies_wanted(found)) return false;
    return read_luks2(source, marked, found);
}

}  // namespace diskwright
