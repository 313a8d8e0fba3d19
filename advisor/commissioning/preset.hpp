// SPDX-License-Identifier: BSD-2-Clause
// A sample server: its configuration, what probes of such disks gave, and, where somebody measured it, what
// each set-up costs under its workload.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/device_profile.hpp"
#include "tuner/simulator/configuration.hpp"

namespace diskwright {

struct Preset {
    std::string name, title, source;
    MachineConfiguration machine;
    std::string workload;   // of --for; empty when the preset names none
    DeviceProfile profile;  // empty: nothing known
    std::string landscape;  // a recorded landscape as JSON text; empty when nobody measured
    double repeats_to = 0;  // relative spread of its values from one measurement to the next
};

/// The bundled ones, by name.
std::vector<std::string_view> preset_names();
/// usage with the nearest name when there is none of that name.
Result<Preset> bundled_preset(std::string_view name);
/// A file of either form: a preset, or a bare configuration (no "configuration" key).
Result<Preset> preset_from_text(std::string_view text, std::string_view source);

}  // namespace diskwright
