// SPDX-License-Identifier: BSD-2-Clause
// Questions: in which units an array deals its bytes out to its disks, how many disks hold data, what is
// redundant, and how it lies.
// Method: array/unit_boundaries.hpp (walks over the boundaries of units), array/read_layout.hpp (batches of
// concurrent reads), array/write_layout.hpp (batches of small writes, on scratch only); the idea is that of
// Denehy, Bent, Popovici, A. and R. Arpaci-Dusseau: "Deconstructing Storage Arrays" (ASPLOS 2004).
// Cost: some thousand reads of a few KiB, up to 15 s on rotating disks; with scratch some thousand small
// writes in one part of it, mostly under 30 s more.
// Cannot tell: units of less than two sectors or more than 8 MiB; units of flash, where going to another disk
// costs nothing, and of an array whose controller reads ahead; without scratch RAID 0 from RAID 4, from
// left-symmetric RAID 5 and from far copies, of which reads go round the disks alike; writes that a cache
// answers; mirrors whose second copy nobody reads, and disks of parity beside a first one, neither of which
// any time depends on; arrays that begin elsewhere than the device does.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "probes/timing/probes.hpp"

namespace diskwright {

inline constexpr std::array<std::string_view, 4> geometry_quantities{"stripe_unit_bytes", "data_disks",
                                                                     "redundancy", "layout"};

struct ArrayGeometry {
    DeviceProfile profile;  // each of these quantities, with a value or the reason why not
    std::optional<Error> failure;
};

/// With context.scratch, which is on the same device, redundancy is looked for by writing.
ArrayGeometry measure_array_geometry(const ProbeContext& context);

}  // namespace diskwright
