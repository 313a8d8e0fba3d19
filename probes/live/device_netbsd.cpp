// SPDX-License-Identifier: BSD-2-Clause
#ifdef __NetBSD__

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/disk.h>
#include <sys/disklabel.h>
#include <sys/dkio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/iostat.h>
#include <sys/sysctl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "probes/live/bsd_interlocks.hpp"
#include "probes/model/host_facts.hpp"
#include "probes/model/storage_graph.hpp"
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

/// What the two nodes of the device that `path` names by either should be called. Names prove nothing: what
/// is written to is compared with what was named by device number.
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

Result<OpenedDevice> open_raw(const std::string& path, const std::string& raw, int flags) {
    auto device = open_device(raw, flags, 0);
    if (!device) return device;
    if (!S_ISCHR(device->status.st_mode))
        return Error{ErrorKind::no_input, escaped(path) + ": neither a disk nor a file"};
    device->path = path;
    device->direct = true;
    return device;
}

DeviceNumber number_of(const struct stat& node) {
    return {S_ISCHR(node.st_mode), static_cast<std::uint64_t>(major(node.st_rdev)),
            static_cast<std::uint64_t>(minor(node.st_rdev))};
}

// kern.drivers is an array of struct kinfo_drivers, sys/sys/sysctl.h.
std::optional<std::vector<DriverMajors>> drivers() {
    std::size_t size = 0;
    if (sysctlbyname("kern.drivers", nullptr, &size, nullptr, 0) != 0) return std::nullopt;
    std::vector<kinfo_drivers> list(size / sizeof(kinfo_drivers) + 1);
    size = list.size() * sizeof(kinfo_drivers);
    if (sysctlbyname("kern.drivers", list.data(), &size, nullptr, 0) != 0) return std::nullopt;
    list.resize(size / sizeof(kinfo_drivers));
    std::vector<DriverMajors> out;
    for (const auto& driver : list) out.push_back({driver.d_cmajor, driver.d_bmajor});
    return out;
}

// Both descriptors are of one device, and that is the one that was named.
std::optional<Obstacle> nodes_differ(const OpenedDevice& device) {
    const auto list = drivers();
    if (!list) return Obstacle{"named twice", "cannot be checked: kern.drivers: " + errno_text()};
    if (!S_ISBLK(device.lock_status->st_mode) ||
        !same_unit(number_of(device.status), number_of(*device.lock_status), *list))
        return Obstacle{"named twice", "the character device and the block device of that name differ"};
    struct stat now {};
    if (stat(device.path.c_str(), &now) != 0 || !device.is_named_by(now))
        return Obstacle{"named twice", "became another device while it was opened"};
    return std::nullopt;
}

/// Every node through which bytes of the device can be reached: its own, the whole disk around a partition,
/// the partitions within the whole disk.
std::vector<DeviceNumber> related_nodes(const OpenedDevice& device) {
    std::vector<DeviceNumber> out;
    for (const auto* node : {&device.status, &*device.lock_status}) {
        const dev_t number = node->st_rdev;
        const int own = DISKPART(number);
        for (int part = 0; part < MAXPARTITIONS; ++part) {
            if (part != own && part != RAW_PART && own != RAW_PART) continue;
            struct stat other = *node;
            other.st_rdev = MAKEDISKDEV(major(number), DISKUNIT(number), part);
            out.push_back(number_of(other));
        }
    }
    return out;
}

// Wedges count from the beginning of the disk.
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

/// Where the range lies on the disk, and the label as the kernel has it; no label where the driver has none.
struct OnDisk {
    ByteRange range;
    std::optional<disklabel> label;
};
Result<OnDisk> on_disk(const OpenedDevice& device, ByteRange range, std::uint64_t sector) {
    disklabel label{};
    if (ioctl(device.io.get(), DIOCGDINFO, &label) != 0) {
        if (errno == ENOTTY || errno == EOPNOTSUPP) return OnDisk{range, std::nullopt};
        return system_error(device.path, "DIOCGDINFO");
    }
    const int own = DISKPART(device.status.st_rdev);
    if (own != RAW_PART && own < std::min<int>(label.d_npartitions, MAXPARTITIONS))
        range.offset += std::uint64_t{label.d_partitions[own].p_offset} * sector;
    return OnDisk{range, label};
}

