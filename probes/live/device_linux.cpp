// SPDX-License-Identifier: BSD-2-Clause
#ifdef __linux__

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "probes/live/linux_interlocks.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

const KernelRoots roots;

std::string number_text(dev_t device) {
    return fmt::format("{}:{}", major(device), minor(device));
}

KernelName kernel_name(const OpenedDevice& device) {
    return {device.status, number_text(device.is_file() ? device.status.st_dev : device.status.st_rdev)};
}

// A loop device keeps its file open without any process: include/uapi/linux/loop.h.
std::optional<Obstacle> behind_loop(const OpenedDevice& device) {
    const auto devices = names_in("/sys/block");
    if (!devices) return Obstacle{"loop", "cannot be checked: no /sys/block"};
    for (const auto& name : *devices) {
        if (!path_exists("/sys/block/" + name + "/loop/backing_file")) continue;
        const FileDescriptor loop(open(("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        loop_info64 info{};
        if (!loop || ioctl(loop.get(), LOOP_GET_STATUS64, &info) != 0) {
            struct stat status {};
            const auto file = first_line("/sys/block/" + name + "/loop/backing_file");
            if (file && stat(file->c_str(), &status) == 0 && !same_file(status, device.status)) continue;
            return Obstacle{"loop", fmt::format("cannot be checked: /dev/{}: {}", name, errno_text())};
        }
        if (info.lo_inode == device.status.st_ino && info.lo_device == device.status.st_dev)
            return Obstacle{"loop", "it backs /dev/" + name};
    }
    return std::nullopt;
}

// A write lease is granted only while no other descriptor of the file is open anywhere, fcntl(2); it is given
// back at once. Its break signal is one that is ignored by default.
enum class Lease { granted, denied, unsupported };
Lease try_lease(int fd) {
    fcntl(fd, F_SETSIG, SIGURG);
    if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0) return errno == EAGAIN ? Lease::denied : Lease::unsupported;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return Lease::granted;
}

// A file that is open to nobody else on this machine gets its lease, wherever the others run.
std::optional<Obstacle> open_elsewhere(const OpenedDevice& device) {
    const Lease lease = device.is_file() ? try_lease(device.io.get()) : Lease::unsupported;
    if (lease == Lease::granted) return std::nullopt;
    const OpenBy open = open_by_process(roots, kernel_name(device));
    if (!open.process.empty()) return Obstacle{"open elsewhere", "by " + open.process};
    if (lease == Lease::denied) return Obstacle{"open elsewhere", "somebody else has it open"};
    if (!open.not_seen.empty()) return Obstacle{"open elsewhere", "cannot be checked: " + open.not_seen};
    return std::nullopt;
}

struct Cached {
    std::uint64_t magic;  // f_type, include/uapi/linux/magic.h; ZFS: module/zfs of OpenZFS
    std::string_view why;
};
constexpr std::array<Cached, 7> cached_filesystems{{{0x01021994, "a file of tmpfs is memory"},
                                                    {0x858458f6, "a file of ramfs is memory"},
                                                    {0x2fc12fc1, "ZFS reads through its own cache"},
                                                    {0x65735546, "FUSE: the file is another program's"},
                                                    {0x6969, "NFS: the file is another host's"},
                                                    {0xff534d42, "SMB: the file is another host's"},
                                                    {0x01021997, "9p: the file is another host's"}}};

std::string file_cache(const OpenedDevice& device) {
    struct statfs filesystem {};
    if (fstatfs(device.io.get(), &filesystem) == 0)
        for (const Cached& row : cached_filesystems)
            if (static_cast<std::uint64_t>(static_cast<std::uint32_t>(filesystem.f_type)) == row.magic)
                return std::string(row.why);
    return device.direct ? "" : "the file system refuses direct I/O";
}

std::string device_cache(const OpenedDevice& device) {
    const std::string folder = disk_folder(roots, number_text(device.status.st_rdev));
    if (!device.direct) return "the device refuses direct I/O";
    if (const auto file = first_line(folder + "/loop/backing_file"))
        if (first_line(folder + "/loop/dio").value_or("0") == "0")
            return "the loop device goes through the cache of the file system of " + escaped(*file);
    constexpr unsigned ram_major = 1;  // Documentation/admin-guide/devices.txt
    if (path_exists(folder + "/mm_stat") || major(device.status.st_rdev) == ram_major)
        return "the device is memory";
    return "";
}

// Why a block device could not be opened exclusively; the error itself where nothing is found.
Error refused_open(const std::string& path, const Error& error) {
    const auto device = open_device(path, O_RDONLY | O_NONBLOCK, 0);
    if (!device || !S_ISBLK(device->status.st_mode)) return error;
    const KernelName name = kernel_name(*device);
    auto found = mounted(roots, name);
    if (!found) found = used_as_swap(roots, name);
    if (!found) found = component(roots, name);
    if (!found) found = overlapping(roots, name, {0, UINT64_MAX / 2});
    return found ? interlock_error(path, *found) : error;
}

// Documentation/ABI/stable/sysfs-block: write_cache says "write back" where flushes are needed.
DeviceReport report_of(const OpenedDevice& device) {
    DeviceReport report;
    unsigned physical = 0;
    int offset = 0;
    if (ioctl(device.io.get(), BLKPBSZGET, &physical) == 0 && physical > 0)
        report.physical_sector_bytes = physical;
    if (ioctl(device.io.get(), BLKALIGNOFF, &offset) == 0 && offset >= 0)
        report.physical_offset_bytes = static_cast<std::uint64_t>(offset);
    const std::string queue = disk_folder(roots, number_text(device.status.st_rdev)) + "/queue/";
    if (const auto rotational = number_in(queue + "rotational")) report.rotational = *rotational != 0;
    if (const auto cache = first_line(queue + "write_cache")) report.volatile_cache = *cache == "write back";
    return report;
}

}  // namespace

namespace device_system {

std::string whole_disk_path(const std::string& folder, const std::string& disk) {
    return folder + disk;
}

Result<OpenedDevice> open_for_reading(const std::string& path) {
    auto device = open_device(path, O_RDONLY | O_NONBLOCK, O_DIRECT);
    if (device && S_ISCHR(device->status.st_mode))
        return Error{ErrorKind::no_input, escaped(path) + ": neither a disk nor a file"};
    return device;
}

Result<OpenedDevice> open_exclusively(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return system_error(path, "");
    // O_EXCL claims a block device against mounts, swap, md and dm (block/bdev.c, bd_prepare_to_claim); on a
    // file without O_CREAT it means nothing.
    const bool file = S_ISREG(status.st_mode);
    auto device = open_device(path, O_RDWR | O_NONBLOCK | (file ? O_NOFOLLOW : O_EXCL), O_DIRECT);
    if (!device && !file && device.error().kind == ErrorKind::no_permission)
        return refused_open(path, device.error());
    if (!device) return device;
    if (S_ISCHR(device->status.st_mode))
        return Error{ErrorKind::no_input, escaped(path) + ": neither a disk nor a file"};
    if (file && flock(device->io.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{ErrorKind::no_permission, escaped(path) + ": locked by another program"};
    return device;
}

Result<DeviceGeometry> geometry(const OpenedDevice& device) {
    DeviceGeometry out;
    if (device.is_file()) {
        out.size_bytes = static_cast<std::uint64_t>(device.status.st_size);
        out.cached_because = file_cache(device);
        const auto sector =
            number_in(disk_folder(roots, number_text(device.status.st_dev)) + "/queue/logical_block_size");
        if (!sector && out.cached_because.empty())
            out.cached_because = "the device below the file system is not known";
        out.sector_bytes = sector.value_or(4 * KiB);
        return out;
    }
    int sector = 0;
    if (ioctl(device.io.get(), BLKGETSIZE64, &out.size_bytes) != 0 ||
        ioctl(device.io.get(), BLKSSZGET, &sector) != 0 || sector <= 0)
        return system_error(device.path, "size of the device");
    out.sector_bytes = static_cast<std::uint64_t>(sector);
    out.cached_because = device_cache(device);
    out.report = report_of(device);
    return out;
}

// /sys/dev/block/.../stat: reads first, writes fifth, milliseconds busy tenth
// (Documentation/admin-guide/iostats.rst).
std::optional<DeviceCounts> counts(const OpenedDevice& device) {
    const auto line = first_line(disk_folder(roots, kernel_name(device).number) + "/stat");
    if (!line) return std::nullopt;
    const auto fields = words(*line);
    if (fields.size() < 10) return std::nullopt;
    const auto reads = to_unsigned(fields[0]), writes = to_unsigned(fields[4]), busy = to_unsigned(fields[9]);
    if (!reads || !writes || !busy) return std::nullopt;
    return DeviceCounts{*reads + *writes, static_cast<double>(*busy) / 1000};
}

// ioprio_set(2) has no wrapper; class idle for the whole process, which later threads inherit.
bool yield_to_others() {
    constexpr int process = 1, idle_class = 3 << 13;
    return syscall(SYS_ioprio_set, process, 0, idle_class) == 0;
}

Result<bool> flush(const OpenedDevice& device) {
    if (fdatasync(device.io.get()) == 0) return true;
    return system_error(device.path, "flush");
}

bool is_written(const OpenedDevice& device, ByteRange range) {
    // ext4 and XFS count what was preallocated but never written as a hole too, lseek(2).
    const off_t hole = lseek(device.io.get(), static_cast<off_t>(range.offset), SEEK_HOLE);
    return hole >= 0 && static_cast<std::uint64_t>(hole) >= range.offset + range.length;
}

std::string serial(const OpenedDevice& device) {
    return device.is_file() ? "" : serial_number(roots, kernel_name(device));
}

bool shows_partitions(const OpenedDevice& device) {
    return !device.is_file() && has_partitions(roots, kernel_name(device));
}

std::optional<Obstacle> obstacle(const OpenedDevice& device, ByteRange range, CommandRunner&) {
    const KernelName name = kernel_name(device);
    if (auto found = used_as_swap(roots, name)) return found;
    if (auto found = device.is_file() ? behind_loop(device) : mounted(roots, name)) return found;
    if (!device.is_file()) {
        if (auto found = component(roots, name)) return found;
        if (auto found = overlapping(roots, name, range)) return found;
    }
    return open_elsewhere(device);
}

}  // namespace device_system
}  // namespace diskwright

#endif
