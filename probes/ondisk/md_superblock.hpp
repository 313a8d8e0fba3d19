// SPDX-License-Identifier: BSD-2-Clause
// What the superblocks of Linux md have in common, whatever their format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/ondisk/structure.hpp"

namespace diskwright {

inline constexpr std::uint32_t md_magic = 0xa92b4efc;

/// A 32-bit field that holds a signed number.
constexpr std::int64_t signed_32(std::uint64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

/// A superblock that is right, as one member of its set.
struct MdSuperblock {
    Member member;
    std::uint64_t created = 0;        // seconds since 1970
    std::vector<std::string> damage;  // contradictions that leave it usable
};

/// Format 1.x at `at`. Nothing when there is none, or a copy that belongs to another place (super_offset).
Result<std::optional<MdSuperblock>> read_md_format_1(ByteSource& source, std::uint64_t at);
/// Format 0.90 in the last but one whole 64 KiB.
Result<std::optional<MdSuperblock>> read_md_format_0(ByteSource& source);

/// The level as md numbers it: -1 is a concatenation. Nothing for multipath, faulty and what is not known.
std::optional<RaidLevel> md_level_of(std::int64_t number);
bool md_level_exists(std::int64_t number);
/// As mdadm prints the number of that level; nothing where it prints none that says anything.
std::optional<std::string> md_layout_of(std::int64_t level, std::uint64_t layout);
/// The same as a fact: unknown with the reason where the level has a layout and this one has no name.
Text md_layout_fact(std::int64_t level, std::uint64_t layout, const Provenance& from);
/// Whether the kernel takes such a set; it takes some that mdadm has no words for.
bool md_layout_exists(std::int64_t level, std::uint64_t layout);
/// What mdadm prints as the size of a set whose components hold `component` bytes each.
std::optional<std::uint64_t> md_array_bytes(std::int64_t level, std::uint64_t layout, std::uint64_t disks,
                                            std::uint64_t component);

/// Level, layout and chunk of a set, or of what it is being reshaped to.
struct MdShape {
    std::int64_t level;
    std::uint64_t layout, chunk_bytes;
};
/// "Delta Devices 1 (3->4); New Layout left-symmetric", as mdadm labels the lines; empty when nothing
/// changes.
std::string md_reshape_text(const MdShape& from, const MdShape& to, std::int64_t delta, std::uint64_t disks,
                            bool chunk_in_bytes);

/// Whether the area at `at` is a write-intent bitmap; nothing where those bytes are not there.
std::optional<bool> md_bitmap_at(ByteSource& source, std::uint64_t at);

}  // namespace diskwright
