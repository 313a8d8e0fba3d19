// SPDX-License-Identifier: BSD-2-Clause
// Names in the listings of ZFS tools.
#pragma once

#include <string_view>

#include "probes/support/text.hpp"

namespace diskwright {

/// The pool of a listing that does not name its pool; of one host's pools it is the only one, or nobody's.
inline constexpr std::string_view unnamed_pool = "zpool?";

/// mirror-0, raidz2-1, draid1:4d:6c:1s-0, replacing-0, spare-2: a vdev made of others.
inline bool is_vdev_group(std::string_view name) {
    for (const std::string_view kind :
         {"mirror", "raidz1", "raidz2", "raidz3", "raidz", "replacing", "spare"}) {
        if (!name.starts_with(kind)) continue;
        const auto rest = name.substr(kind.size());
        if (rest.empty() || (rest[0] == '-' && to_unsigned(rest.substr(1)))) return true;
    }
    return name.starts_with("draid");
}

}  // namespace diskwright
