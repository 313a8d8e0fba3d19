// SPDX-License-Identifier: BSD-2-Clause
// What the disks of this host have at their heads and tails, and wherever else a reader of on-disk structures
// looks.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "probes/capture/region_source.hpp"
#include "probes/model/host_facts.hpp"
#include "probes/support/progress.hpp"

namespace diskwright {

/// The disks among the facts that have a medium of their own: no volume, no memory disk, no drive for
/// removable disks such as cd0 or fd0.
std::vector<std::string> whole_disks(const HostFacts& facts);

struct DeviceHeads {
    std::vector<std::shared_ptr<RegionSource>> devices;
    std::vector<std::string> notes;  // "sd0: why" of each that could not be read, "sd0@0x0: why" of a place
};

/// Finds out what is on the disks and in the sets that they make up, and keeps what was read for it: at most
/// 1 MiB and 200 reads of each disk, read-only. All at once; a disk that gives no answer within `time` is
/// left alone, and the sets are looked into for as long at most. `folder` is where the devices are, "/dev/".
DeviceHeads read_heads(const std::vector<std::string>& disks, const std::string& folder,
                       std::chrono::milliseconds time, ProgressMeter* progress = nullptr);

}  // namespace diskwright
