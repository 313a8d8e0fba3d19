// SPDX-License-Identifier: BSD-2-Clause
// The interlocks of the BSDs as far as base commands and the kernel's own texts answer them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/live/device_system.hpp"

namespace diskwright {

/// fstat(1) of the path shows a process that is not this one.
std::optional<Obstacle> open_by_process(const std::string& path, CommandRunner& commands);
/// A swap area of `list` (swapctl -l, swapinfo) is the same device or file as one of these.
std::optional<Obstacle> used_as_swap(const std::vector<std::string>& list,
                                     const std::vector<struct stat>& devices, CommandRunner& commands);
/// A vnd(4) of `list` (vndconfig -l, vnconfig -l) covers a file of that inode number; the file system is not
/// compared, so another file of the same number is refused too.
std::optional<Obstacle> behind_vnd(const std::vector<std::string>& list, const struct stat& file,
                                   CommandRunner& commands);
/// An md(4) of mdconfig -l -v covers the file.
std::optional<Obstacle> behind_md(const struct stat& file, CommandRunner& commands);
/// Of kern.geom.confxml, for a provider that this process has open once through /dev: who else uses it.
std::optional<Obstacle> geom_user(std::string_view confxml, std::string_view provider);

}  // namespace diskwright
