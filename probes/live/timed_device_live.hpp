// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <memory>
#include <string>

#include "probes/timing/timed_device.hpp"

namespace diskwright {

/// A disk, a partition or a plain file, opened read-only past the cache of the host where that is possible.
/// no_input when it is missing, too small to have a sector, or something else.
Result<std::unique_ptr<TimedDevice>> open_timed_device(const std::string& path);

}  // namespace diskwright
