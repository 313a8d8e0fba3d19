// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace diskwright {

/// What the device says of itself, through its driver; nothing where the system does not tell. A driver may
/// repeat what a bridge or a controller made up.
struct DeviceReport {
    std::optional<std::uint64_t> physical_sector_bytes, physical_offset_bytes;  // as in Disk
    std::optional<bool> rotational;
    std::optional<bool> volatile_cache;  // a write cache that needs flushes
};

}  // namespace diskwright
