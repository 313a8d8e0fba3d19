// SPDX-License-Identifier: BSD-2-Clause
// How the systems name disks, partitions and the devices of volumes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/enums.hpp"

namespace diskwright {

/// Whether a volume driver gives this name to its devices (raid0, ccd0, cgd0, md0, mirror/gm0, ...), and
/// which. The kind is unknown for memory and file disks.
struct VolumeName {
    bool is_volume = false;
    std::optional<VolumeKind> kind;
};
VolumeName volume_by_name(std::string_view device);

/// Below which folder of /dev FreeBSD shows the sets of that class: "mirror/" for gmirror; empty for what is
/// none of GEOM's.
std::string_view geom_folder(VolumeKind kind);

/// ada0 and 2 -> ada0p2 (GPT), ada0s2 (MBR), ada0s1b (BSD on ada0s1), da0d (VTOC8), as FreeBSD's geom_part
/// does.
std::string gpart_provider(std::string_view parent, Scheme scheme, std::uint64_t index);

/// sda and 1 -> sda1; nvme0n1, mmcblk0, md0 and 1 -> nvme0n1p1 (a p after a digit).
std::string linux_partition(std::string_view disk, std::uint64_t number);

/// The system whose drivers alone name a disk so: ada0, nvd0, mirror/gm0 -> FreeBSD (DragonFly has some of
/// them too), sda, nvme0n1, md0 -> Linux, wd0 -> NetBSD. Nothing for names of several systems (sd0, raid0) or
/// none.
std::optional<Os> os_of_disk_name(std::string_view name);

}  // namespace diskwright
