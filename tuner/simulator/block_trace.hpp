// SPDX-License-Identifier: BSD-2-Clause
// A list of requests to one drive, one at a time, and how long each took there (CONTRACT section 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

struct TracedRequest {
    std::uint64_t block = 0;  // of 512 bytes
    std::uint32_t blocks = 0;
    DriveOperation operation = DriveOperation::read;
    double to_next_s = 0;  // from its completion to the arrival of the next one
};

struct BlockTrace {
    std::string title, disk;  // as the file says
    std::vector<TracedRequest> requests;
    std::vector<double> measured_s;  // arrival to completion; empty when the file does not say
};

/// {"columns": ["rw", "lbn_512", "blocks_512", "service_us", "to_next_us"], "rows": [["R", 0, 8, 950, 0],
/// ...]}, the columns in any order, the last two optional. bad_data names the row.
Result<BlockTrace> block_trace_from_json(std::string_view text, std::string_view source);

}  // namespace diskwright
