// SPDX-License-Identifier: BSD-2-Clause
// Drives to probe, and what they really are.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "advisor/commissioning/simulated_device.hpp"
#include "probes/timing/probes.hpp"

namespace diskwright::test {

struct ProbedDrive {
    std::string name;
    nlohmann::ordered_json configuration;  // CONTRACT section 5
    std::string cache;                     // what write_cache is to be
    std::uint64_t sector = 512, offset = 0;
    bool sector_told = true;  // whether writes can tell
};

/// Every shipped drive, and the kinds that sectors and caches are told apart on.
const std::vector<ProbedDrive>& probed_drives();
Result<std::unique_ptr<SimulatedDevice>> device_of(const ProbedDrive& drive, double noise,
                                                   std::uint64_t seed = 1);

struct Judged {
    std::optional<double> off_percent;  // nothing: inconclusive, or nothing to compare with
    bool exact = false, high = false;
};
/// turn, seek (median over the distances), worst seek, read (worst zone), iops (worst depth), flush, cache,
/// sector, offset.
std::vector<Judged> judge(const ProbedDrive& drive, const DeviceProfile& profile);

std::string value_text(const Measurement& measured);

}  // namespace diskwright::test
