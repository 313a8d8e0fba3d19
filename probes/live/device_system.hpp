// SPDX-License-Identifier: BSD-2-Clause
// What each system does in its own way to read, write, flush and guard a device. One device_<os>.cpp carries
// it out for one system.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/live/file_descriptor.hpp"
#include "probes/ondisk/signatures.hpp"
#include "probes/support/command_runner.hpp"
#include "probes/support/result.hpp"
#include "probes/timing/device_report.hpp"

namespace diskwright {

struct OpenedDevice {
    std::string path;       // as it was named
    FileDescriptor io;      // reads and writes go here
    FileDescriptor lock;    // kept open for exclusion where the system wants another node for it
    struct stat status {};  // of io
    std::optional<struct stat> lock_status;  // of lock, which is another node of the same device
    bool direct = false;                     // opened past the cache

    bool is_file() const { return S_ISREG(status.st_mode); }
    /// Whether a name with that status is one of this device.
    bool is_named_by(const struct stat& name) const;
};

struct DeviceGeometry {
    std::uint64_t size_bytes = 0, sector_bytes = 0;
    std::string cached_because;  // as TimedDevice::cached_because
    DeviceReport report;         // of a disk; of the one below a file, nothing
};

/// What a device did since the system runs, as the kernel counts it.
struct DeviceCounts {
    std::uint64_t requests = 0;
    double busy_s = 0;
};

/// What stands in the way of writing.
struct Obstacle {
    std::string_view interlock;  // "mounted", "swap", ...
    std::string found;
};

namespace device_system {

/// The node of a disk as a whole: "/dev/" and "sd0" -> "/dev/rsd0c".
std::string whole_disk_path(const std::string& folder, const std::string& disk);
/// Read-only, past the cache where that is possible. An error names the path.
Result<OpenedDevice> open_for_reading(const std::string& path);
/// Read and write, exclusively, never through a symlink to a file. no_permission when it is in use.
Result<OpenedDevice> open_exclusively(const std::string& path);
Result<DeviceGeometry> geometry(const OpenedDevice& device);
/// Empties the device's write cache; unavailable where no program may ask for that.
Result<bool> flush(const OpenedDevice& device);
/// False when a write to that part of a file might have to allocate first.
bool is_written(const OpenedDevice& device, ByteRange range);
/// Of the disk, or of the one below a file; nothing where the system does not tell.
std::optional<DeviceCounts> counts(const OpenedDevice& device);
/// Asks the system to let the others' requests go first; false where it knows no such thing.
bool yield_to_others();
/// Of the disk; empty when it has none or the system does not tell.
std::string serial(const OpenedDevice& device);
/// Whether the kernel shows the partitions of the device, so that overlap can be judged by them.
bool shows_partitions(const OpenedDevice& device);
/// Every interlock but the signature. What cannot be checked is an obstacle too.
std::optional<Obstacle> obstacle(const OpenedDevice& device, ByteRange range, CommandRunner& commands);

}  // namespace device_system

// What the systems share.

/// open(2) with O_CLOEXEC, O_NOCTTY and the flags; when `direct` is not 0, with it first and without it where
/// it is refused. The status is that of the descriptor; neither file nor device is no_input.
Result<OpenedDevice> open_device(const std::string& path, int flags, int direct);
/// "NAME: what: reason", with the kind that the error number stands for.
Error system_error(const std::string& path, std::string_view what, int number = errno);
/// "NAME: not written to, refused by the interlock '...': ..."
Error interlock_error(const std::string& path, const Obstacle& obstacle);
bool same_file(const struct stat& a, const struct stat& b);
bool overlap(ByteRange a, ByteRange b);

}  // namespace diskwright
