// SPDX-License-Identifier: BSD-2-Clause
// The sum over the invariant part is what the kernel checks. Those of the chunk records nobody does:
// sr_meta_init takes them over the first 16 bytes, sr_rebuild_init over all 72, and a disk that comes back
// under another name is renamed without a new sum (sr_roam_chunks).
//
// Sources: openbsd/src:sys/dev/softraidvar.h, biovar.h (states), softraid.c (sr_meta_validate, sr_meta_init,
// sr_meta_read, sr_meta_opt_load, sr_meta_save, sr_hotspare), softraid_crypto.c (sr_crypto_create_key_disk).
#include "probes/ondisk/softraid_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/md5.hpp"
#include "probes/support/text.hpp"

namespace diskwright::softraid {
namespace {

constexpr std::size_t invariant_size = 96, sum_size = 16;
constexpr std::size_t record_invariant = 72, record_summed_at_creation = 16;
constexpr std::size_t optional_header = 24, optional_sum_at = 8, old_optional_size = 2480;
constexpr std::uint64_t most_chunks = (area - header_size) / record_size;
constexpr std::uint64_t oldest_version = 3, newest_version = 6, first_with_sector_size = 6;
// SR_META_V3_DATA_OFFSET, SR_DATA_OFFSET.
constexpr std::uint64_t data_block_v3 = 80, data_block = 528;

constexpr std::array<Discipline, 8> disciplines{{
    {0, "RAID0", RaidLevel::raid0, 0, true, false},
    {1, "RAID1", RaidLevel::raid1, most_chunks, false, false},
    {4, "RAID4", RaidLevel::raid4, 1, true, false},
    {5, "RAID5", RaidLevel::raid5, 1, true, false},
    {6, "RAID6", RaidLevel::raid6, 2, true, false},
    {'c', "CONCAT", RaidLevel::concat, 0, false, false},
    {'C', "CRYPTO", {}, 0, false, true},
    {0x1c, "RAID1C", RaidLevel::raid1, most_chunks, false, true},
}};

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
bool has_sum(std::span<const std::byte> summed, std::span<const std::byte> sum) {
    return same(md5(summed), sum);
}
bool is_blank(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}
bool known_version(std::uint64_t version) {
    return version >= oldest_version && version <= newest_version;
}

}  // namespace

const Discipline* discipline_of(std::uint64_t level) {
    for (const Discipline& d : disciplines)
        if (d.level == level) return &d;
    return nullptr;
}

std::optional<ComponentState> state_of(std::uint64_t status) {
    switch (status) {
        case 0:  // online
        case 6:  // scrub
            return ComponentState::optimal;
        case status_offline:
        case 2:  // failed
            return ComponentState::failed;
        case 3:
            return ComponentState::rebuilding;
        case 4:
            return ComponentState::spare;
        case status_invalid:
            return ComponentState::missing;
        default:
            return std::nullopt;
    }
}

std::uint64_t Metadata::sector() const {
    return stores_sector() ? in_.u32(field::secsize) : block;
}

bool Metadata::stores_sector() const {
    return version() >= first_with_sector_size;
}

std::uint64_t Metadata::data_blkno() const {
    const auto stored = in_.u32(field::data_blkno);
    if (stored != 0) return stored;
    if (version() == 3) return data_block_v3;
    return version() == 4 ? data_block : stored;
}

std::string Metadata::uuid(std::size_t at) const {
    std::string out;
    for (std::size_t i = 0; i < 16; ++i)
        out += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", in_.u8(at + i));
    return out;
}

std::string Metadata::damaged(std::size_t at, std::string_view what) const {
    return fmt::format("{}: softraid: {}", in_.place(at), what);
}

std::optional<Error> Metadata::check() const {
    const auto bad = [&](std::size_t at, std::string_view what) {
        return Error{ErrorKind::bad_data, damaged(at, what)};
    };
    if (!known_version(version()))
        return bad(field::version, fmt::format("metadata of version {} is not known", version()));
    if (!has_sum(in_.bytes().first(invariant_size), in_.bytes().subspan(field::checksum, sum_size)))
        return bad(0, "the checksum does not match");
    if (chunks() == 0 || chunks() > most_chunks || own() >= chunks())
        return bad(field::chunk_no, fmt::format("chunk {} of {}", own(), chunks()));
    // sr_hotspare and sr_crypto_create_key_disk fill in neither of the two.
    if (!carries_data()) return std::nullopt;
    if (!power_of_two(sector()) || sector() < block || sector() > 65536)
        return bad(field::secsize, fmt::format("sectors of {} bytes", sector()));
    if (const auto at = data_blkno(); at != data_block && at != data_block_v3)
        return bad(field::data_blkno, fmt::format("data at block {}", at));
    return std::nullopt;
}

std::vector<std::string> Metadata::contradictions(std::optional<std::uint64_t> device_bytes) const {
    std::vector<std::string> damage;
    if (!discipline_of(level()) && carries_data())
        damage.push_back(damaged(field::level, fmt::format("level {:#x} is not known", level())));
    if (in_.u32(field::meta_flags) > 1)
        damage.push_back(damaged(field::meta_flags, fmt::format("flags {:#x}", in_.u32(field::meta_flags))));
    if (in_.u64(field::rebuild) > in_.u64(field::size))
        damage.push_back(damaged(field::rebuild, fmt::format("rebuilt to block {} of {}",
                                                             in_.u64(field::rebuild), in_.u64(field::size))));
    for (std::uint64_t i = 0; i < chunks() && has_record(i); ++i) check_record(i, damage);
    if (has_record(own())) check_end(device_bytes, damage);
    check_optional(damage);
    return damage;
}

void Metadata::check_record(std::uint64_t chunk, std::vector<std::string>& damage) const {
    const std::size_t at = record(chunk);
    const auto bytes = in_.bytes().subspan(at, record_size);
    const auto say = [&](std::size_t offset, std::string_view what) {
        damage.push_back(damaged(at + offset, fmt::format("record of chunk {}: {}", chunk, what)));
    };
    // A chunk that was missing when the volume came up has an empty record from then on.
    if (status(chunk) == status_offline && is_blank(bytes.subspan(field::scm_uuid, 16))) return;
    const auto sum = bytes.subspan(record_invariant, sum_size);
    if (!has_sum(bytes.first(record_summed_at_creation), sum) && !has_sum(bytes.first(record_invariant), sum))
        say(0, "the checksum does not match: damaged, or the disk has another name than when it joined");
    if (!same(bytes.subspan(field::scm_uuid, 16), in_.bytes().subspan(field::uuid, 16)))
        say(field::scm_uuid, "of another volume, " + uuid(at + field::scm_uuid));
    if (const auto id = in_.u32(at + field::scm_chunk_id); id != chunk)
        say(field::scm_chunk_id, fmt::format("calls itself {}", id));
    if (status(chunk) >= status_boundary && status(chunk) != status_invalid)
        say(field::scm_status, fmt::format("state {} is not known", status(chunk)));
    const auto size = in_.u64(at + field::scm_size), used = in_.u64(at + field::scm_coerced_size);
    if (used > size) say(field::scm_coerced_size, fmt::format("uses {} of {} blocks", used, size));
    if (!has_record(own())) return;
    if (const auto mine = in_.u64(record(own()) + field::scm_coerced_size); used != mine)
        say(field::scm_coerced_size, fmt::format("uses {} blocks where chunk {} uses {}", used, own(), mine));
}

void Metadata::check_end(std::optional<std::uint64_t> device_bytes, std::vector<std::string>& damage) const {
    if (!device_bytes) return;
    const std::size_t at = record(own()) + field::scm_size;
    const auto end = add(in_.u64(at), data_blkno());
    if (!end || *end > *device_bytes / block)
        damage.push_back(damaged(at, fmt::format("a chunk of {} blocks does not fit in the {} bytes of the "
                                                 "device",
                                                 in_.u64(at), *device_bytes)));
}

// Length and sum of each came with version 5; before, all had one length and the sum at their end.
std::optional<std::size_t> Metadata::optional_length(std::size_t at) const {
    if (!has(at, optional_header)) return std::nullopt;
    const auto stored = static_cast<std::size_t>(in_.u32(at + 4));
    const std::size_t length = stored == 0 ? old_optional_size : stored;
    if (length < optional_header || !has(at, length)) return std::nullopt;
    const auto bytes = in_.bytes().subspan(at, length);
    if (stored == 0) {
        const bool whole = has_sum(bytes.first(length - sum_size), bytes.last(sum_size));
        return whole ? std::optional(length) : std::nullopt;
    }
    std::vector<std::byte> unsummed(bytes.begin(), bytes.end());
    std::fill_n(unsummed.begin() + optional_sum_at, sum_size, std::byte{0});
    const bool whole = has_sum(unsummed, bytes.subspan(optional_sum_at, sum_size));
    return whole ? std::optional(length) : std::nullopt;
}

std::optional<std::size_t> Metadata::optional_record(OptionalType type) const {
    std::size_t at = record(chunks());
    for (std::uint64_t i = 0; i < in_.u32(field::opt_no); ++i) {
        const auto length = optional_length(at);
        if (!length) return std::nullopt;
        if (in_.u32(at) == static_cast<std::uint64_t>(type)) return at;
        at += *length;
    }
    return std::nullopt;
}

void Metadata::check_optional(std::vector<std::string>& damage) const {
    std::size_t at = record(chunks());
    const auto count = in_.u32(field::opt_no);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto length = optional_length(at);
        if (!length) {
            const bool cut = in_.bytes().size() < area;
            if (!cut)
                damage.push_back(
                    damaged(at, fmt::format("optional record {} of {} is damaged", i + 1, count)));
            return;
        }
        if (const auto type = in_.u32(at); type < 1 || type > 3)
            damage.push_back(damaged(at, fmt::format("optional record of type {} is not known", type)));
        at += *length;
    }
}

bool is_damaged_magic(const Structure& in) {
    constexpr int most_wrong_bits = 8;
    if (std::popcount(in.u64(0) ^ softraid_magic) > most_wrong_bits || !known_version(in.u32(field::version)))
        return false;
    std::vector<std::byte> mended(in.bytes().begin(), in.bytes().begin() + invariant_size);
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t shift = 8 * (in.order() == ByteOrder::little ? i : 7 - i);
        mended[i] = static_cast<std::byte>(softraid_magic >> shift & 0xff);
    }
    return has_sum(mended, in.bytes().subspan(field::checksum, sum_size));
}

}  // namespace diskwright::softraid
