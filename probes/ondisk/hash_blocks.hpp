// SPDX-License-Identifier: BSD-2-Clause
// How MD5 (RFC 1321 section 3.1) and SHA-256 (FIPS 180-4 section 5.1.1) cut a message in blocks: the same but
// for the byte order of the length.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "probes/support/byte_reader.hpp"

namespace diskwright {

inline constexpr std::size_t hash_block_bytes = 64;

/// Calls mix(block) for each block of the message and of what follows it: a one bit, zeros, and the length in
/// bits as eight bytes of that order.
template <class Mix>
void for_each_hash_block(std::span<const std::byte> message, ByteOrder order, Mix mix) {
    const std::size_t whole = message.size() - message.size() % hash_block_bytes;
    for (std::size_t at = 0; at < whole; at += hash_block_bytes) mix(message.subspan(at, hash_block_bytes));

    std::array<std::byte, 2 * hash_block_bytes> tail{};
    const auto rest = message.subspan(whole);
    std::copy(rest.begin(), rest.end(), tail.begin());
    tail[rest.size()] = std::byte{0x80};
    const std::size_t length = rest.size() + 9 <= hash_block_bytes ? hash_block_bytes : tail.size();
    const auto bits = static_cast<std::uint64_t>(message.size()) * 8;
    for (std::size_t i = 0; i < 8; ++i)
        tail[order == ByteOrder::little ? length - 8 + i : length - 1 - i] =
            static_cast<std::byte>((bits >> (8 * i)) & 0xff);
    for (std::size_t at = 0; at < length; at += hash_block_bytes)
        mix(std::span<const std::byte>(tail).subspan(at, hash_block_bytes));
}

}  // namespace diskwright
