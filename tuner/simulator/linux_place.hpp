// SPDX-License-Identifier: BSD-2-Clause
// What Linux and its mkfs programs see of a configuration: memory, the drive's cache, the stripe of a set.
#pragma once

#include <cstdint>

#include "probes/support/result.hpp"
#include "tuner/simulator/file_system_model.hpp"
#include "tuner/simulator/linux_model.hpp"

namespace diskwright {

struct LinuxPlace {
    LinuxHost host;
    /// minimum_io_size and optimal_io_size of a set of md, which mke2fs and mkfs.xfs ask for: the chunk, and
    /// the data of a stripe; 0 where the volume tells none, as controllers and single disks.
    std::uint64_t stride_bytes = 0, stripe_bytes = 0;
};

/// bad_data: an operating system that is not Linux, a sysctl of vm.dirty_* that is no number, a block size
/// that Linux does not mount.
Result<LinuxPlace> linux_place(const FileSystemPlace& place);

}  // namespace diskwright
