// SPDX-License-Identifier: BSD-2-Clause
// The DOS partition table: sector 0 of a disk, and the chain of extended tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/ondisk/format.hpp"

namespace diskwright {

struct MbrEntry {
    std::uint64_t index = 0;  // of four, from 0; of a logical partition its place in the chain, from 0
    bool logical = false;
    bool active = false;
    std::uint8_t type = 0;
    std::uint64_t start = 0, sectors = 0;  // start from the beginning of the disk
    std::uint64_t at = 0;                  // byte of the entry
    std::optional<std::uint64_t>
        container_end;  // of the extended partition that a logical one is linked from
};

struct Mbr {
    std::uint64_t sector_bytes = 512;
    std::vector<MbrEntry> entries;    // used ones; primary before logical
    std::vector<std::string> damage;  // of the chain
    bool cut = false;                 // the chain goes on after as many tables as are followed

    bool protective() const;  // an entry of type ee
    bool hybrid() const;      // ee and others
};

/// Nothing when sector 0 is no MBR: no signature, flags or starts that no table has, or the boot sector of a
/// FAT or NTFS volume.
Result<std::optional<Mbr>> read_mbr(ByteSource& source);

/// The sector in which tables count: that of the source, or the one at whose size a GPT header stands.
std::uint64_t table_sector(ByteSource& source);

/// The system that the types of the entries tell; Linux's are on disks of all.
std::optional<Os> mbr_types_say(const Mbr& mbr);

}  // namespace diskwright
