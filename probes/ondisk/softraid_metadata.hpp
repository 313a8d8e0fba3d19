// SPDX-License-Identifier: BSD-2-Clause
// Metadata of softraid, OpenBSD: its fields, and what contradicts itself in them. softraid.cpp makes facts of
// it.
//
// struct sr_metadata stands at sector 16 of each chunk, one record for each chunk behind it, then optional
// records (keys, boot): 64 sectors in all, in the byte order of the machine. Blocks are of 512 bytes whatever
// the sector. Source of the layout: openbsd/src:sys/dev/softraidvar.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/ondisk/structure.hpp"

namespace diskwright::softraid {

inline constexpr std::uint64_t block = 512;
inline constexpr std::size_t area = 64 * 512, header_size = 168, record_size = 92;
/// SR_HOTSPARE_LEVEL, SR_KEYDISK_LEVEL.
inline constexpr std::uint64_t hot_spare_level = 0xffffffff, key_disk_level = 0xfffffffe;

namespace field {
inline constexpr std::size_t version = 8, uuid = 16, chunk_no = 32, chunk_id = 36, opt_no = 40, secsize = 44,
                             level = 52, size = 56, strip_size = 92, checksum = 96, devname = 112,
                             meta_flags = 144, data_blkno = 148, ondisk = 152, rebuild = 160;
// Of a record.
inline constexpr std::size_t scm_chunk_id = 4, scm_size = 40, scm_coerced_size = 48, scm_uuid = 56,
                             scm_status = 88;
}  // namespace field

struct Discipline {
    std::uint64_t level;
    std::string_view name;  // as bioctl prints it
    std::optional<RaidLevel> raid;
    std::size_t spared_losses;  // chunks that may be off line, as long as one is left
    bool striped, encrypted;
};
/// nullptr for hot spares, key disks and what is not known.
const Discipline* discipline_of(std::uint64_t level);

/// scm_status: BIOC_SDONLINE and its like.
inline constexpr std::uint64_t status_offline = 1, status_boundary = 7, status_invalid = 0xff;
std::optional<ComponentState> state_of(std::uint64_t status);

enum class OptionalType : std::uint64_t { crypto = 1, boot = 2, key_disk = 3 };

class Metadata {
 public:
    /// `in` begins at sr_metadata and holds its head at least; an image may end anywhere behind that.
    explicit Metadata(Structure in) : in_(std::move(in)) {}

    const Structure& in() const { return in_; }
    std::uint64_t version() const { return in_.u32(field::version); }
    std::uint64_t level() const { return in_.u32(field::level); }
    std::uint64_t chunks() const { return in_.u32(field::chunk_no); }
    std::uint64_t own() const { return in_.u32(field::chunk_id); }
    std::uint64_t sector() const;
    bool stores_sector() const;
    std::uint64_t data_blkno() const;
    /// Hot spares and key disks hold nothing of a volume.
    bool carries_data() const { return level() != hot_spare_level && level() != key_disk_level; }
    std::string uuid(std::size_t at = field::uuid) const;

    std::size_t record(std::uint64_t chunk) const {
        return header_size + static_cast<std::size_t>(chunk) * record_size;
    }
    bool has_record(std::uint64_t chunk) const { return has(record(chunk), record_size); }
    std::uint64_t status(std::uint64_t chunk) const { return in_.u32(record(chunk) + field::scm_status); }
    /// Where the first optional record of that type stands, when those before it are whole.
    std::optional<std::size_t> optional_record(OptionalType type) const;

    /// bad_data where the kernel would not take it.
    std::optional<Error> check() const;
    /// What else contradicts itself, on a device of that size.
    std::vector<std::string> contradictions(std::optional<std::uint64_t> device_bytes) const;

 private:
    bool has(std::size_t at, std::size_t length) const {
        return at <= in_.bytes().size() && length <= in_.bytes().size() - at;
    }
    std::string damaged(std::size_t at, std::string_view what) const;
    void check_record(std::uint64_t chunk, std::vector<std::string>& damage) const;
    void check_end(std::optional<std::uint64_t> device_bytes, std::vector<std::string>& damage) const;
    void check_optional(std::vector<std::string>& damage) const;
    std::optional<std::size_t> optional_length(std::size_t at) const;

    Structure in_;
};

/// The magic number with a few wrong bits, over content that matches its checksum with the right ones.
bool is_damaged_magic(const Structure& in);

}  // namespace diskwright::softraid
