// SPDX-License-Identifier: BSD-2-Clause
// The 4.4BSD disk label as it stands, whoever wrote it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

struct DisklabelRow {
    std::uint64_t index, offset, size;
    std::uint8_t type;
    std::uint64_t fsize, bsize;  // 0: not set
    std::uint64_t at;
};

struct Disklabel {
    std::uint64_t at = 0;  // in the source
    Os os = Os::netbsd;
    std::uint32_t sector = 512, count = 0;
    std::uint64_t total = 0;  // sectors
    std::uint64_t bound_start = 0, bound_end = 0;
    std::vector<DisklabelRow> partitions;
};

/// The first whole label in the 16 sectors from `base` on; nothing when there is none, bad_data for a damaged
/// one when no other is there. `hint`: the system whose label it is, where that is known; else its fields
/// tell.
Result<std::optional<Disklabel>> find_disklabel(ByteSource& source, std::uint64_t base,
                                                std::optional<Os> hint);

}  // namespace diskwright
