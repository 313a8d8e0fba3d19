// SPDX-License-Identifier: BSD-2-Clause
// The on-disk readers by family: what one fuzzer feeds with the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace diskwright::fuzz {

struct Family {
    std::string_view name;
    std::span<const std::string_view> formats;  // names of on_disk_formats()
};

/// Every format is in exactly one family.
std::span<const Family> families();

/// What reading took. Of several readers the most that one of them took, of a host all together.
struct Cost {
    std::size_t reads = 0;
    std::uint64_t bytes_read = 0;
    std::size_t facts = 0;  // elements that are kept: facts, slots, members, texts of damage

    bool within(const Cost& most) const {
        return reads <= most.reads && bytes_read <= most.bytes_read && facts <= most.facts;
    }
};
/// A reader may look at many places of a small image, and at none twice as often as it has bytes.
inline constexpr Cost most_of_one{4096, 64 << 20, 16384};
/// Readers look three times at each slot and set, of which discovery takes 4096.
inline constexpr Cost most_of_host{std::size_t{1} << 20, std::uint64_t{1} << 30, 65536};

/// Reads the bytes as an image, with each reader of the family: whole, and with the last quarter missing.
Cost read_as(std::string_view family, const std::uint8_t* data, std::size_t size);

/// Reads the bytes as up to four disks of one host; the first byte says how they are cut.
Cost read_as_host(const std::uint8_t* data, std::size_t size);

/// For fuzzers: ends the process when that was too much, else 0.
int bounded(const Cost& cost, const Cost& most);

}  // namespace diskwright::fuzz
