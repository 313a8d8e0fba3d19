// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/checksums.hpp"

#include <array>

namespace diskwright {
namespace {

// Eight tables, to take eight bytes in one step (slicing-by-8): table k is that of a byte with k zeros behind
// it.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables crc_tables(std::uint32_t reflected_polynomial) {
    CrcTables tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1) != 0 ? reflected_polynomial : 0);
        tables[0][i] = value;
    }
    for (std::size_t k = 1; k < tables.size(); ++k)
        for (std::size_t i = 0; i < 256; ++i)
            tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 0xff];
    return tables;
}

constexpr CrcTables ieee = crc_tables(0xedb88320), castagnoli = crc_tables(0x82f63b78);

std::uint32_t updated(const CrcTables& tables, std::uint32_t state, std::span<const std::byte> bytes) {
    const auto byte = [](std::byte b) { return std::to_integer<std::uint32_t>(b); };
    while (bytes.size() >= 8) {
        state ^= byte(bytes[0]) | byte(bytes[1]) << 8 | byte(bytes[2]) << 16 | byte(bytes[3]) << 24;
        state = tables[7][state & 0xff] ^ tables[6][(state >> 8) & 0xff] ^ tables[5][(state >> 16) & 0xff] ^
                tables[4][state >> 24] ^ tables[3][byte(bytes[4])] ^ tables[2][byte(bytes[5])] ^
                tables[1][byte(bytes[6])] ^ tables[0][byte(bytes[7])];
        bytes = bytes.subspan(8);
    }
    for (const std::byte b : bytes) state = (state >> 8) ^ tables[0][(state ^ byte(b)) & 0xff];
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
