// SPDX-License-Identifier: BSD-2-Clause
// Checksums that on-disk structures carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace diskwright {

/// CRC-32 of ISO 3309 (GPT, disklabel64, zlib): reflected, initial value and final XOR all ones.
std::uint32_t crc32(std::span<const std::byte> bytes);
/// CRC-32C (Castagnoli; XFS, ext4): likewise.
std::uint32_t crc32c(std::span<const std::byte> bytes);
/// The register itself, for structures that start from another value or chain several parts: no final XOR.
std::uint32_t crc32_update(std::uint32_t state, std::span<const std::byte> bytes);
std::uint32_t crc32c_update(std::uint32_t state, std::span<const std::byte> bytes);

}  // namespace diskwright
