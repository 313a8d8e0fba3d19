// SPDX-License-Identifier: BSD-2-Clause
#ifdef __OpenBSD__

#include <fcntl.h>
#include <sys/disklabel.h>
#include <sys/dkio.h>
#include <sys/file.h>
#include <sys/ioctl.h>

#include "probes/live/bsd_interlocks.hpp"
#include "probes/support/text.hpp"

// Disks are read through the character device, which has no buffer cache. Writing to them is refused: no
// interface tells a program whether softraid or a mount of another partition has the disk open.

namespace diskwright {
namespace {

std::string raw_path(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "r" + path : path.substr(0, slash + 1) + "r" + path.substr(slash + 1);
}

}  // namespace

namespace device_system {

std::string whole_disk_path(const std::string& folder, const std::string& disk) {
    return folder + "r" + disk + "c";
}

Result<OpenedDevice> open_for_reading(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return system_error(path, "");
    auto device = open_device(S_ISBLK(status.st_mode) ? raw_path(path) : path, O_RDONLY | O_NONBLOCK, 0);
    if (device) device->direct = S_ISCHR(device->status.st_mode);
    return device;
}

Result<OpenedDevice> open_exclusively(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return system_error(path, "");
    if (!S_ISREG(status.st_mode))
        return interlock_error(path, {"component",
                                      "cannot be checked: OpenBSD tells no program what uses a "
                                      "disk; only a plain file can be scratch here"});
    auto file = open_device(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW, 0);
    if (file && flock(file->io.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{ErrorKind::no_permission, escaped(path) + ": locked by another program"};
    return file;
}

Result<DeviceGeometry> geometry(const OpenedDevice& device) {
    DeviceGeometry out;
    if (device.is_file()) {
        out.size_bytes = static_cast<std::uint64_t>(device.status.st_size);
        out.sector_bytes = 4 * KiB;
        out.cached_because = "OpenBSD has no direct I/O on files: they may be read from memory";
        return out;
    }
    disklabel label{};
    if (ioctl(device.io.get(), DIOCGDINFO, &label) != 0 || label.d_secsize == 0)
        return Error{ErrorKind::no_input, escaped(device.path) + ": not a disk"};
    const auto part = static_cast<unsigned>(DISKPART(device.status.st_rdev));
    if (part >= label.d_npartitions)
        return Error{ErrorKind::no_input, escaped(device.path) + ": no such partition in the disklabel"};
    out.sector_bytes = label.d_secsize;
    out.size_bytes = DL_GETPSIZE(&label.d_partitions[part]) * out.sector_bytes;
    return out;
}

std::optional<DeviceCounts> counts(const OpenedDevice&) {
    return std::nullopt;  // not read
}

bool yield_to_others() {
    return false;
}

Result<bool> flush(const OpenedDevice&) {
    return Error{ErrorKind::unavailable, "OpenBSD lets no program flush the cache of a disk"};
}

bool is_written(const OpenedDevice&, ByteRange) {
    return false;  // holes are not told; filling is safe everywhere
}

std::string serial(const OpenedDevice&) {
    return "";  // only files are written to
}

bool shows_partitions(const OpenedDevice&) {
    return false;  // only files are written to
}

std::optional<Obstacle> obstacle(const OpenedDevice& device, ByteRange, CommandRunner& commands) {
    if (auto found = used_as_swap({"swapctl", "-l"}, {device.status}, commands)) return found;
    if (auto found = behind_vnd({"vnconfig", "-l"}, device.status, commands)) return found;
    return open_by_process(device.path, commands);
}

}  // namespace device_system
}  // namespace diskwright

#endif
