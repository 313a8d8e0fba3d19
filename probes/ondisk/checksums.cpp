// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/checksums.hpp"

#include <array>

namespace diskwright {
namespace {

using CrcTable = std::array<std::uint32_t, 256>;

constexpr CrcTable crc_table(std::uint32_t reflected_polynomial) {
    CrcTable table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1) != 0 ? reflected_polynomial : 0);
        table[i] = value;
    }
    return table;
}

constexpr CrcTable ieee = crc_table(0xedb88320), castagnoli = crc_table(0x82f63b78);

std::uint32_t updated(const CrcTable& table, std::uint32_t state, std::span<const std::byte> bytes) {
    for (const std::byte b : bytes)
        state = (state >> 8) ^ table[(state ^ std::to_integer<std::uint32_t>(b)) & 0xff];
    return state;
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes) {
    return ~updated(ieee, ~std::uint32_t{0}, bytes);
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
    return ~updated(castagnoli, ~std::uint32_t{0}, bytes);
}

std::uint32_t crc32_update(std::uint32_t state, std::span<const std::byte> bytes) {
    return updated(ieee, state, bytes);
}

std::uint32_t crc32c_update(std::uint32_t state, std::span<const std::byte> bytes) {
    return updated(castagnoli, state, bytes);
}

}  // namespace diskwright
