// SPDX-License-Identifier: BSD-2-Clause
// Arrays drawn at random for the geometry probe: what they are is known, what the probe says of them is
// compared with it.
#pragma once

#include <cstdint>
#include <string>

#include "tuner/simulator/configuration.hpp"

namespace diskwright {

/// What a right answer is.
struct TrueGeometry {
    std::uint64_t stripe_unit_bytes = 0, data_disks = 0;
    std::string redundancy, layout;  // layout empty: the array has none that has a name
};

struct RandomArray {
    MachineConfiguration machine;
    TrueGeometry truth;
    bool flash = false, cached = false;  // members; controller

    std::string describe() const;
};

/// The same for the same seed and number everywhere. Levels 0, 10, 4, 5 and 6 of the drivers that have them,
/// 2 to 16 disks, units from 4 KiB to 1 MiB, all layouts; measured times have a noise of 10 %.
RandomArray random_array(std::uint64_t seed, std::uint64_t number);

}  // namespace diskwright
