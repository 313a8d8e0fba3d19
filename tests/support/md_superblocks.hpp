// SPDX-License-Identifier: BSD-2-Clause
// Superblocks of Linux md written field by field from torvalds/linux:include/uapi/linux/raid/md_p.h, for
// tests that have no array to make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/bytes.hpp"

namespace diskwright::test {

struct Md1 {
    std::uint32_t features = 0;
    std::string uuid = "0123456789abcdef";  // its 16 bytes
    std::string name = "nas1:0";
    std::uint64_t created = 1600000000;
    std::int32_t level = 5;
    std::uint32_t layout = 2;
    std::uint64_t size = 4096;  // sectors, like all that follows
    std::uint32_t chunk = 128, disks = 3;
    std::int32_t bitmap_offset = 8;
    std::int32_t new_level = 5;
    std::uint64_t reshape_position = 0;
    std::int32_t delta = 0;
    std::uint32_t new_layout = 2, new_chunk = 128;
    std::uint64_t data_offset = 2048, data_size = 4096, super_offset = 8, recovery_offset = 0;
    std::uint32_t device = 1;
    std::uint64_t events = 38185, resync_offset = ~std::uint64_t{0};
    std::vector<std::uint16_t> roles{0, 1, 2};

    /// 4096 bytes with their checksum.
    std::vector<std::byte> bytes() const;
};

struct Md0 {
    ByteOrder order = ByteOrder::little;
    std::uint32_t minor = 90;
    std::int32_t level = 5;
    std::uint32_t size = 3072;  // KiB
    std::uint32_t disks = 3, preferred = 3, layout = 2, chunk = 65536, state = 1;
    std::uint64_t events = 0x100000007;
    std::uint32_t created = 1200000000;
    std::uint32_t slot = 1, slot_state = 6;
    std::uint64_t reshape_position = ~std::uint64_t{0};
    std::int32_t new_level = 5, delta = 0;
    std::uint32_t new_layout = 2, new_chunk = 65536;

    std::vector<std::byte> bytes() const;
};

/// Puts the right checksum into changed bytes.
void seal_md1(Bytes& superblock);
void seal_md0(Bytes& superblock, ByteOrder order);

/// Where format 0.90 and 1.0 stand on a device of that size.
constexpr std::uint64_t md0_place(std::uint64_t device) {
    return device / 65536 * 65536 - 65536;
}
constexpr std::uint64_t md1_0_place(std::uint64_t device) {
    return (device / 512 - 16) / 8 * 8 * 512;
}

/// The header of a write-intent bitmap.
std::vector<std::byte> md_bitmap_header(const std::string& uuid, std::uint64_t events, std::uint64_t sectors);

}  // namespace diskwright::test
