// SPDX-License-Identifier: BSD-2-Clause
// GF(2^8) with the polynomial of RAID 6 (x^8 + x^4 + x^3 + x^2 + 1) and generator 2, as H. P. Anvin, "The
// mathematics of RAID-6", and torvalds/linux:lib/raid6 have it.
#pragma once

#include <array>
#include <cstdint>

namespace diskwright::galois {

struct Tables {
    std::array<std::uint8_t, 512> power{};
    std::array<std::uint16_t, 256> logarithm{};
    constexpr Tables() {
        unsigned value = 1;
        for (unsigned i = 0; i < 255; ++i) {
            power[i] = power[i + 255] = static_cast<std::uint8_t>(value);
            logarithm[value] = static_cast<std::uint16_t>(i);
            value <<= 1;
            if ((value & 0x100) != 0) value ^= 0x11d;
        }
    }
};
inline constexpr Tables tables;

/// 2 to that power.
constexpr std::uint8_t power(std::uint64_t exponent) {
    return tables.power[exponent % 255];
}
constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
    return a == 0 || b == 0
               ? std::uint8_t{0}
               : tables.power[std::size_t{tables.logarithm[a]} + std::size_t{tables.logarithm[b]}];
}
/// a must not be 0.
constexpr std::uint8_t inverse(std::uint8_t a) {
    return tables.power[255 - tables.logarithm[a]];
}

}  // namespace diskwright::galois
