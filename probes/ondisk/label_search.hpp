// SPDX-License-Identifier: BSD-2-Clause
// 4.4BSD's label stands where the port puts it: both kinds of it are searched for by their magic number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "probes/ondisk/magics.hpp"

namespace diskwright {

/// Every multiple of 4 below `end` at which the magic number stands whole, in either byte order; ascending.
inline std::vector<std::size_t> label_magic_places(std::span<const std::byte> bytes, std::size_t end) {
    constexpr std::uint32_t swapped = disklabel_magic >> 24 | (disklabel_magic >> 8 & 0xff00) |
                                      (disklabel_magic << 8 & 0xff0000) | disklabel_magic << 24;
    std::vector<std::size_t> out;
    for (std::size_t at = 0; at < end && at + sizeof(std::uint32_t) <= bytes.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word == disklabel_magic || word == swapped) out.push_back(at);
    }
    return out;
}

}  // namespace diskwright
