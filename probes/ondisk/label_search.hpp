// SPDX-License-Identifier: BSD-2-Clause
// 4.4BSD's label stands where the port puts it: both kinds of it are searched for by their magic number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "probes/ondisk/magics.hpp"

namespace diskwright {

/// Every multiple of 4 below `end` at which the magic number stands whole, in either byte order; ascending.
inline std::vector<std::size_t> label_magic_places(std::span<const std::byte> bytes, std::size_t end) {
    constexpr std::array<unsigned char, 4> big{0x82, 0x56, 0x45, 0x57}, little{0x57, 0x45, 0x56, 0x82};
    static_assert(disklabel_magic == 0x82564557);
    std::vector<std::size_t> out;
    const auto* const begin = reinterpret_cast<const unsigned char*>(bytes.data());
    const std::size_t length = std::min(bytes.size(), end + 3);
    // 0x82 is at one end or the other of it, and rare.
    for (std::size_t from = 0; from < length;) {
        const void* const found = std::memchr(begin + from, big[0], length - from);
        if (!found) break;
        const auto at = static_cast<std::size_t>(static_cast<const unsigned char*>(found) - begin);
        from = at + 1;
        const std::size_t word = at - at % 4;
        if (word >= end || word + 4 > bytes.size()) continue;
        if ((at % 4 == 0 && std::equal(big.begin(), big.end(), begin + word)) ||
            (at % 4 == 3 && std::equal(little.begin(), little.end(), begin + word)))
            out.push_back(word);
    }
    return out;
}

}  // namespace diskwright
