// SPDX-License-Identifier: BSD-2-Clause
// A structure on a disk: one file, one row. Readers take bytes and give facts; they open nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "probes/model/host_facts.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// The part of a device that was read. Bytes outside [start, start + bytes.size()) are unknown, not zero.
struct DeviceRegion {
    std::string device;
    std::uint64_t start_bytes = 0;
    std::span<const std::byte> bytes;
    std::uint64_t device_bytes = 0;  // 0: not known
    std::uint64_t sector_bytes = 512;
};

struct OnDiskFormat {
    std::string_view name;
    std::size_t minimum_bytes;
    /// false when the structure is not there; bad_data when it is there and damaged, with the offset.
    Result<bool> (*read)(const DeviceRegion&, HostFacts&);
};

}  // namespace diskwright
