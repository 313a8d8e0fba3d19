// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace diskwright {

struct OtherLoad {
    double requests_per_s = 0, busy_share = 0;
};

/// What others ask of the disk at `path`, or below that file, by the kernel's counters over so long a time in
/// which this program asks nothing of it; nothing where the system does not tell.
std::optional<OtherLoad> other_load(const std::string& path, std::chrono::milliseconds time);

}  // namespace diskwright
