// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/block_trace.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

/// The service time of each request in seconds, one outstanding at a time: each arrives its to_next_s after
/// the one before it was done. bad_data names the first row that does not lie on the drive; goes_on is asked
/// now and then, and when it says no the times so far come back.
Result<std::vector<double>> replay(const BlockTrace& trace, SimulatedDrive& drive, std::string_view source,
                                   const std::function<bool()>& goes_on = {});

}  // namespace diskwright
