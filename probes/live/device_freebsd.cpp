// SPDX-License-Identifier: BSD-2-Clause
#ifdef __FreeBSD__

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/disk.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/sysctl.h>

#include <array>

#include "probes/live/bsd_interlocks.hpp"
#include "probes/support/text.hpp"

// Disks are character devices without a buffer cache: reads go to the device. Requests and answers as in
// freebsd-src: sys/sys/disk.h and sys/geom/geom_dev.c.

namespace diskwright {
namespace {

std::string provider_of(dev_t device) {
    const char* name = devname(device, S_IFCHR);
    return name ? name : "";
}

// A disk opened for writing is refused by GEOM while a mount, a mirror or a partition table holds it
// exclusively (sys/geom/geom_subr.c g_access()), unless kern.geom.debugflags has this bit.
constexpr unsigned write_to_anything = 0x10;

std::optional<Obstacle> debug_flags() {
    unsigned flags = 0;
    std::size_t size = sizeof flags;
    if (sysctlbyname("kern.geom.debugflags", &flags, &size, nullptr, 0) != 0)
        return Obstacle{"mounted", "cannot be checked: kern.geom.debugflags: " + errno_text()};
    if ((flags & write_to_anything) != 0)
        return Obstacle{"mounted", "kern.geom.debugflags lets programs write to disks in use"};
    return std::nullopt;
}

std::optional<std::string> geom_tree() {
    std::size_t size = 0;
    if (sysctlbyname("kern.geom.confxml", nullptr, &size, nullptr, 0) != 0) return std::nullopt;
    // It may grow between the two calls.
    std::string text(size + 64 * KiB, '\0');
    size = text.size();
    if (sysctlbyname("kern.geom.confxml", text.data(), &size, nullptr, 0) != 0) return std::nullopt;
    text.resize(size);
    return text;
}

std::optional<Obstacle> geom_users(dev_t device, unsigned own_opens) {
    const auto tree = geom_tree();
    if (!tree) return Obstacle{"component", "cannot be checked: kern.geom.confxml: " + errno_text()};
    return geom_user(*tree, provider_of(device), own_opens);
}

}  // namespace

namespace device_system {

std::string whole_disk_path(const std::string& folder, const std::string& disk) {
    return folder + disk;
}

Result<OpenedDevice> open_for_reading(const std::string& path) {
    return open_device(path, O_RDONLY | O_NONBLOCK, O_DIRECT);
}

Result<OpenedDevice> open_exclusively(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return system_error(path, "");
    const bool file = S_ISREG(status.st_mode);
    // Before it is opened: the first open for writing spoils what merely attached (sys/geom/geom_subr.c
    // g_access()), so an idle gstripe would be gone from the tree and from the machine.
    if (!file) {
        if (stat(path.c_str(), &status) != 0) return system_error(path, "");
        if (S_ISCHR(status.st_mode))
            if (auto found = geom_users(status.st_rdev, 0)) return interlock_error(path, *found);
    }
    auto device = open_device(path, O_RDWR | O_NONBLOCK | (file ? O_NOFOLLOW : 0), O_DIRECT);
    if (device && flock(device->io.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{ErrorKind::no_permission, escaped(path) + ": locked by another program"};
    return device;
}

Result<DeviceGeometry> geometry(const OpenedDevice& device) {
    DeviceGeometry out;
    if (device.is_file()) {
        struct statfs filesystem {};
        if (fstatfs(device.io.get(), &filesystem) != 0) return system_error(device.path, "file system");
        out.size_bytes = static_cast<std::uint64_t>(device.status.st_size);
        out.sector_bytes = 4 * KiB;
        if (std::string_view(filesystem.f_fstypename) != "ufs")
            out.cached_because =
                fmt::format("a file of {} may be read from memory", escaped(filesystem.f_fstypename));
        else if (!device.direct)
            out.cached_because = "the file system refuses direct I/O";
        return out;
    }
    off_t size = 0;
    unsigned sector = 0;
    if (ioctl(device.io.get(), DIOCGMEDIASIZE, &size) != 0 ||
        ioctl(device.io.get(), DIOCGSECTORSIZE, &sector) != 0 || size <= 0 || sector == 0)
        return Error{ErrorKind::no_input, escaped(device.path) + ": not a disk"};
    out.size_bytes = static_cast<std::uint64_t>(size);
    out.sector_bytes = sector;
    // A stripe of GEOM is a physical sector only on a disk itself (sys/cam/ata/ata_da.c adaopen()).
    off_t stripe = 0, offset = 0;
    const bool disk = provider_of(device.status.st_rdev).starts_with("ada") &&
                      ioctl(device.io.get(), DIOCGSTRIPESIZE, &stripe) == 0 &&
                      ioctl(device.io.get(), DIOCGSTRIPEOFFSET, &offset) == 0;
    if (disk && (stripe == 4096 || stripe == 8192) && offset >= 0) {
        out.report.physical_sector_bytes = static_cast<std::uint64_t>(stripe);
        out.report.physical_offset_bytes = static_cast<std::uint64_t>(offset % stripe);
    }
    return out;
}

std::optional<DeviceCounts> counts(const OpenedDevice&) {
    return std::nullopt;  // devstat(3) has another layout in each release
}

bool yield_to_others() {
    return false;
}

Result<bool> flush(const OpenedDevice& device) {
    // UFS with soft updates sends no flush to the disk, so fsync(2) of a file would time something else.
    if (device.is_file())
        return Error{ErrorKind::unavailable,
                     "fsync(2) of a file does not reach the cache of the disk; give a "
                     "disk as scratch"};
    if (ioctl(device.io.get(), DIOCGFLUSH) == 0) return true;
    if (errno == EOPNOTSUPP || errno == ENOTTY)
        return Error{ErrorKind::unavailable, "the disk takes no flush"};
    return system_error(device.path, "flush");
}

bool is_written(const OpenedDevice& device, ByteRange range) {
    const off_t hole = lseek(device.io.get(), static_cast<off_t>(range.offset), SEEK_HOLE);
    return hole >= 0 && static_cast<std::uint64_t>(hole) >= range.offset + range.length;
}

std::string serial(const OpenedDevice& device) {
    std::array<char, DISK_IDENT_SIZE> ident{};
    if (device.is_file() || ioctl(device.io.get(), DIOCGIDENT, ident.data()) != 0) return "";
    ident.back() = '\0';
    return ident.data();
}

bool shows_partitions(const OpenedDevice&) {
    return false;  // a divided disk is refused as a whole
}

std::optional<Obstacle> obstacle(const OpenedDevice& device, ByteRange, CommandRunner& commands) {
    if (auto found = used_as_swap({"swapinfo"}, {device.status}, commands)) return found;
    if (device.is_file()) {
        if (auto found = behind_md(device.status, commands)) return found;
        return open_by_process(device.path, commands);
    }
    if (auto found = debug_flags()) return found;
    return geom_users(device.status.st_rdev, 1);
}

}  // namespace device_system
}  // namespace diskwright

#endif
