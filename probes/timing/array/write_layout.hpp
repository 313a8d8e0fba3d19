// SPDX-License-Identifier: BSD-2-Clause
// What reads cannot tell of an array whose reads go round its disks: whether there is parity, one disk for it
// or all in turn, or copies that readers leave alone. Small writes tell: batches of writes to units of one
// disk, and with each two reads of units of another, which are late when that disk has work from the writes.
// Then, where only the written disk is late: the same writes spread over all disks, which are faster unless
// they all meet at one disk of parity. Denehy, Bent, Popovici, A. and R. Arpaci-Dusseau: "Deconstructing
// Storage Arrays" (ASPLOS 2004), section 3.3, tells levels by the same two effects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/timing/array/layout_candidates.hpp"
#include "probes/timing/array/read_layout.hpp"

namespace diskwright {

struct WriteLayout {
    const LayoutCandidate* found = nullptr;  // null: not decided
    std::uint64_t batches = 0;
    double lead = 0;          // log of the likelihood ratio to the next best pattern
    double spread_ratio = 0;  // time of spread writes to that of writes to one disk
    bool cached = false;      // writes are answered before they can be on a medium
    std::string reason;
};

/// left: of one class, none of which shares reads. places: of the scratch area.
WriteLayout find_write_layout(ArrayTimer& timer, UnitPlaces& places,
                              const std::vector<const LayoutCandidate*>& left, std::uint64_t unit_bytes);

}  // namespace diskwright
