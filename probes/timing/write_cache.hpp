// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <optional>
#include <string_view>

#include "probes/timing/grading.hpp"

namespace diskwright {

/// Medians: of random reads and writes, of the flush after a write, and of the one after that.
struct CacheTimes {
    double read_s = 0, write_s = 0, flush_s = 0, empty_s = 0;
};

struct CacheVerdict {
    std::string_view word;  // of "write_cache"; empty when inconclusive
    Grade sure;
};

/// volatile_cache: as DeviceReport has it.
CacheVerdict judge_cache(const CacheTimes& times, std::optional<bool> volatile_cache);

}  // namespace diskwright
