// SPDX-License-Identifier: BSD-2-Clause
// The on-disk readers by family: what one fuzzer feeds with the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace diskwright::fuzz {

struct Family {
    std::string_view name;
    std::span<const std::string_view> formats;  // names of on_disk_formats()
};

/// Every format is in exactly one family.
std::span<const Family> families();

/// Reads the bytes as an image, with each reader of the family: whole, and with the last quarter missing.
/// Ends the process when a reader reads without bound.
int read_as(std::string_view family, const std::uint8_t* data, std::size_t size);

/// Reads the bytes as up to four disks of one host; the first byte says how they are cut.
int read_as_host(const std::uint8_t* data, std::size_t size);

}  // namespace diskwright::fuzz
