// SPDX-License-Identifier: BSD-2-Clause
#ifdef __NetBSD__

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/disk.h>
#include <sys/disklabel.h>
#include <sys/dkio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <util.h>

#include <algorithm>

#include "probes/live/bsd_interlocks.hpp"
#include "probes/support/text.hpp"

// Reads and writes go to the character device, which has no buffer cache. The block device of the same
// partition is kept open beside it for writing: NetBSD/src sys/miscfs/specfs/spec_vnops.c spec_open() allows
// a block device one open at a time, and mounts, swap, RAIDframe, cgd, ccd and wedges (of their parent) open
// it.

namespace diskwright {
namespace {

std::string raw_path(const std::string& path, bool raw) {
    const auto slash = path.rfind('/');
    std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (raw) return folder + "r" + name;
    return name.starts_with('r') ? folder + name.substr(1) : path;
}

/// The two nodes of the device that `path` names by either.
struct Nodes {
    std::string block, raw;
};
Result<Nodes> nodes_of(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return system_error(path, "");
    if (S_ISBLK(status.st_mode)) return Nodes{path, raw_path(path, true)};
    return Nodes{raw_path(path, false), path};
}

bool is_regular(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<OpenedDevice> open_raw(const std::string& path, int flags) {
    const auto nodes = nodes_of(path);
    if (!nodes) return nodes.error();
    auto device = open_device(nodes->raw, flags, 0);
    if (!device) return device;
    if (!S_ISCHR(device->status.st_mode))
        return Error{ErrorKind::no_input, escaped(path) + ": neither a disk nor a file"};
    // The identity is that of the node that was named.
    if (stat(path.c_str(), &device->status) != 0) return system_error(path, "");
    device->path = path;
    device->direct = true;
    return device;
}

std::optional<Obstacle> wedge_there(const OpenedDevice& device, ByteRange range, std::uint64_t sector) {
    std::vector<dkwedge_info> wedges(256);
    dkwedge_list list{};
    list.dkwl_buf = wedges.data();
    list.dkwl_bufsize = wedges.size() * sizeof(dkwedge_info);
    if (ioctl(device.io.get(), DIOCLWEDGES, &list) != 0)
        // A disk driver without wedges has none; a wedge itself has none below it.
        return errno == ENOTTY || errno == EOPNOTSUPP
                   ? std::nullopt
                   : std::optional(Obstacle{"overlap", "cannot be checked: DIOCLWEDGES: " + errno_text()});
    if (list.dkwl_ncopied < list.dkwl_nwedges) return Obstacle{"overlap", "too many wedges to check"};
    for (std::size_t i = 0; i < list.dkwl_ncopied; ++i) {
        const auto& wedge = wedges[i];
        const ByteRange place{static_cast<std::uint64_t>(wedge.dkw_offset) * sector, wedge.dkw_size * sector};
        if (overlap(place, range))
            return Obstacle{"overlap", "the wedge " + escaped(wedge.dkw_devname) + " lies there"};
    }
    return std::nullopt;
}

// The label as the kernel has it. Partitions that are the whole disk are other names of the raw partition.
std::optional<Obstacle> partition_there(const OpenedDevice& device, ByteRange range, std::uint64_t sector) {
    disklabel label{};
    if (ioctl(device.io.get(), DIOCGDINFO, &label) != 0)
        return errno == ENOTTY || errno == EOPNOTSUPP
                   ? std::nullopt
                   : std::optional(Obstacle{"overlap", "cannot be checked: DIOCGDINFO: " + errno_text()});
    const int own = DISKPART(device.status.st_rdev);
    const auto place = [&](int part) {
        const auto& entry = label.d_partitions[part];
        return ByteRange{std::uint64_t{entry.p_offset} * sector, std::uint64_t{entry.p_size} * sector};
    };
    ByteRange on_disk = range;
    if (own < label.d_npartitions) on_disk.offset += place(own).offset;
    for (int part = 0; part < std::min<int>(label.d_npartitions, MAXPARTITIONS); ++part) {
        const auto& entry = label.d_partitions[part];
        const bool unused = entry.p_size == 0 || entry.p_fstype == FS_UNUSED;
        if (part == own || part == RAW_PART || unused || !overlap(place(part), on_disk)) continue;
        return Obstacle{"overlap", fmt::format("partition {} of the disklabel lies there", char('a' + part))};
    }
    return std::nullopt;
}

std::vector<struct stat> both_nodes(const OpenedDevice& device) {
    std::vector<struct stat> out{device.status};
    struct stat status {};
    if (fstat(device.io.get(), &status) == 0) out.push_back(status);
    if (device.lock && fstat(device.lock.get(), &status) == 0) out.push_back(status);
    return out;
}

}  // namespace

namespace device_system {

Result<OpenedDevice> open_for_reading(const std::string& path) {
    return is_regular(path) ? open_device(path, O_RDONLY | O_NONBLOCK, O_DIRECT) : open_raw(path, O_RDONLY);
}

Result<OpenedDevice> open_exclusively(const std::string& path) {
    if (is_regular(path)) {
        auto file = open_device(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW, O_DIRECT);
        if (file && flock(file->io.get(), LOCK_EX | LOCK_NB) != 0)
            return Error{ErrorKind::no_permission, escaped(path) + ": locked by another program"};
        return file;
    }
    const auto nodes = nodes_of(path);
    if (!nodes) return nodes.error();
    FileDescriptor lock(open(nodes->block.c_str(), O_RDWR | O_CLOEXEC));
    if (!lock && errno == EBUSY)
        return interlock_error(path, {"open elsewhere",
                                      "the block device is busy: mounted, swap, a component "
                                      "of a set, or the parent of a wedge in use"});
    if (!lock) return system_error(nodes->block, "");
    auto device = open_raw(path, O_RDWR);
    if (device) device->lock = std::move(lock);
    return device;
}

Result<DeviceGeometry> geometry(const OpenedDevice& device) {
    DeviceGeometry out;
    if (device.is_file()) {
        out.size_bytes = static_cast<std::uint64_t>(device.status.st_size);
        out.sector_bytes = 4 * KiB;
        out.cached_because = "O_DIRECT is a hint on NetBSD: a file may be read from memory";
        return out;
    }
    off_t size = 0;
    unsigned sector = 0;
    if (ioctl(device.io.get(), DIOCGMEDIASIZE, &size) != 0 ||
        ioctl(device.io.get(), DIOCGSECTORSIZE, &sector) != 0 || size <= 0 || sector == 0)
        return Error{ErrorKind::no_input, escaped(device.path) + ": not a disk"};
    out.size_bytes = static_cast<std::uint64_t>(size);
    out.sector_bytes = sector;
    return out;
}

Result<bool> flush(const OpenedDevice& device) {
    int force = 0;
    const int done = device.is_file() ? fsync_range(device.io.get(), FDATASYNC | FDISKSYNC, 0, 0)
                                      : ioctl(device.io.get(), DIOCCACHESYNC, &force);
    if (done == 0) return true;
    if (errno == ENOTTY || errno == EOPNOTSUPP || errno == ENODEV)
        return Error{ErrorKind::unavailable, "the driver takes no flush: " + errno_text()};
    return system_error(device.path, "flush");
}

bool is_written(const OpenedDevice&, ByteRange) {
    return false;  // no release before 10 tells a hole; filling is safe everywhere
}

std::string serial(const OpenedDevice&) {
    return "";  // not told by every driver; the descriptor that stays open is the identity
}

bool shows_partitions(const OpenedDevice&) {
    return false;  // a divided disk is refused as a whole
}

std::optional<Obstacle> obstacle(const OpenedDevice& device, ByteRange range, CommandRunner& commands) {
    if (auto found = used_as_swap({"swapctl", "-l"}, both_nodes(device), commands)) return found;
    if (device.is_file()) {
        if (auto found = behind_vnd({"vndconfig", "-l"}, device.status, commands)) return found;
        return open_by_process(device.path, commands);
    }
    const auto sizes = geometry(device);
    if (!sizes) return Obstacle{"overlap", "cannot be checked: " + sizes.error().message};
    if (auto found = wedge_there(device, range, sizes->sector_bytes)) return found;
    if (auto found = partition_there(device, range, sizes->sector_bytes)) return found;
    const auto nodes = nodes_of(device.path);
    if (!nodes) return Obstacle{"open elsewhere", "cannot be checked: " + nodes.error().message};
    // A character device can be open many times; the block device is ours alone.
    return open_by_process(nodes->raw, commands);
}

}  // namespace device_system
}  // namespace diskwright

#endif
