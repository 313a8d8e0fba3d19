// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <span>

#include "probes/support/embedded_file.hpp"

namespace diskwright {

/// advisor/integration/presets/*.json, by name.
std::span<const EmbeddedFile> preset_files();

}  // namespace diskwright
