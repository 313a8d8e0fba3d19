// SPDX-License-Identifier: BSD-2-Clause
// What every listing of mounts writes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

/// More rows than this are no mounts of one host; what is beyond is noted once and left out.
inline constexpr std::size_t most_mounts = 10000;

/// A mount, and what it tells of the file system on its device: the type where its name is exact, and the
/// stripe geometry of xfs, whose sunit and swidth mount options count 512 bytes (xfs(5)).
void write_mount(Scribe& scribe, std::size_t line, std::string_view device, std::string_view point,
                 std::string_view type, std::vector<std::string> options);

}  // namespace diskwright
