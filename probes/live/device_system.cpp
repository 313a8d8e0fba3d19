// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/device_system.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

ErrorKind kind_of(int number) {
    switch (number) {
        case ENOENT:
        case ENOTDIR:
        case ENXIO:
        case ENODEV:
            return ErrorKind::no_input;
        case EACCES:
        case EPERM:
        case EROFS:
        case EBUSY:
        case ELOOP:
        case ETXTBSY:
            return ErrorKind::no_permission;
        case EIO:
            return ErrorKind::io_error;
        default:
            return ErrorKind::os_error;
    }
}

}  // namespace

Error system_error(const std::string& path, std::string_view what, int number) {
    return {kind_of(number),
            fmt::format("{}: {}{}{}", escaped(path), what, what.empty() ? "" : ": ", errno_text(number))};
}

Error interlock_error(const std::string& path, const Obstacle& obstacle) {
    return {ErrorKind::no_permission, fmt::format("{}: not written to, refused by the interlock '{}': {}",
                                                  escaped(path), obstacle.interlock, obstacle.found)};
}

bool same_file(const struct stat& a, const struct stat& b) {
    if ((a.st_mode & S_IFMT) != (b.st_mode & S_IFMT)) return false;
    if (S_ISREG(a.st_mode)) return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return a.st_rdev == b.st_rdev;
}

bool OpenedDevice::is_named_by(const struct stat& name) const {
    return same_file(name, status) || (lock_status && same_file(name, *lock_status));
}

bool overlap(ByteRange a, ByteRange b) {
    return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

Result<OpenedDevice> open_device(const std::string& path, int flags, int direct) {
    OpenedDevice device;
    device.path = path;
    struct stat before {};
    if (stat(path.c_str(), &before) != 0) return system_error(path, "");
    if (!S_ISREG(before.st_mode) && !S_ISBLK(before.st_mode) && !S_ISCHR(before.st_mode))
        return Error{ErrorKind::no_input, escaped(path) + ": neither a device nor a file"};
    flags |= O_CLOEXEC | O_NOCTTY;
    if (direct != 0) {
        device.io = FileDescriptor(open(path.c_str(), flags | direct));
        device.direct = static_cast<bool>(device.io);
        if (!device.io && errno != EINVAL && errno != EOPNOTSUPP) return system_error(path, "");
    }
    if (!device.io) device.io = FileDescriptor(open(path.c_str(), flags));
    if (!device.io) return system_error(path, "");
    if (fstat(device.io.get(), &device.status) != 0) return system_error(path, "");
    if (!same_file(before, device.status))
        return Error{ErrorKind::no_permission, escaped(path) + ": became another file while it was opened"};
    return device;
}

}  // namespace diskwright
