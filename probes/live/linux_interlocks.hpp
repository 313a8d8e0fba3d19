// SPDX-License-Identifier: BSD-2-Clause
// The interlocks of Linux as far as the texts of /proc and /sys answer them.
#pragma once

#include <string>
#include <vector>

#include "probes/live/device_system.hpp"

namespace diskwright {

/// Where the kernel shows its texts.
struct KernelRoots {
    std::string sys = "/sys", proc = "/proc";
};

/// A device, or a file, as the kernel's texts refer to it.
struct KernelName {
    struct stat status {};
    std::string number;  // "8:17": of the device; of a file the device below its file system
};

/// Its folder in /sys, and that of the disk it is a partition of; the same for a whole disk.
std::string sysfs_folder(const KernelRoots& roots, const std::string& number);
std::string disk_folder(const KernelRoots& roots, const std::string& number);

std::optional<Obstacle> mounted(const KernelRoots& roots, const KernelName& device);
std::optional<Obstacle> used_as_swap(const KernelRoots& roots, const KernelName& device);
/// Held by md, dm, bcache or another driver.
std::optional<Obstacle> component(const KernelRoots& roots, const KernelName& device);
/// A partition that the kernel shows, other than the device itself, has bytes of that range.
std::optional<Obstacle> overlapping(const KernelRoots& roots, const KernelName& device, ByteRange range);
bool has_partitions(const KernelRoots& roots, const KernelName& disk);
/// Empty when it has none.
std::string serial_number(const KernelRoots& roots, const KernelName& device);

/// A process other than this one that has it open.
struct OpenBy {
    std::string process;   // empty: none was seen
    std::string not_seen;  // why that may not be the whole truth; empty: every process was looked at
};
OpenBy open_by_process(const KernelRoots& roots, const KernelName& device);

/// Names in a folder without "." and ".."; nothing when it cannot be read, with errno set.
std::optional<std::vector<std::string>> names_in(const std::string& folder);
std::optional<std::string> first_line(const std::string& path);
std::optional<std::uint64_t> number_in(const std::string& path);
bool path_exists(const std::string& path);

}  // namespace diskwright
