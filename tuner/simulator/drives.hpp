// SPDX-License-Identifier: BSD-2-Clause
// A drive to simulate, from its name, its file, or a plain description.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/plain_disk.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

struct NamedDrive {
    std::unique_ptr<SimulatedDrive> drive;
    std::string name;                  // of a shipped one, else what its file calls it, or ""
    std::vector<std::string> assumed;  // "figure value" of what was not known of it
    std::optional<double> published_rms_ms;
};

/// A shipped one; usage with the nearest name when there is none.
Result<NamedDrive> shipped_drive(std::string_view name);
/// Of a configuration: a shipped one by its name, or the description itself.
Result<NamedDrive> drive_of(const DiskParameters& disk);
/// A file in DiskSim's form (disksim_drive.hpp) or with the plain object; bad_data with the key's path. A
/// file of DiskSim's that does not say on what bus the drive was measured is about the shipped drive of its
/// "key", if there is one, and the bus is taken from there.
Result<NamedDrive> drive_from_json(const nlohmann::ordered_json& json, std::string_view source);

}  // namespace diskwright