// The raw partition is the whole disk and overlaps everything; an unused entry, as c is on i386, is no
// partition.
std::optional<Obstacle> partition_there(const OpenedDevice& device, const OnDisk& place,
                                        std::uint64_t sector) {
    if (!place.label) return std::nullopt;
    const int own = DISKPART(device.status.st_rdev);
    for (int part = 0; part < std::min<int>(place.label->d_npartitions, MAXPARTITIONS); ++part) {
        const auto& entry = place.label->d_partitions[part];
        const ByteRange range{std::uint64_t{entry.p_offset} * sector, std::uint64_t{entry.p_size} * sector};
        const bool unused = entry.p_size == 0 || entry.p_fstype == FS_UNUSED;
        if (part == own || part == RAW_PART || unused || !overlap(range, place.range)) continue;
        return Obstacle{"overlap", fmt::format("partition {} of the disklabel lies there", char('a' + part))};
    }
    return std::nullopt;
}

std::vector<struct stat> both_nodes(const OpenedDevice& device) {
    std::vector<struct stat> out{device.status};
    if (device.lock_status) out.push_back(*device.lock_status);
    return out;
}

}  // namespace

namespace device_system {

std::string whole_disk_path(const std::string& folder, const std::string& disk) {
    return fmt::format("{}r{}{:c}", folder, disk, static_cast<char>('a' + RAW_PART));
}

Result<OpenedDevice> open_for_reading(const std::string& path) {
    if (is_regular(path)) return open_device(path, O_RDONLY | O_NONBLOCK, O_DIRECT);
    const auto nodes = nodes_of(path);
    if (!nodes) return nodes.error();
    return open_raw(path, nodes->raw, O_RDONLY);
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
    auto device = open_raw(path, nodes->raw, O_RDWR);
    if (!device) return device;
    struct stat status {};
    if (fstat(lock.get(), &status) != 0) return system_error(nodes->block, "");
    device->lock = std::move(lock);
    device->lock_status = status;
    if (auto found = nodes_differ(*device)) return interlock_error(path, *found);
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
    disk_sectoralign align{};
    if (ioctl(device.io.get(), DIOCGSECTORALIGN, &align) == 0 && align.dsa_alignment > 0) {
        out.report.physical_sector_bytes = std::uint64_t{align.dsa_alignment} * sector;
        out.report.physical_offset_bytes =
            std::uint64_t{align.dsa_firstaligned} % align.dsa_alignment * sector;
    }
    int cache = 0;
    if (ioctl(device.io.get(), DIOCGCACHE, &cache) == 0)
        out.report.volatile_cache = (cache & DKCACHE_WRITE) != 0;
    return out;
}

// hw.iostats of NetBSD, sys/iostat.h; the third number is the size of an entry.
std::optional<DeviceCounts> counts(const OpenedDevice& device) {
    const std::string disk = disk_name(device_name(device.path));
    std::array<int, 3> name{CTL_HW, HW_IOSTATS, sizeof(io_sysctl)};
    std::size_t size = 0;
    if (device.is_file() || sysctl(name.data(), 3, nullptr, &size, nullptr, 0) != 0) return std::nullopt;
    std::vector<io_sysctl> drives(size / sizeof(io_sysctl) + 8);
    size = drives.size() * sizeof(io_sysctl);
    if (sysctl(name.data(), 3, drives.data(), &size, nullptr, 0) != 0) return std::nullopt;
    drives.resize(size / sizeof(io_sysctl));
    for (const io_sysctl& drive : drives)
        if (disk == std::string_view(drive.name, strnlen(drive.name, sizeof drive.name)))
            return DeviceCounts{drive.rxfer + drive.wxfer, drive.time_sec + drive.time_usec / 1e6};
    return std::nullopt;
}

bool yield_to_others() {
    return false;
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
    const auto place = on_disk(device, range, sizes->sector_bytes);
    if (!place) return Obstacle{"overlap", "cannot be checked: " + place.error().message};
    if (auto found = wedge_there(device, place->range, sizes->sector_bytes)) return found;
    if (auto found = partition_there(device, *place, sizes->sector_bytes)) return found;
    // A character device can be open many times; only the block device is ours alone.
    return device_open_by_process(related_nodes(device), commands);
}

}  // namespace device_system
}  // namespace diskwright

#endif
