// SPDX-License-Identifier: BSD-2-Clause
// What reads cannot tell of an array whose reads go round its disks: whether there is parity, one disk for it
// or all in turn, or copies that readers leave alone. Small writes tell, since each keeps busy the disks of
// the data and of what is redundant: which these are (busy_disks.hpp); and, where it is only the written one,
// whether batches of writes are faster when they are spread over all disks, or meet at a disk of parity.
// Where a cache answers the writes, batches with the flush behind them are compared with every layout's
// loads. Denehy, Bent, Popovici, A. and R. Arpaci-Dusseau: "Deconstructing Storage Arrays" (ASPLOS 2004),
// section 3.3, tells levels by reads and writes of the same units.
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
    double lead = 0;          // log of the likelihood ratio to the next best answer
    bool cached = false;      // writes are answered before they can be on a medium
    double durable_cost = 0;  // of one write and the flush after it, in reads
    std::string doubt;        // why what was found is not certain
    std::string reason;       // why none was found
};

/// left: of one class, none of which shares reads. places: of the scratch area.
WriteLayout find_write_layout(ArrayTimer& timer, const UnitPlaces& places,
                              const std::vector<const LayoutCandidate*>& left, std::uint64_t unit_bytes);

}  // namespace diskwright
