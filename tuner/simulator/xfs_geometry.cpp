// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/xfs_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20, gib = mib << 10, tib = gib << 10;
constexpr std::uint64_t least_bytes = 300 * mib, most_bytes = std::uint64_t{1} << 50;
constexpr std::uint64_t least_log = 64 * mib, most_log = 2 * gib - mib, log_share = 2048;
constexpr std::uint64_t most_log_unit = 256 << 10, usual_log_unit = 32 << 10;  // validate_log: logsunit

std::uint64_t group_count(std::uint64_t bytes, bool striped) {
    if (bytes >= 32 * tib || (!striped && bytes >= 4 * tib)) return (bytes + tib - 1) / tib;
    if (!striped) return 4;
    return bytes > 512 * gib ? 32 : bytes > 8 * gib ? 16 : 8;
}

}  // namespace

FreeBlocks XfsGeometry::free_blocks(std::uint64_t group) const {
    FreeBlocks free;
    free.give(0, std::min(group_blocks, blocks - group_start(group)));
    free.reserve(0, head_blocks);
    if (group == group_of(log_block)) free.reserve(log_block - group_start(group), log_bytes / block_bytes);
    return free;
}

Result<XfsGeometry> xfs_geometry(const XfsOptions& options) {
    if (options.size_bytes < least_bytes || options.size_bytes > most_bytes)
        return Error{ErrorKind::bad_data,
                     fmt::format("size_bytes: {} is not from 300 MiB to 1 PiB", options.size_bytes)};
    XfsGeometry fs;
    fs.block_bytes = static_cast<std::uint32_t>(options.block_bytes.value_or(4096));
    fs.sector_bytes = static_cast<std::uint32_t>(options.sector_bytes);
    fs.blocks = options.size_bytes / fs.block_bytes;
    const bool striped = options.unit_bytes % fs.block_bytes == 0 && options.unit_bytes > 0;
    fs.unit = striped ? options.unit_bytes / fs.block_bytes : 0;
    fs.width = striped ? options.width_bytes / fs.block_bytes : 0;
    const std::uint64_t groups = group_count(options.size_bytes, striped);
    fs.group_blocks = (fs.blocks + groups - 1) / groups;
    // align_ag_geometry: a group begins with a stripe unit, not all with a stripe.
    if (striped && fs.group_blocks > fs.width) {
        fs.group_blocks = fs.group_blocks / fs.unit * fs.unit;
        if (fs.group_blocks % fs.width == 0 && fs.width > fs.unit) fs.group_blocks -= fs.unit;
    }
    fs.groups = (fs.blocks + fs.group_blocks - 1) / fs.group_blocks;
    const std::uint64_t room = (fs.group_blocks - 2 * XfsGeometry::head_blocks) * fs.block_bytes;
    fs.log_bytes = std::min({std::max(options.size_bytes / log_share, least_log), most_log, room}) /
                   fs.block_bytes * fs.block_bytes;
    if (striped)
        fs.log_unit_bytes = options.unit_bytes <= most_log_unit ? options.unit_bytes : usual_log_unit;
    const std::uint64_t unit = std::max<std::uint64_t>(fs.unit, 1);
    fs.log_block = fs.group_start(fs.groups / 2) + (XfsGeometry::head_blocks + unit - 1) / unit * unit;
    if (fs.log_block + fs.log_bytes / fs.block_bytes > fs.blocks)
        return Error{ErrorKind::bad_data, "size_bytes: there is no room for a log"};
    return fs;
}

}  // namespace diskwright
