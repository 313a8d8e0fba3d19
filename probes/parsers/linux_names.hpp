// SPDX-License-Identifier: BSD-2-Clause
// Linux block device names, and facts of the device that a Linux listing describes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/device_names.hpp"
#include "probes/parsers/command.hpp"

namespace diskwright {

/// The number at the end of sda12 or nvme0n1p3.
std::optional<std::uint64_t> linux_partition_number(std::string_view name);

/// What fdisk, sgdisk, parted or blockdev say of a device: the facts of a disk, or of an md array by its
/// name. Device-mapper names tell nothing of what they are and are left out.
struct LinuxDevice {
    std::string name;
    std::optional<std::uint64_t> size_bytes, logical_sector, physical_sector;
    std::size_t size_line = 0, sector_line = 0;
    std::string_view model;
    std::size_t model_line = 0;
};
void write_linux_device(const LinuxDevice& device, Scribe& scribe);

/// "Sector size (logical/physical): 512 bytes / 4096 bytes", "512/4096 bytes", "512B/4096B".
bool take_sector_sizes(std::string_view line, std::size_t at, LinuxDevice& device);

}  // namespace diskwright
