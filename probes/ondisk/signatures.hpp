// SPDX-License-Identifier: BSD-2-Clause
// What stands on a device, by the marks of file systems, sets and partition tables: enough to refuse to
// overwrite them, not to read them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"

namespace diskwright {

struct Signature {
    /// partition_table: GPT or MBR, beside whose partitions there may be room. contents: anything else.
    enum class Kind { partition_table, contents };
    std::string_view name;
    Kind kind;
    std::uint64_t offset;  // where on the device it was found
};

/// A part of a device that a search needs.
struct ByteRange {
    std::uint64_t offset, length;
    bool operator==(const ByteRange&) const = default;
};

/// What to read of a device of that size so that every mark can be looked for: a few ranges at its start and
/// end, on multiples of the sector and within the size.
std::vector<ByteRange> signature_ranges(std::uint64_t size_bytes, std::uint64_t sector_bytes);

/// The first recognised structure in the bytes of those ranges, in the same order; contents before partition
/// tables. Nothing found is not empty: many structures have no mark that is known here, or none at all.
std::optional<Signature> find_signature(std::span<const std::vector<std::byte>> bytes,
                                        std::uint64_t size_bytes, std::uint64_t sector_bytes);

/// The bytes of every mark that is looked for, so that what fills a scratch area can be made of others.
std::vector<std::string> signature_marks();

}  // namespace diskwright
