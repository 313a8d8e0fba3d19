// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/linux_interlocks.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t sysfs_sector = 512;  // of start and size in /sys, whatever the device's

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

struct Part {
    std::string name;
    std::uint64_t index;
    ByteRange range;
};

std::vector<Part> partitions_of(const std::string& disk) {
    std::vector<Part> out;
    for (const auto& name : names_in(disk).value_or(std::vector<std::string>{})) {
        const std::string folder = disk + "/" + name;
        if (!path_exists(folder + "/partition")) continue;
        const auto start = number_in(folder + "/start"), size = number_in(folder + "/size");
        // One whose place is not told may be anywhere.
        constexpr ByteRange anywhere{0, UINT64_MAX / 2};
        out.push_back({name, number_in(folder + "/partition").value_or(0),
                       start && size ? ByteRange{*start * sysfs_sector, *size * sysfs_sector} : anywhere});
    }
    return out;
}

// Processes of other PID namespaces are not in /proc, and hidepid= hides those of other users: only the
// initial namespace sees all, and who may look into process 1 may look into all of them. The inode of the
// initial one is PROC_PID_INIT_INO, torvalds/linux:include/linux/proc_ns.h; hidepid:
// Documentation/filesystems/proc.rst 4.
std::string processes_not_seen(const KernelRoots& roots) {
    std::array<char, 64> link{};
    const auto length = readlink((roots.proc + "/self/ns/pid").c_str(), link.data(), link.size());
    if (length <= 0) return "no " + roots.proc + "/self/ns/pid";
    constexpr std::uint64_t initial = 0xeffffffc;
    if (std::string_view(link.data(), static_cast<std::size_t>(length)) != fmt::format("pid:[{}]", initial))
        return "processes outside this PID namespace (container) are not seen";
    if (!names_in(roots.proc + "/1/fd")) return "not allowed to look into all processes; needs root";
    return "";
}

}  // namespace

std::string sysfs_folder(const KernelRoots& roots, const std::string& number) {
    return fmt::format("{}/dev/block/{}", roots.sys, number);
}

std::string disk_folder(const KernelRoots& roots, const std::string& number) {
    const std::string folder = sysfs_folder(roots, number);
    return path_exists(folder + "/partition") ? folder + "/.." : folder;
}

// Device numbers are what a mount of a block device is found by; btrfs and overlay show another number there,
// so the mounted source is looked at too. Documentation/filesystems/proc.rst 3.5.
std::optional<Obstacle> mounted(const KernelRoots& roots, const KernelName& device) {
    std::ifstream file(roots.proc + "/self/mountinfo");
    if (!file) return Obstacle{"mounted", "cannot be checked: no " + roots.proc + "/self/mountinfo"};
    for (std::string line; std::getline(file, line);) {
        const auto fields = words(line);
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 7 || fields.end() - dash < 3) continue;
        const std::string source = unmangled(dash[2]);
        struct stat status {};
        const bool same_source =
            source.starts_with('/') && stat(source.c_str(), &status) == 0 && same_file(status, device.status);
        if (fields[2] == device.number || same_source)
            return Obstacle{"mounted", "on " + escaped(unmangled(fields[4]))};
    }
    return std::nullopt;
}

// A path of another mount namespace cannot be looked at from here; the kernel itself then refuses: swapon(2)
// claims a block device as O_EXCL does, and writing to a swap file is ETXTBSY (mm/swapfile.c, mm/filemap.c).
std::optional<Obstacle> used_as_swap(const KernelRoots& roots, const KernelName& device) {
    std::ifstream file(roots.proc + "/swaps");
    // A kernel without swap has no such file.
    if (!file && path_exists(roots.proc + "/self/mountinfo")) return std::nullopt;
    if (!file) return Obstacle{"swap", "cannot be checked: no " + roots.proc};
    for (std::string line; std::getline(file, line);) {
        const auto fields = words(line);
        if (fields.empty() || !fields[0].starts_with('/')) continue;
        struct stat status {};
        if (stat(unmangled(fields[0]).c_str(), &status) == 0 && same_file(status, device.status))
            return Obstacle{"swap", "in use as " + escaped(fields[0])};
    }
    return std::nullopt;
}

std::optional<Obstacle> component(const KernelRoots& roots, const KernelName& device) {
    const auto holders = names_in(sysfs_folder(roots, device.number) + "/holders");
    if (!holders) return Obstacle{"component", "cannot be checked: no " + sysfs_folder(roots, device.number)};
    if (holders->empty()) return std::nullopt;
    return Obstacle{"component", "part of " + escaped(holders->front())};
}

std::optional<Obstacle> overlapping(const KernelRoots& roots, const KernelName& device, ByteRange range) {
    const std::string folder = sysfs_folder(roots, device.number);
    const bool is_partition = path_exists(folder + "/partition");
    ByteRange on_disk = range;
    if (is_partition) {
        const auto start = number_in(folder + "/start");
        if (!start) return Obstacle{"overlap", "cannot be checked: no " + folder + "/start"};
        on_disk.offset += *start * sysfs_sector;
    }
    const auto own = is_partition ? number_in(folder + "/partition") : std::nullopt;
    for (const Part& part : partitions_of(disk_folder(roots, device.number)))
        if (part.index != own && overlap(part.range, on_disk))
            return Obstacle{"overlap", "the partition " + escaped(part.name) + " lies there"};
    return std::nullopt;
}

bool has_partitions(const KernelRoots& roots, const KernelName& disk) {
    return !partitions_of(sysfs_folder(roots, disk.number)).empty();
}

std::string serial_number(const KernelRoots& roots, const KernelName& device) {
    const std::string folder = disk_folder(roots, device.number);
    for (const auto* name : {"/serial", "/device/serial", "/wwid", "/device/wwid"})
        if (auto line = first_line(folder + name)) return *line;
    return "";
}

OpenBy open_by_process(const KernelRoots& roots, const KernelName& device) {
    OpenBy out;
    out.not_seen = processes_not_seen(roots);
    const auto processes = names_in(roots.proc);
    if (!processes) return {"", "no " + roots.proc};
    const std::string own = std::to_string(getpid());
    for (const auto& process : *processes) {
        if (!to_unsigned(process) || process == own) continue;
        const std::string folder = roots.proc + "/" + process + "/fd";
        const auto descriptors = names_in(folder);
        if (!descriptors && errno != ENOENT && errno != ESRCH && out.not_seen.empty())
            out.not_seen = "not allowed to look into process " + process + "; needs root";
        for (const auto& descriptor : descriptors.value_or(std::vector<std::string>{})) {
            struct stat status {};
            if (stat((folder + "/" + descriptor).c_str(), &status) != 0 || !same_file(status, device.status))
                continue;
            const auto name = first_line(roots.proc + "/" + process + "/comm");
            out.process = fmt::format("process {} ({})", process, escaped(name.value_or("?")));
            return out;
        }
    }
    return out;
}

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

bool path_exists(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
}

}  // namespace diskwright
