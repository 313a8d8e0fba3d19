// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/xfs_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20, gib = mib << 10, tib = gib << 10;
constexpr std::uint64_t least_bytes = 300 * mib, most_bytes = std::uint64_t{1} << 50;
constexpr std::uint64_t least_group = 16 * mib;  // XFS_AG_MIN_BYTES
constexpr std::uint64_t least_log = 64 * mib, most_log = 2 * gib - mib, log_share = 2048;
constexpr std::uint64_t most_log_unit = 256 << 10, usual_log_unit = 32 << 10;  // validate_log: logsunit

std::uint64_t group_count(std::uint64_t bytes, bool striped) {
    if (bytes >= 32 * tib || (!striped && bytes >= 4 * tib)) return (bytes + tib - 1) / tib;
    if (!striped) return 4;
    return bytes > 512 * gib ? 32 : bytes > 8 * gib ? 16 : 8;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

// align_ag_geometry: a group begins with a stripe unit, not all with a stripe. In groups that hold no stripe
// nothing is aligned here.
void align_groups(const XfsOptions& options, XfsGeometry& fs) {
    const std::uint64_t unit = options.unit_bytes / fs.block_bytes,
                        width = options.width_bytes / fs.block_bytes;
    if (fs.group_blocks <= width || fs.group_blocks <= unit) return;
    fs.unit = unit;
    fs.width = width;
    fs.group_blocks = rounded_up(fs.group_blocks, unit);
    if (width > unit && fs.group_blocks % width == 0) fs.group_blocks -= unit;
    fs.log_unit_bytes = options.unit_bytes <= most_log_unit ? options.unit_bytes : usual_log_unit;
}

// align_internal_log: in the group in the middle, whole stripe units of the log.
void place_log(const XfsOptions& options, XfsGeometry& fs) {
    const std::uint64_t start = rounded_up(XfsGeometry::head_blocks, std::max<std::uint64_t>(fs.unit, 1));
    fs.log_block = fs.group_start(fs.groups / 2) + start;
    const std::uint64_t behind = start + XfsGeometry::head_blocks;
    const std::uint64_t room = (fs.group_blocks - std::min(fs.group_blocks, behind)) * fs.block_bytes;
    const std::uint64_t most = std::min(most_log, room);
    const std::uint64_t unit = std::max<std::uint64_t>(fs.log_unit_bytes, fs.block_bytes);
    fs.log_bytes = rounded_up(std::max(options.size_bytes / log_share, least_log), unit);
    if (fs.log_bytes > most) fs.log_bytes = most / unit * unit;
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
    const std::uint64_t groups = group_count(options.size_bytes, striped);
    fs.group_blocks = (fs.blocks + groups - 1) / groups;
    if (striped) align_groups(options, fs);
    // The rest is not used when it is too small for a group.
    const std::uint64_t rest = fs.blocks % fs.group_blocks;
    if (rest < least_group / fs.block_bytes) fs.blocks -= rest;
    fs.groups = (fs.blocks + fs.group_blocks - 1) / fs.group_blocks;
    place_log(options, fs);
    if (fs.log_bytes == 0 || fs.log_block + fs.log_bytes / fs.block_bytes > fs.blocks)
        return Error{ErrorKind::bad_data, "size_bytes: there is no room for a log"};
    return fs;
}

}  // namespace diskwright
