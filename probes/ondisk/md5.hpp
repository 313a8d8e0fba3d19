// SPDX-License-Identifier: BSD-2-Clause
// MD5, RFC 1321: metadata of softraid and of GEOM's classes carries it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace diskwright {

std::array<std::byte, 16> md5(std::span<const std::byte> bytes);

}  // namespace diskwright
