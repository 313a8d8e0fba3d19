// SPDX-License-Identifier: BSD-2-Clause
// Where a striped array goes from one member to the next. Reading on within a unit is answered by the
// member's read-ahead; the first sector of the next unit makes another arm move. Which sectors are slow, over
// many short walks from random places, is tested against the multiples of every possible unit.
// The boundaries of chunks are found by pairs of concurrent reads in Denehy, Bent, Popovici, A. and
// R. Arpaci-Dusseau: "Deconstructing Storage Arrays" (ASPLOS 2004), section 3.1.2; reading on needs no period
// of the array beforehand, and one sample tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/timing/array/array_timer.hpp"

namespace diskwright {

inline constexpr std::uint64_t most_unit_bytes = std::uint64_t{8} << 20;

struct UnitBoundaries {
    std::optional<std::uint64_t> unit_bytes;
    std::uint64_t walks = 0;
    double random_s = 0;  // of a read anywhere
    /// Of the multiples of the unit that were crossed, and of the other steps, what share was slow.
    double slow_at_multiples = 0, slow_elsewhere = 0;
    double lead = 0;     // log of the likelihood ratio to the next best unit
    std::string reason;  // why there is no unit
};

UnitBoundaries find_unit_boundaries(ArrayTimer& timer, std::uint64_t first_byte);

}  // namespace diskwright
