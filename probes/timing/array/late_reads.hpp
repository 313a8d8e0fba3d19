// SPDX-License-Identifier: BSD-2-Clause
// Which disks are busy with a small write: reads of a disk's units beside the writes are late when it is one
// of them.
#pragma once

#include <cstdint>

#include "probes/timing/array/write_area.hpp"

namespace diskwright {

/// Of the disks that answer reads.
enum class WritePattern {
    nothing,         // none is late
    own,             // the one that is written
    own_and_next,    // and the disk after it: copies
    own_and_parity,  // and that with the row's parity: both are read, both written
    all_but_parity,  // the others are read, then the own one and the parity are written
    all,             // the others are read, then the own one is written, and parity on none of these
};

struct LateReads {
    WritePattern pattern = WritePattern::nothing;
    std::uint64_t batches = 0;
    double lead = 0;  // log of the likelihood ratio to the next best pattern
    bool decided = false;
};

/// rotating: whether parity may be on the disks that answer reads.
LateReads find_late_reads(WriteArea& area, bool rotating);

}  // namespace diskwright
