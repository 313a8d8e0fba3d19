// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ext4_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t small_bytes = std::uint64_t{512} << 20, big_bytes = std::uint64_t{4} << 40,
                        huge_bytes = std::uint64_t{16} << 40;  // figure_fs_size's types
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50, least_blocks = 2048;
// Of block groups: 128 TiB in blocks of 4 KiB; each takes some hundred bytes of memory here.
constexpr std::uint64_t most_groups = std::uint64_t{1} << 20;
constexpr std::uint32_t flex_groups = 16, growth = 1024;

struct JournalSize {
    std::uint64_t below_blocks, blocks;
};
// ext2fs_get_journal_params of lib/ext2fs/mkjournal.c.
constexpr JournalSize journal_sizes[] = {{32768, 1024},         {256 * 1024, 4096},   {512 * 1024, 8192},
                                         {4096 * 1024, 16384},  {8192 * 1024, 32768}, {16384 * 1024, 65536},
                                         {32768 * 1024, 131072}};
constexpr std::uint64_t largest_journal = 262144;

std::uint64_t divided_up(std::uint64_t value, std::uint64_t by) {
    return (value + by - 1) / by;
}

std::uint64_t usual_journal(std::uint64_t blocks) {
    for (const JournalSize& row : journal_sizes)
        if (blocks < row.below_blocks) return row.blocks;
    return largest_journal;
}

bool is_power(std::uint64_t value, std::uint64_t base) {
    while (value % base == 0) value /= base;
    return value == 1;
}

}  // namespace

bool Ext4Geometry::has_backup(std::uint64_t group) const {
    return group <= 1 || is_power(group, 3) || is_power(group, 5) || is_power(group, 7);
}

std::uint64_t Ext4Geometry::head_blocks(std::uint64_t group) const {
    return has_backup(group) ? 1 + descriptor_blocks + reserved_descriptor_blocks : 0;
}

std::uint64_t Ext4Geometry::flex_size(std::uint64_t group) const {
    return std::min<std::uint64_t>(flex, groups - group / flex * flex);
}

std::uint64_t Ext4Geometry::tables_start(std::uint64_t group) const {
    const std::uint64_t leader = group / flex * flex;
    return group_start(leader) + head_blocks(leader);
}

std::uint64_t Ext4Geometry::block_bitmap(std::uint64_t group) const {
    return tables_start(group) + group % flex;
}

// With flex_bg the bitmaps of all groups come first, at the place of a whole flex group's.
std::uint64_t Ext4Geometry::inode_bitmap(std::uint64_t group) const {
    return tables_start(group) + flex + group % flex;
}

std::uint64_t Ext4Geometry::inode_table(std::uint64_t group) const {
    return tables_start(group) + 2 * std::uint64_t{flex} + group % flex * table_blocks;
}

std::uint64_t Ext4Geometry::journal_blocks() const {
    std::uint64_t sum = 0;
    for (const BlockRun& run : journal) sum += run.blocks;
    return sum;
}

FreeBlocks Ext4Geometry::free_blocks() const {
    FreeBlocks free;
    free.give(first_block, blocks - first_block);
    for (std::uint64_t group = 0; group < groups; ++group) {
        free.reserve(group_start(group), head_blocks(group));
        if (group % flex == 0)
            free.reserve(tables_start(group), 2 * std::uint64_t{flex} + flex_size(group) * table_blocks);
    }
    for (const BlockRun& run : journal) free.reserve(run.place, run.blocks);
    return free;
}

bool Ext4Geometry::initialised(std::uint64_t group) const {
    if (!modern || group % flex == 0 || group + 1 == groups) return true;
    return std::any_of(journal.begin(), journal.end(), [&](const BlockRun& run) {
        return group >= group_of(run.place) && group <= group_of(run.place + run.blocks - 1);
    });
}

Result<Ext4Geometry> ext4_geometry(const Ext4Options& options) {
    Ext4Geometry fs;
    fs.modern = options.modern;
    const bool small = options.size_bytes < small_bytes;
    fs.block_bytes = static_cast<std::uint32_t>(options.block_bytes.value_or(small ? 1024 : 4096));
    fs.first_block = fs.block_bytes == 1024 ? 1 : 0;
    fs.blocks = options.size_bytes / fs.block_bytes;
    if (fs.blocks < least_blocks || options.size_bytes > most_bytes)
        return Error{ErrorKind::bad_data, fmt::format("size_bytes: {} is not from {} blocks to 1 PiB",
                                                      options.size_bytes, least_blocks)};
    fs.blocks_per_group = std::min<std::uint32_t>(8 * fs.block_bytes, 65528);
    fs.groups = divided_up(fs.blocks - fs.first_block, fs.blocks_per_group);
    if (fs.groups > most_groups)
        return Error{ErrorKind::bad_data,
                     fmt::format("size_bytes: {} is more than {} block groups, the most that is simulated",
                                 options.size_bytes, most_groups)};
    const std::uint64_t ratio = small                             ? 4096
                                : options.size_bytes < big_bytes  ? 16384
                                : options.size_bytes < huge_bytes ? 32768
                                                                  : 65536;
    const std::uint64_t inodes = fs.blocks * fs.block_bytes / std::max<std::uint64_t>(ratio, fs.block_bytes);
    const std::uint32_t per_block = fs.block_bytes / fs.inode_bytes;
    const std::uint64_t wanted = divided_up(divided_up(inodes, fs.groups), per_block) * per_block;
    fs.inodes_per_group =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, per_block, fs.block_bytes * 8));
    fs.table_blocks = fs.inodes_per_group / per_block;
    fs.flex = options.modern ? flex_groups : 1;
    fs.descriptor_bytes = options.modern ? 64 : 32;
    fs.descriptor_blocks = divided_up(fs.groups * fs.descriptor_bytes, fs.block_bytes);
    // resize_inode: room to grow a thousandfold, as far as one block of pointers goes.
    const std::uint64_t grown =
        divided_up(std::min<std::uint64_t>(fs.blocks * growth, 0xffffffffU), fs.blocks_per_group);
    const std::uint64_t grown_blocks =
        std::max(divided_up(grown * fs.descriptor_bytes, fs.block_bytes), fs.descriptor_blocks);
    fs.reserved_descriptor_blocks =
        std::min<std::uint64_t>(grown_blocks - fs.descriptor_blocks, fs.block_bytes / 4);
    fs.stripe_width = options.stripe_width / fs.block_bytes;
    if (fs.stripe_width > fs.blocks_per_group) fs.stripe_width = options.stride / fs.block_bytes;
    if (!options.journal) return fs;
    // get_midpoint_journal_block of mkjournal.c: behind what the group in the middle begins with.
    const std::uint64_t count = usual_journal(fs.blocks);
    const std::uint64_t middle = fs.groups / 2 / fs.flex * fs.flex;
    FreeBlocks free = fs.free_blocks();
    const std::uint64_t goal = fs.flex > 1 && middle + 1 < fs.groups ? middle + 1 : middle;
    for (std::uint64_t left = count, at = fs.group_start(goal); left > 0;) {
        const auto run = free.take_next(at, left);
        if (!run) return Error{ErrorKind::bad_data, "size_bytes: there is no room for a journal"};
        fs.journal.push_back(*run);
        left -= run->blocks;
        at = run->place + run->blocks;
    }
    return fs;
}

}  // namespace diskwright
