// SPDX-License-Identifier: BSD-2-Clause
// Metadata of firmware RAID written field by field, from freebsd/freebsd-src:sys/geom/raid/md_*.{c,h} and
// util-linux/util-linux:libblkid/src/superblocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/bytes.hpp"

namespace diskwright::test {

struct Intel {
    struct Vol {
        std::string name;
        std::uint8_t type, disks, domains, status;
        std::uint32_t offset;
    };
    std::uint64_t sector = 512;
    std::uint8_t disks = 3;
    std::vector<Vol> volumes{{"Volume0", 5, 3, 1, 2, 0}, {"Volume1", 1, 2, 2, 0, 600}};
    /// Changes the structure, put together, before the checksum is made.
    std::function<void(Bytes&, std::size_t length)> patch = {};

    /// At the end of the device; returns how long the structure is.
    std::size_t write(Bytes& device) const;
};

struct Ddf {
    ByteOrder order = ByteOrder::big;
    std::uint64_t primary = 1024, secondary = 1536;  // sectors
    bool crc_of_mdadm = false;                       // begins with 0 and is not inverted
    std::uint8_t level = 5, spans = 1;               // primary level; sets of three disks each, striped
    std::uint8_t drive = 2;                          // which disk this is, through all spans
    bool all_records = false;                        // those of the other spans as well, before its own
    /// Changes a header before its checksum is made.
    std::function<void(Bytes&, std::size_t header)> patch = {};

    void write(Bytes& device) const;
};

struct FirmwareSample {
    std::string metadata;  // as the facts name it
    Bytes image;
    std::vector<std::size_t> must_match;  // bytes without which it is not taken for that
    std::string blkid;                    // what blkid calls it
};
std::vector<FirmwareSample> firmware_samples(std::size_t device);

}  // namespace diskwright::test
