// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ffs_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace diskwright {
namespace {

// sys/ufs/ffs/fs.h: SBLOCK_UFS1, SBLOCK_UFS2, SBLOCKSIZE, struct cg, struct csum, struct fs, FS_MAXCONTIG;
// sbin/newfs/mkfs.c: MINCYLGRPS; newfs.c: MAXPHYS.
constexpr std::uint64_t superblock_ufs1 = 8192, superblock_ufs2 = 65536, superblock_space = 8192;
constexpr std::uint64_t group_header = 176, group_summary = 16, superblock_struct = 1376;
constexpr std::uint64_t longest_cluster = 16, fewest_groups = 4, most_transfer = 65536;
constexpr std::uint64_t inode_ufs1 = 128, inode_ufs2 = 256, bits = 8;
// sbin/newfs/newfs.c, dflt_sectors: the size up to which a file system gets these.
struct DefaultSizes {
    std::uint64_t below_bytes, fsize, bsize;
};
constexpr DefaultSizes defaults[] = {{std::uint64_t{20} << 20, 512, 4096},
                                     {std::uint64_t{1000} << 20, 1024, 8192},
                                     {std::uint64_t{128} << 30, 2048, 16384},
                                     {UINT64_MAX, 4096, 32768}};

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) {
    return (whole + part - 1) / part;
}
std::uint64_t up(std::uint64_t value, std::uint64_t multiple) {
    return parts(value, multiple) * multiple;
}

void choose_sizes(const FfsOptions& options, FfsGeometry& fs) {
    const auto* size = std::begin(defaults);
    while (options.size_bytes >= size->below_bytes) ++size;
    std::uint64_t bsize = options.bsize.value_or(options.fsize ? *options.fsize * bits : size->bsize);
    const std::uint64_t fsize =
        options.fsize.value_or(options.bsize ? std::max<std::uint64_t>(bsize / bits, 512) : size->fsize);
    bsize = std::min<std::uint64_t>(bsize, most_transfer);
    fs.bsize = static_cast<std::uint32_t>(bsize);
    fs.fsize = static_cast<std::uint32_t>(fsize);
    fs.frag = static_cast<std::uint32_t>(bsize / fsize);
}

// CGSIZE_IF of sys/ufs/ffs/fs.h.
std::uint64_t group_size(const FfsGeometry& fs, std::uint64_t inodes, std::uint64_t frags) {
    const std::uint64_t contig = std::max<std::uint64_t>(1, most_transfer / fs.bsize);
    const std::uint64_t clusters = contig > 1 ? std::min(contig, longest_cluster) : 0;
    std::uint64_t bytes = group_header + 4 + (fs.ufs2 ? 0 : 6) + parts(inodes, bits) + parts(frags, bits);
    if (clusters > 0) bytes += clusters * 4 + parts(frags / fs.frag, bits);
    return bytes;
}

// How many groups a file system of so many blocks of inodes needs, so that a group's maps fit into a block.
std::uint64_t group_count(const FfsGeometry& fs, std::uint64_t inode_blocks) {
    const std::uint64_t none = group_size(fs, 0, 0);
    const std::uint64_t all = group_size(fs, inode_blocks * fs.block_inodes, fs.frags);
    std::uint64_t count = parts(all - none, fs.bsize - none - 1);
    if (count < fewest_groups) {
        count = std::max(count, fs.frags / 2 / (fs.inode_blocks + inode_blocks * fs.frag));
        count = std::min({count, fewest_groups, inode_blocks});
    }
    return std::max<std::uint64_t>(count, 1);
}

void lay_out_groups(FfsGeometry& fs, std::uint64_t frags_per_inode) {
    const std::uint64_t density = frags_per_inode * fs.fsize;
    const std::uint64_t per_inode_block = std::max<std::uint64_t>(density * fs.block_inodes / fs.fsize, 1);
    const std::uint64_t most = (fs.frags - fs.inode_blocks) / fs.frag - 2;
    std::uint64_t inode_blocks = (fs.frags - fs.inode_blocks) / (fs.frag + per_inode_block);
    inode_blocks = std::min(std::max<std::uint64_t>(inode_blocks, 1), most);
    std::uint64_t count = group_count(fs, inode_blocks);
    std::uint64_t frags = up(parts(fs.frags, count), bits);
    const std::uint64_t bytes = group_size(fs, inode_blocks * fs.block_inodes / count, frags);
    if (bytes > fs.bsize) frags -= (bytes - fs.bsize) * bits;
    count = parts(fs.frags, frags);
    inode_blocks = std::max<std::uint64_t>(parts(inode_blocks, count), 1);
    const std::uint64_t last = fs.frags - frags * (count - 1);
    if (count > 1 && last < fs.inode_blocks + inode_blocks * fs.frag) {
        --count;
        fs.frags -= last;
    }
    fs.groups = static_cast<std::uint32_t>(count);
    fs.group_frags = static_cast<std::uint32_t>(frags);
    fs.group_inodes = static_cast<std::uint32_t>(inode_blocks * fs.block_inodes);
    fs.data = static_cast<std::uint32_t>(fs.inode_blocks + inode_blocks * fs.frag);
    fs.group_bytes = static_cast<std::uint32_t>(up(group_size(fs, fs.group_inodes, frags), fs.fsize));
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
    const std::uint64_t at = fs.ufs2 ? superblock_ufs2 : superblock_ufs1;
    fs.block_inodes = static_cast<std::uint32_t>(fs.bsize / (fs.ufs2 ? inode_ufs2 : inode_ufs1));
    fs.indirect = fs.bsize / (fs.ufs2 ? 8 : 4);
    fs.superblock = static_cast<std::uint32_t>(up(parts(at + superblock_space, fs.fsize), fs.frag));
    fs.group_block =
        static_cast<std::uint32_t>(fs.superblock + up(parts(superblock_space, fs.fsize), fs.frag));
    fs.inode_blocks = fs.group_block + fs.frag;
    if (fs.frags < fs.inode_blocks + 3 * fs.frag) return refused("too small");
    lay_out_groups(fs, options.frags_per_inode);
    fs.superblock_offset = static_cast<std::uint32_t>(at);
    fs.superblock_bytes =
        static_cast<std::uint32_t>(std::min(up(superblock_struct, fs.fsize), superblock_space));
    fs.summary = fs.data;
    fs.summary_bytes = static_cast<std::uint32_t>(up(fs.groups * group_summary, fs.fsize));
    if (fs.summary + fs.frags_of(fs.summary_bytes) + 2 * fs.frag >=
        std::min<std::uint64_t>(fs.group_frags, fs.frags))
        return refused("the summary of the groups does not fit into the first");
    fs.blocks_per_group_and_file = fs.indirect;
    return fs;
}

}  // namespace diskwright
