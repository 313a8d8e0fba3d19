// SPDX-License-Identifier: BSD-2-Clause
// mount(8) and fstab(5) of a new file system.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advisor/commands/setup.hpp"

namespace diskwright {

SetupCommands mount_new(std::string_view type, const std::string& device_path, const std::string& point,
                        const std::vector<std::string>& options) {
    std::vector<std::string> mount{"mount", "-t", std::string(type)};
    if (!options.empty()) mount.insert(mount.end(), {"-o", fmt::format("{}", fmt::join(options, ","))});
    mount.insert(mount.end(), {device_path, point});
    return {{{"mkdir", "-p", "--", point}, ""}, {std::move(mount), ""}};
}

std::string fstab_line(const FstabEntry& entry) {
    return fmt::format("{} {} {} {} {} {}", entry.device, entry.point, *entry.type,
                       fmt::join(*entry.options, ","), entry.dump.value_or(0), entry.pass.value_or(0));
}

SetupCommands append_to_fstab(const FstabEntry& entry) {
    return {{{"tee", "-a", "/etc/fstab"}, fstab_line(entry) + "\n"}};
}

}  // namespace diskwright
