// SPDX-License-Identifier: BSD-2-Clause
// LUKS1: header of 592 bytes at 0, big-endian, no checksum. LUKS2: binary header of 4096 bytes at 0 with a
// JSON area behind it, both under one SHA-256, and a second copy of all at hdr_size.
// Layout: cryptsetup, docs/on-disk-format.pdf (LUKS1) and docs/on-disk-format-luks2.pdf sections 2 and 3;
// mbroz/cryptsetup:lib/luks2/luks2.h (struct luks2_hdr_disk), lib/luks2/luks2_disk_metadata.c.
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/sha256.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::string_view first_magic = "LUKS\xba\xbe", second_magic = "SKUL\xba\xbe";
constexpr std::uint64_t binary_bytes = 4096, largest_header = 128 * KiB;
constexpr std::array<std::uint64_t, 4> usual_sizes{16 * KiB, 32 * KiB, 64 * KiB, 128 * KiB};

namespace field {
constexpr std::size_t version = 6, hdr_size = 8, csum_alg = 72, hdr_offset = 256, csum = 448;
constexpr std::size_t csum_bytes = 64;
}  // namespace field

Volume& crypto(const ByteSource& source, const Structure& header, std::string format, Found& found) {
    Volume& v = volume(found.facts, "luks-" + source.name());
    v.kind = Known<VolumeKind>(VolumeKind::crypto, header.from(0, "LUKS header"));
    v.crypto_format = header.known(std::move(format), field::version, "format");
    component(v, source.name());
    suggest_os(source, found, Os::linux_, header.from(0, "LUKS header"));
    return v;
}

enum class Checksum { right, wrong, unknown };

Checksum checksum_of(const Structure& header) {
    if (header.text(field::csum_alg, 32) != "sha256") return Checksum::unknown;
    std::vector<std::byte> bytes(header.bytes().begin(), header.bytes().end());
    std::fill_n(bytes.begin() + field::csum, field::csum_bytes, std::byte{0});
    const auto digest = sha256(bytes);
    std::array<std::byte, field::csum_bytes> whole{};  // a shorter digest is followed by zeros
    std::copy(digest.begin(), digest.end(), whole.begin());
    const auto stored = header.bytes().subspan(field::csum, whole.size());
    return std::equal(whole.begin(), whole.end(), stored.begin()) ? Checksum::right : Checksum::wrong;
}

// Binary header and JSON area at that place, when it is a header of LUKS2 of a size worth reading.
Result<std::optional<Structure>> header_at(ByteSource& source, std::uint64_t at, std::string_view magic) {
    const auto start = read_structure(source, at, binary_bytes, ByteOrder::big);
    if (!start || !*start) return start;
    const auto size = (*start)->u64(field::hdr_size);
    if (!(*start)->has(0, magic) || (*start)->u16(field::version) != 2 ||
        (*start)->u64(field::hdr_offset) != at || size % 4096 != 0 || size <= binary_bytes ||
        size > largest_header)
        return std::optional<Structure>();
    return read_structure(source, at, static_cast<std::size_t>(size), ByteOrder::big);
}

// The sector size of the first data segment. Its start is no partition's, so that nothing is said of it.
std::optional<std::uint64_t> sector_size(const Structure& header) {
    const auto text = header.text(binary_bytes, header.bytes().size() - binary_bytes);
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("segments") || !json["segments"].is_object()) return std::nullopt;
    for (const auto& segment : json["segments"]) {
        if (!segment.is_object() || !segment.contains("sector_size")) continue;
        const auto& value = segment["sector_size"];
        if (value.is_number_unsigned() && power_of_two(value.get<std::uint64_t>()) &&
            value.get<std::uint64_t>() >= 512 && value.get<std::uint64_t>() <= 4096)
            return value.get<std::uint64_t>();
    }
    return std::nullopt;
}

struct Copies {
    std::optional<Structure> first, second;
    Checksum first_sum = Checksum::unknown, second_sum = Checksum::unknown;
};

Result<Copies> read_copies(ByteSource& source) {
    Copies out;
    const auto first = header_at(source, 0, first_magic);
    if (!first) return first.error();
    out.first = *first;
    if (out.first) out.first_sum = checksum_of(*out.first);
    // A second copy lies where the first one ends, or at a usual size when that is not known.
    std::vector<std::uint64_t> places(usual_sizes.begin(), usual_sizes.end());
    if (out.first) places.insert(places.begin(), out.first->u64(field::hdr_size));
    for (const std::uint64_t place : places) {
        const auto second = header_at(source, place, second_magic);
        if (!second) return second.error();
        if (!*second) continue;
        out.second = *second;
        out.second_sum = checksum_of(**second);
        break;
    }
    // Both copies name the same algorithm, so that one unknown beside a right one is a damaged name.
    if (out.second_sum == Checksum::right && out.first_sum == Checksum::unknown)
        out.first_sum = Checksum::wrong;
    if (out.first_sum == Checksum::right && out.second_sum == Checksum::unknown)
        out.second_sum = Checksum::wrong;
    return out;
}

Result<bool> read_luks2(ByteSource& source, bool marked, Found& found) {
    const auto copies = read_copies(source);
    if (!copies) return copies.error();
    const auto whole = [](const std::optional<Structure>& copy, Checksum sum) {
        return copy && sum != Checksum::wrong;
    };
    const bool first = whole(copies->first, copies->first_sum),
               second = whole(copies->second, copies->second_sum);
    if (!marked && !(second && copies->second_sum == Checksum::right)) return false;
    if (!first)
        found.damage.push_back(fmt::format("{}@0x0: luks: the first header is damaged", source.name()));
    if (copies->first && !second)
        found.damage.push_back(fmt::format("{}@{:#x}: luks: the second header is damaged or not there",
                                           source.name(), copies->first->u64(field::hdr_size)));
    const auto& used = first ? copies->first : second ? copies->second : copies->first;
    if (!used) return Error{ErrorKind::bad_data, source.name() + "@0x0: luks: neither header can be used"};
    Volume& v = crypto(source, *used, "LUKS2", found);
    if (const auto sector = sector_size(*used))
        v.crypto_sector_bytes = used->known(*sector, binary_bytes, "sector_size");
    return true;
}

}  // namespace

Result<bool> read_luks(ByteSource& source, Found& found) {
    const auto start = read_structure(source, 0, 592, ByteOrder::big);
    if (!start) return start.error();
    if (!*start) return false;
    const bool marked = (*start)->has(0, first_magic);
    if (marked && (*start)->u16(field::version) == 1) {
        Volume& v = crypto(source, **start, "LUKS1", found);
        v.crypto_sector_bytes = (*start)->known(std::uint64_t{512}, field::version, "sector of LUKS1");
        return true;
    }
    if (!marked && !copies_wanted(found)) return false;
    return read_luks2(source, marked, found);
}

}  // namespace diskwright
