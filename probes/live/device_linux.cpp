// SPDX-License-Identifier: BSD-2-Clause
#ifdef __linux__

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>

#include "probes/live/device_system.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t sysfs_sector = 512;  // of start and size in /sys, whatever the device's

std::string sysfs_folder(dev_t device) {
    return fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
}

std::optional<std::string> first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    return std::string(trim(line));
}

std::optional<std::uint64_t> number_in(const std::string& path) {
    const auto line = first_line(path);
    return line ? to_unsigned(*line) : std::nullopt;
}

bool exists(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
}

/// Names in a folder without "." and ".."; nothing when it cannot be read, with errno set.
std::optional<std::vector<std::string>> names_in(const std::string& folder) {
    DIR* open_folder = opendir(folder.c_str());
    if (!open_folder) return std::nullopt;
    std::vector<std::string> names;
    while (const dirent* entry = readdir(open_folder))
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            names.emplace_back(name);
    closedir(open_folder);
    std::sort(names.begin(), names.end());
    return names;
}

std::string disk_folder(dev_t device) {
    const std::string folder = sysfs_folder(device);
    return exists(folder + "/partition") ? folder + "/.." : folder;
}

// Octal escapes of /proc/swaps and mountinfo: fs/seq_file.c mangle_path().
std::string unmangled(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
        if (text[i] == '\\' && i + 3 < text.size() && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
            out +=
                static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

// Device numbers are what a mount of a block device is found by; btrfs and overlay show another number there,
// so the mounted source is looked at too. Documentation/filesystems/proc.rst 3.5.
std::optional<Obstacle> mounted(const OpenedDevice& device) {
    std::ifstream file("/proc/self/mountinfo");
    if (!file) return Obstacle{"mounted", "cannot be checked: no /proc/self/mountinfo"};
    const std::string number =
        fmt::format("{}:{}", major(device.status.st_rdev), minor(device.status.st_rdev));
    for (std::string line; std::getline(file, line);) {
        const auto fields = words(line);
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 7 || fields.end() - dash < 3) continue;
        const std::string source = unmangled(dash[2]);
        struct stat status {};
        const bool same_source =
            source.starts_with('/') && stat(source.c_str(), &status) == 0 && same_file(status, device.status);
        if (fields[2] == number || same_source)
            return Obstacle{"mounted", "on " + escaped(unmangled(fields[4]))};
    }
    return std::nullopt;
}

std::optional<Obstacle> used_as_swap(const OpenedDevice& device) {
    std::ifstream file("/proc/swaps");
    // A kernel without swap has no such file.
    if (!file && exists("/proc/self/mountinfo")) return std::nullopt;
    if (!file) return Obstacle{"swap", "cannot be checked: no /proc"};
    for (std::string line; std::getline(file, line);) {
        const auto fields = words(line);
        if (fields.empty() || !fields[0].starts_with('/')) continue;
        struct stat status {};
        if (stat(unmangled(fields[0]).c_str(), &status) == 0 && same_file(status, device.status))
            return Obstacle{"swap", "in use as " + escaped(fields[0])};
    }
    return std::nullopt;
}

std::optional<Obstacle> component(const OpenedDevice& device) {
    const auto holders = names_in(sysfs_folder(device.status.st_rdev) + "/holders");
    if (!holders)
        return Obstacle{"component", "cannot be checked: no " + sysfs_folder(device.status.st_rdev)};
    if (holders->empty()) return std::nullopt;
    return Obstacle{"component", "part of " + escaped(holders->front())};
}

struct Part {
    std::string name;
    ByteRange range;
};

std::vector<Part> partitions_of(const std::string& disk) {
    std::vector<Part> out;
    for (const auto& name : names_in(disk).value_or(std::vector<std::string>{})) {
        const std::string folder = disk + "/" + name;
        if (!exists(folder + "/partition")) continue;
        const auto start = number_in(folder + "/start"), size = number_in(folder + "/size");
        // One whose place is not told may be anywhere.
        constexpr ByteRange anywhere{0, UINT64_MAX / 2};
        out.push_back(
            {name, start && size ? ByteRange{*start * sysfs_sector, *size * sysfs_sector} : anywhere});
    }
    return out;
}

std::optional<Obstacle> overlapping(const OpenedDevice& device, ByteRange range) {
    const std::string folder = sysfs_folder(device.status.st_rdev);
    const bool is_partition = exists(folder + "/partition");
    ByteRange on_disk = range;
    if (is_partition) {
        const auto start = number_in(folder + "/start");
        if (!start) return Obstacle{"overlap", "cannot be checked: no " + folder + "/start"};
        on_disk.offset += *start * sysfs_sector;
    }
    const auto own = is_partition ? number_in(folder + "/partition") : std::nullopt;
    for (const Part& part : partitions_of(disk_folder(device.status.st_rdev))) {
        const bool is_self =
            own && number_in(disk_folder(device.status.st_rdev) + "/" + part.name + "/partition") == own;
        if (!is_self && overlap(part.range, on_disk))
            return Obstacle{"overlap", "the partition " + escaped(part.name) + " lies there"};
    }
    return std::nullopt;
}

// A loop device keeps its file open without any process: include/uapi/linux/loop.h.
std::optional<Obstacle> behind_loop(const OpenedDevice& device) {
    const auto devices = names_in("/sys/block");
    if (!devices) return Obstacle{"loop", "cannot be checked: no /sys/block"};
    for (const auto& name : *devices) {
        if (!exists("/sys/block/" + name + "/loop/backing_file")) continue;
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

/// A process that has it open; "" when none has; nothing when some process could not be looked at.
std::optional<std::string> process_with(const OpenedDevice& device) {
    bool all_seen = true;
    const auto processes = names_in("/proc");
    if (!processes) return std::nullopt;
    const std::string own = std::to_string(getpid());
    for (const auto& process : *processes) {
        if (!to_unsigned(process) || process == own) continue;
        const std::string folder = "/proc/" + process + "/fd";
        const auto descriptors = names_in(folder);
        if (!descriptors) all_seen = all_seen && (errno == ENOENT || errno == ESRCH);
        for (const auto& descriptor : descriptors.value_or(std::vector<std::string>{})) {
            struct stat status {};
            if (stat((folder + "/" + descriptor).c_str(), &status) == 0 && same_file(status, device.status))
                return fmt::format("process {} ({})", process,
                                   escaped(first_line("/proc/" + process + "/comm").value_or("?")));
        }
    }
    if (!all_seen) return std::nullopt;
    return "";
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

std::optional<Obstacle> open_elsewhere(const OpenedDevice& device) {
    const Lease lease = device.is_file() ? try_lease(device.io.get()) : Lease::unsupported;
    if (lease == Lease::granted) return std::nullopt;
    const auto process = process_with(device);
    if (process && !process->empty()) return Obstacle{"open elsewhere", "by " + *process};
    if (lease == Lease::denied) return Obstacle{"open elsewhere", "somebody else has it open"};
    if (!process) return Obstacle{"open elsewhere", "cannot be checked without root"};
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
    const std::string folder = disk_folder(device.status.st_rdev);
    if (!device.direct) return "the device refuses direct I/O";
    if (const auto file = first_line(folder + "/loop/backing_file"))
        if (first_line(folder + "/loop/dio").value_or("0") == "0")
            return "the loop device goes through the cache of the file system of " + escaped(*file);
    constexpr unsigned ram_major = 1;  // Documentation/admin-guide/devices.txt
    if (exists(folder + "/mm_stat") || major(device.status.st_rdev) == ram_major)
        return "the device is memory";
    return "";
}

// Why a block device could not be opened exclusively; the error itself where nothing is found.
Error refused_open(const std::string& path, const Error& error) {
    const auto device = open_device(path, O_RDONLY | O_NONBLOCK, 0);
    if (!device || !S_ISBLK(device->status.st_mode)) return error;
    auto found = mounted(*device);
    if (!found) found = used_as_swap(*device);
    if (!found) found = component(*device);
    if (!found) found = overlapping(*device, {0, UINT64_MAX / 2});
    return found ? interlock_error(path, *found) : error;
}

}  // namespace

namespace device_system {

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
        const auto sector = number_in(disk_folder(device.status.st_dev) + "/queue/logical_block_size");
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
    return out;
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
    if (device.is_file()) return "";
    const std::string folder = disk_folder(device.status.st_rdev);
    for (const auto* name : {"/serial", "/device/serial", "/wwid", "/device/wwid"})
        if (auto line = first_line(folder + name)) return *line;
    return "";
}

bool shows_partitions(const OpenedDevice& device) {
    return !device.is_file() && !partitions_of(sysfs_folder(device.status.st_rdev)).empty();
}

std::optional<Obstacle> obstacle(const OpenedDevice& device, ByteRange range, CommandRunner&) {
    if (auto found = used_as_swap(device)) return found;
    if (auto found = device.is_file() ? behind_loop(device) : mounted(device)) return found;
    if (!device.is_file()) {
        if (auto found = component(device)) return found;
        if (auto found = overlapping(device, range)) return found;
    }
    return open_elsewhere(device);
}

}  // namespace device_system
}  // namespace diskwright

#endif
