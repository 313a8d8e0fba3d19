// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <span>

#include "probes/support/embedded_file.hpp"

namespace diskwright {

/// tuner/simulator/disks/*.json, by name.
std::span<const EmbeddedFile> disk_files();

}  // namespace diskwright
