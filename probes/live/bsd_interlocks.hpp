// SPDX-License-Identifier: BSD-2-Clause
// The interlocks of the BSDs as far as base commands and the kernel's own texts answer them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probes/live/device_system.hpp"

namespace diskwright {

/// fstat(1) of the path shows a process that is not this one. It compares file system and inode, so this is
/// for plain files; another node of the same device would not be seen.
std::optional<Obstacle> open_by_process(const std::string& path, CommandRunner& commands);
/// A device node by what it stands for.
struct DeviceNumber {
    bool character = false;
    std::uint64_t major = 0, minor = 0;
    bool operator==(const DeviceNumber&) const = default;
};
/// fstat -n of NetBSD shows a process, not this one, with one of these devices open by whatever node.
std::optional<Obstacle> device_open_by_process(const std::vector<DeviceNumber>& devices,
                                               CommandRunner& commands);
/// One driver of NetBSD's kern.drivers; -1 where it has no such device.
struct DriverMajors {
    std::int64_t character = -1, block = -1;
};
/// Whether the two nodes are the two faces of one device: same minor, majors of one driver.
bool same_unit(const DeviceNumber& raw, const DeviceNumber& block, const std::vector<DriverMajors>& drivers);
/// A swap area of `list` (swapctl -l, swapinfo) is the same device or file as one of these.
std::optional<Obstacle> used_as_swap(const std::vector<std::string>& list,
                                     const std::vector<struct stat>& devices, CommandRunner& commands);
/// A vnd(4) of `list` (vndconfig -l, vnconfig -l) covers a file of that inode number; the file system is not
/// compared, so another file of the same number is refused too.
std::optional<Obstacle> behind_vnd(const std::vector<std::string>& list, const struct stat& file,
                                   CommandRunner& commands);
/// An md(4) of mdconfig -l -v covers the file; one whose file cannot be looked at may.
std::optional<Obstacle> behind_md(const struct stat& file, CommandRunner& commands);
/// Of kern.geom.confxml, for a provider that this process has open `own_opens` times (0 or 1) through /dev:
/// who else uses it. A class that merely attached is a user too: gstripe takes no access until its own volume
/// is opened.
std::optional<Obstacle> geom_user(std::string_view confxml, std::string_view provider, unsigned own_opens);

}  // namespace diskwright
