// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/ffs_layout.hpp"

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t bits = 8, fewest_groups = 4, longest_cluster = 16;
constexpr std::uint64_t summary_bytes = 16, old_maps = 6, header_end = 4;
// fs_ipg is an int32_t.
constexpr std::uint64_t most_inodes = std::uint64_t{1} << 31;

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) {
    return (whole + part - 1) / part;
}
std::uint64_t up(std::uint64_t value, std::uint64_t multiple) {
    return parts(value, multiple) * multiple;
}

std::uint64_t inode_blocks(const FfsShape& shape, std::uint64_t frags, std::uint64_t inodes,
                           std::uint64_t density) {
    const std::uint64_t per_block = std::max<std::uint64_t>(density * shape.block_inodes / shape.fsize, 1);
    const std::uint64_t wanted =
        inodes != 0 ? parts(inodes, shape.block_inodes) : (frags - shape.iblkno) / (shape.frag + per_block);
    const std::uint64_t room = (frags - shape.iblkno) / shape.frag - 2;
    const std::uint64_t blocks = std::min(std::max<std::uint64_t>(wanted, 1), room);
    return blocks * shape.block_inodes >= most_inodes ? (most_inodes - bits) / shape.block_inodes : blocks;
}

// The groups whose maps just fit, taken to grow in proportion; or as many as make four of a small one.
std::uint64_t group_count(const FfsShape& shape, std::uint64_t frags, std::uint64_t blocks) {
    const std::uint64_t none = shape.group_bytes(0, 0);
    const std::uint64_t all = shape.group_bytes(blocks * shape.block_inodes, frags);
    std::uint64_t count = parts(all - none, shape.bsize - none);
    if (count < fewest_groups) {
        count = std::max(count, frags / 2 / (shape.iblkno + blocks * shape.frag));
        count = std::min({count, fewest_groups, blocks});
    }
    return std::max<std::uint64_t>(count, 1);
}

}  // namespace

std::uint64_t FfsShape::group_bytes(std::uint64_t inodes, std::uint64_t frags) const {
    const std::uint64_t maps = parts(inodes, bits) + parts(frags, bits);
    const std::uint64_t cluster_maps = clusters == 0 ? 0 : clusters * 4 + parts(frags / frag, bits);
    return header_bytes + old_maps_bytes + maps + cluster_maps;
}

std::uint64_t FfsShape::summary_frags(std::uint64_t groups) const {
    return parts(groups * summary_bytes, fsize);
}

FfsShape ffs_shape(FfsHeader header, bool ufs2, std::uint32_t bsize, std::uint32_t fsize,
                   std::int64_t maxcontig) {
    FfsShape shape;
    shape.ufs2 = ufs2;
    shape.bsize = bsize;
    shape.fsize = fsize;
    shape.frag = bsize / fsize;
    shape.block_inodes = bsize / (ufs2 ? 256 : 128);
    const auto blocks = [&](std::uint64_t bytes) {
        return static_cast<std::uint32_t>(up(parts(bytes, fsize), shape.frag));
    };
    shape.sblkno = blocks(ffs_superblock_place(ufs2) + ffs_superblock_space);
    shape.cblkno = shape.sblkno + blocks(ffs_superblock_space);
    shape.iblkno = shape.cblkno + shape.frag;
    shape.header_bytes = (header == FfsHeader::netbsd ? 176 : 168) + header_end;
    shape.old_maps_bytes = !ufs2 || header == FfsHeader::openbsd ? old_maps : 0;
    if (header != FfsHeader::openbsd && maxcontig > 1)
        shape.clusters = static_cast<std::uint32_t>(std::min<std::int64_t>(maxcontig, longest_cluster));
    return shape;
}

// NetBSD/src:sbin/newfs/newfs.c, SMALL_FSSIZE and its like.
std::uint32_t netbsd_default_fragment(std::uint64_t sectors) {
    if (sectors < 20 * 1024 * 2) return 512;
    if (sectors < 1000 * 1024 * 2) return 1024;
    return sectors < std::uint64_t{128} * 1024 * 1024 * 2 ? 2048 : 4096;
}

std::uint64_t least_ffs_frags(const FfsShape& shape) {
    return shape.iblkno + 3 * std::uint64_t{shape.frag};
}

FfsGroups netbsd_ffs_groups(const FfsShape& shape, std::uint64_t frags, std::uint64_t inodes,
                            std::uint64_t density) {
    const std::uint64_t blocks = inode_blocks(shape, frags, inodes, density);
    const auto share = [&](std::uint64_t count) { return parts(blocks, count) * shape.block_inodes; };
    FfsGroups groups;
    groups.frags = frags;
    groups.count = group_count(shape, frags, blocks);
    groups.group_frags = up(up(parts(frags, groups.count), shape.frag), bits);
    groups.group_inodes = share(groups.count);
    const std::uint64_t bytes = shape.group_bytes(groups.group_inodes, groups.group_frags);
    if (bytes > shape.bsize && (bytes - shape.bsize) * bits < groups.group_frags) {
        groups.group_frags -= (bytes - shape.bsize) * bits;
        groups.count = parts(frags, groups.group_frags);
        groups.group_inodes = share(groups.count);
    }
    const std::uint64_t last = frags - groups.group_frags * (groups.count - 1);
    if (groups.count > 1 && last < shape.dblkno(groups.group_inodes)) {
        --groups.count;
        groups.frags -= last;
    }
    return groups;
}

}  // namespace diskwright
