// SPDX-License-Identifier: BSD-2-Clause
// Which disks are busy with a small write: writes wait where reads keep such a disk busy, and reads of such a
// disk beside writes are late. The first tells more, by ten to one; the second is for drivers that let writes
// in before reads.
#pragma once

#include <cstdint>

#include "probes/timing/array/write_area.hpp"

namespace diskwright {

/// Of the disks that answer reads.
enum class WritePattern {
    nothing,         // none
    own,             // the one that is written
    own_and_next,    // and the disk after it: copies
    own_and_parity,  // and that with the row's parity: both are read, both written
    all_but_parity,  // mostly the others, which are read first; then the own one and the parity are written
    all,             // mostly the others; then the own one is written, and parity on none of these
};

struct BusyDisks {
    WritePattern pattern = WritePattern::nothing;
    std::uint64_t batches = 0;
    double lead = 0;  // log of the likelihood ratio to the next best pattern
    bool decided = false;
};

/// rotating: whether parity may be on the disks that answer reads.
BusyDisks find_busy_disks(WriteArea& area, bool rotating);

}  // namespace diskwright
