// SPDX-License-Identifier: BSD-2-Clause
// Device names as the tools of each system want them, and what has to happen around a tool that needs the
// file system unmounted.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "advisor/commands/fix_builder.hpp"

namespace diskwright {

/// "/dev/wd0e", "/dev/mirror/gm0s1e" also when the input says gm0s1e.
std::string device_path(const FixBuilder& fix, std::string_view name);
/// What newfs and tunefs take: "/dev/rwd0e" on NetBSD, "rsd0a" on OpenBSD, the block device elsewhere.
std::string ffs_device(const FixBuilder& fix, std::string_view name);
/// "/dev/ada1" -> "ada1": for tools that take names of providers.
std::string without_dev(std::string_view name);
/// Without the folder of its class: "mirror/gm0" -> "gm0".
std::string base_name(std::string_view name);

enum class Needs {
    read_only,  // may be mounted read-only
    unmounted,
    new_one,  // nothing of the old file system stays
};

/// Runs `commands` with the file system of that device unmounted: umount before and mount after when it is
/// mounted, and notes on the root file system, on what is lost, and on mounts that the input does not show.
void while_unmounted(FixBuilder& fix, std::string_view device, Needs needs,
                     const std::function<void()>& commands);

}  // namespace diskwright
