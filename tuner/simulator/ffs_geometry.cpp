// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ffs_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/model/ffs_layout.hpp"

namespace diskwright {
namespace {

// sys/ufs/ffs/fs.h: struct fs; newfs.c: MAXPHYS.
constexpr std::uint64_t group_summary = 16, superblock_struct = 1376, most_transfer = 65536, bits = 8;
std::uint64_t parts(std::uint64_t whole, std::uint64_t part) {
    return (whole + part - 1) / part;
}
std::uint64_t up(std::uint64_t value, std::uint64_t multiple) {
    return parts(value, multiple) * multiple;
}

void choose_sizes(const FfsOptions& options, FfsGeometry& fs) {
    const std::uint64_t usual = netbsd_default_fragment(options.size_bytes / 512);
    std::uint64_t bsize = options.bsize.value_or(options.fsize.value_or(usual) * bits);
    const std::uint64_t fsize =
        options.fsize.value_or(options.bsize ? std::max<std::uint64_t>(bsize / bits, 512) : usual);
    bsize = std::min<std::uint64_t>(bsize, most_transfer);
    fs.bsize = static_cast<std::uint32_t>(bsize);
    fs.fsize = static_cast<std::uint32_t>(fsize);
    fs.frag = static_cast<std::uint32_t>(bsize / fsize);
}

void lay_out_groups(const FfsShape& shape, std::uint64_t frags_per_inode, FfsGeometry& fs) {
    const FfsGroups groups = netbsd_ffs_groups(shape, fs.frags, 0, frags_per_inode * fs.fsize);
    fs.frags = groups.frags;
    fs.groups = static_cast<std::uint32_t>(groups.count);
    fs.group_frags = static_cast<std::uint32_t>(groups.group_frags);
    fs.group_inodes = static_cast<std::uint32_t>(groups.group_inodes);
    fs.data = static_cast<std::uint32_t>(shape.dblkno(groups.group_inodes));
    fs.group_bytes =
        static_cast<std::uint32_t>(up(shape.group_bytes(fs.group_inodes, fs.group_frags), fs.fsize));
}

}  // namespace

std::uint64_t FfsGeometry::inode_block(std::uint64_t inode) const {
    return group_start(inode / group_inodes) + inode_blocks + inode % group_inodes / block_inodes * frag;
}

Result<FfsGeometry> netbsd_ffs_geometry(const FfsOptions& options) {
    FfsGeometry fs;
    fs.ufs2 = options.ufs2;
    choose_sizes(options, fs);
    const auto refused = [&](std::string why) {
        return Error{ErrorKind::bad_data,
                     fmt::format("newfs would not make a file system of {} bytes with blocks of {} "
                                 "and fragments of {}: {}",
                                 options.size_bytes, fs.bsize, fs.fsize, why)};
    };
    if (fs.bsize < 4096) return refused("blocks are at least 4096 bytes");
    if (fs.frag == 0 || fs.frag > bits || fs.bsize % fs.fsize != 0)
        return refused("a block is one to eight fragments");
    fs.frags = options.size_bytes / fs.fsize;
    if (!fs.ufs2 && fs.frags >= std::uint64_t{1} << 31) return refused("too many fragments for FFSv1");
    if (fs.frags >= std::uint64_t{1} << 40) return refused("larger than is modelled");
    const FfsShape shape =
        ffs_shape(FfsHeader::netbsd, fs.ufs2, fs.bsize, fs.fsize, most_transfer / fs.bsize);
    fs.block_inodes = shape.block_inodes;
    fs.indirect = fs.bsize / (fs.ufs2 ? 8 : 4);
    fs.superblock = shape.sblkno;
    fs.group_block = shape.cblkno;
    fs.inode_blocks = shape.iblkno;
    if (fs.frags < least_ffs_frags(shape)) return refused("too small");
    lay_out_groups(shape, options.frags_per_inode, fs);
    fs.superblock_offset = ffs_superblock_place(fs.ufs2);
    fs.superblock_bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(up(superblock_struct, fs.fsize), ffs_superblock_space));
    fs.summary = fs.data;
    fs.summary_bytes = static_cast<std::uint32_t>(up(fs.groups * group_summary, fs.fsize));
    if (fs.summary + fs.frags_of(fs.summary_bytes) + 2 * fs.frag >=
        std::min<std::uint64_t>(fs.group_frags, fs.frags))
        return refused("the summary of the groups does not fit into the first");
    fs.blocks_per_group_and_file = fs.indirect;
    return fs;
}

}  // namespace diskwright
