// SPDX-License-Identifier: BSD-2-Clause
// What newfs of the three systems computes in the same way: where the parts of a cylinder group lie, how
// large its header with the maps is; and how NetBSD's divides a file system into groups. Sources: NetBSD/src,
// freebsd/freebsd-src and openbsd/src:sys/ufs/ffs/fs.h (CGSIZE, struct cg, struct csum) and
// sbin/newfs/mkfs.c.
#pragma once

#include <cstdint>

namespace diskwright {

/// Places and counts of fragments but where bytes are named.
struct FfsShape {
    bool ufs2 = true;
    std::uint32_t bsize = 0, fsize = 0;  // bytes, powers of two
    std::uint32_t frag = 0;              // fragments of a block
    std::uint32_t block_inodes = 0;
    std::uint32_t sblkno = 0, cblkno = 0, iblkno = 0;
    std::uint32_t header_bytes = 0;    // of a group: struct cg and the pointer behind it
    std::uint32_t old_maps_bytes = 0;  // totals by rotational position, for kernels before FFSv2
    std::uint32_t clusters = 0;        // fs_contigsumsize

    /// CGSIZE of a group of so many inodes and fragments.
    std::uint64_t group_bytes(std::uint64_t inodes, std::uint64_t frags) const;
    /// Of a group: where its data begin.
    std::uint64_t dblkno(std::uint64_t inodes) const { return iblkno + inodes * frag / block_inodes; }
    /// Fragments that the summaries of so many groups take.
    std::uint64_t summary_frags(std::uint64_t groups) const;
};

enum class FfsHeader {
    netbsd,   // struct cg ends with a byte of the maps: 176; the old maps with FFSv1
    freebsd,  // 168, without that byte since 12.2
    openbsd,  // 168; the old maps with both formats, no clusters
};

/// maxcontig: blocks, fs_maxcontig before newfs writes it. bsize is fsize times 1, 2, 4 or 8.
FfsShape ffs_shape(FfsHeader header, bool ufs2, std::uint32_t bsize, std::uint32_t fsize,
                   std::int64_t maxcontig);

inline constexpr std::uint32_t ffs_superblock_space = 8192;
inline constexpr std::uint32_t ffs_superblock_place(bool ufs2) {
    return ufs2 ? 65536 : 8192;
}

struct FfsGroups {
    std::uint64_t frags = 0;  // of the file system, what the last group lost taken off
    std::uint64_t count = 0, group_frags = 0, group_inodes = 0;
};

/// NetBSD's: groups of one size, as few as their maps allow but four at least; a last group that cannot hold
/// its own inodes is given up. frags: at least those of least_ffs_frags(). inodes: wanted of the whole file
/// system, or 0 for one per `density` bytes.
FfsGroups netbsd_ffs_groups(const FfsShape& shape, std::uint64_t frags, std::uint64_t inodes,
                            std::uint64_t density);

/// Bytes of the fragment that NetBSD's newfs takes when neither -b nor -f is given; the block is eight of it.
/// sectors: of whatever size, the steps are meant for 512 bytes.
std::uint32_t netbsd_default_fragment(std::uint64_t sectors);

/// One block of inodes and two of data.
std::uint64_t least_ffs_frags(const FfsShape& shape);

}  // namespace diskwright
