// SPDX-License-Identifier: BSD-2-Clause
// SHA-256, FIPS 180-4: labels of ZFS and headers of LUKS2 carry it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace diskwright {

std::array<std::byte, 32> sha256(std::span<const std::byte> bytes);

}  // namespace diskwright
