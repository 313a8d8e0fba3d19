// SPDX-License-Identifier: BSD-2-Clause
// What every listing of mounts writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

/// A mount, and what it tells of the file system on its device: the type where its name is exact, and the
/// stripe geometry of xfs, whose sunit and swidth mount options count 512 bytes (xfs(5)).
void write_mount(Scribe& scribe, std::size_t line, std::string_view device, std::string_view point,
                 std::string_view type, std::vector<std::string> options);

}  // namespace diskwright
