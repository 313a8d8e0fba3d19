// SPDX-License-Identifier: BSD-2-Clause
// Writes a component label of RAIDframe by the layout of NetBSD/src:sys/dev/raidframe/raidframevar.h
// (RF_ComponentLabel_t), for tests.
#pragma once

#include <cstdint>

#include "tests/support/bytes.hpp"

namespace diskwright::test {

/// In the order of the structure; a component of 64 MiB and the label of its first column by default.
struct RaidframeLabel {
    std::uint32_t version = 2, serial_number = 20261130, mod_counter = 45, row = 0, column = 1, num_rows = 1,
                  num_columns = 3, clean = 1, status = 0;
    std::uint32_t sect_per_su = 32, sus_per_pu = 1, sus_per_ru = 1, parity_config = '5',
                  max_outstanding = 100, block_size = 512;
    std::uint64_t num_blocks = 131008, partition_size = 131072;
    std::uint32_t map_modcount = 45, map_flags = 3, map_tickms = 40000, map_ntick = 8, map_regions = 2;
    std::uint32_t autoconfigure = 1, root_partition = 0, last_unit = 0, config_order = 0;
};

inline Bytes write_label(const RaidframeLabel& l, ByteOrder order = ByteOrder::little) {
    constexpr std::size_t at = 16384;
    Bytes out(at + 1024 + 512, order);
    std::size_t place = at;
    const auto put = [&](std::uint32_t value) {
        out.u32(place, value);
        place += 4;
    };
    for (const auto v : {l.version, l.serial_number, l.mod_counter, l.row, l.column, l.num_rows,
                         l.num_columns, l.clean, l.status, l.sect_per_su, l.sus_per_pu, l.sus_per_ru,
                         l.parity_config, l.max_outstanding, l.block_size})
        put(v);
    put(static_cast<std::uint32_t>(l.num_blocks));
    put(static_cast<std::uint32_t>(l.partition_size));
    for (const auto v : {l.map_modcount, l.map_flags, l.map_tickms, l.map_ntick, l.map_regions}) put(v);
    place += std::size_t{28} * 4;  // future_use
    for (const auto v : {l.autoconfigure, l.root_partition, l.last_unit, l.config_order}) put(v);
    put(static_cast<std::uint32_t>(l.num_blocks >> 32));
    put(static_cast<std::uint32_t>(l.partition_size >> 32));
    return out;
}

}  // namespace diskwright::test
