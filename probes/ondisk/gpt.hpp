// SPDX-License-Identifier: BSD-2-Clause
// The GUID partition table: header in sector 1 and entries behind it, a backup of both at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

inline constexpr std::string_view gpt_signature = "EFI PART";

struct GptEntry {
    std::uint64_t index = 0;  // from 0
    std::string type;         // GUID in lower case
    std::string name;         // UTF-8
    std::uint64_t first = 0, last = 0;
    std::uint64_t attributes = 0;
    std::uint64_t at = 0;  // byte of the entry
};

struct GptHeader {
    std::uint64_t at = 0;  // byte of the header
    std::uint64_t my_lba = 0, alternate = 0, first_usable = 0, last_usable = 0, entries_lba = 0;
    std::string disk_guid;
    std::uint32_t entry_count = 0, entry_size = 0, entries_crc = 0;
};

/// One of the two copies.
struct GptCopy {
    enum class State { valid, absent, unreadable, damaged, too_large } state = State::absent;
    std::string why;  // damaged, too_large: what is wrong, with source@offset
    GptHeader header;
    std::vector<GptEntry> entries;
};

struct Gpt {
    std::uint64_t sector_bytes = 512;
    GptCopy primary, backup;
    bool backup_at_end = true;  // false: elsewhere than in the last sector of a device whose size is known

    /// The copy that counts; null when neither is whole.
    const GptCopy* used() const;
    bool present() const { return primary.state != GptCopy::State::absent || used(); }
};

/// Reads at most two headers and two arrays of entries of 512 KiB.
Gpt read_gpt(ByteSource& source);

struct Found;
/// Read once for all readers of one source.
const Gpt& gpt_of(ByteSource& source, Found& found);

}  // namespace diskwright
