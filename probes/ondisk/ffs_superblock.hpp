// SPDX-License-Identifier: BSD-2-Clause
// The superblock of FFSv1 and FFSv2 of NetBSD, FreeBSD and OpenBSD: where it lies, which of several is the
// one, and what contradicts itself in it. 1376 bytes at 65536 (FFSv2), 8192 (FFSv1; FFSv2 of makefs), 0 or
// 262144, in the byte order of the machine that made it; a copy in every cylinder group.
// Layout: freebsd/freebsd-src, NetBSD/src and openbsd/src:sys/ufs/ffs/fs.h (struct fs). Offsets are the same
// on all three, but for the flags of OpenBSD and the gap at 864. Before FS_FLAGS_UPDATED (0x80 in
// fs_old_flags) an FFSv1 has its sizes, flags and totals in the fs_old_ fields, and a table of rotational
// positions in the gap.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/ondisk/structure.hpp"

namespace diskwright {

namespace ffs_field {
inline constexpr std::size_t sblkno = 8, cblkno = 12, iblkno = 16, dblkno = 20, old_cgoffset = 24,
                             old_cgmask = 28, old_size = 36, old_dsize = 40, ncg = 44, bsize = 48, fsize = 52,
                             frag = 56, minfree = 60, bmask = 72, fmask = 76, bshift = 80, fshift = 84,
                             maxcontig = 88, maxbpg = 92, fragshift = 96, fsbtodb = 100, sbsize = 104,
                             nindir = 116, inopb = 120, optim = 128, old_csaddr = 152, cssize = 156,
                             cgsize = 160, ipg = 184, fpg = 188, old_cstotal = 192, clean = 209,
                             old_flags = 211, fsmnt = 212, volname = 680, maxbsize = 860,
                             journal_version = 864, journal_location = 865, journal_flags = 868,
                             providersize = 872, journal_locators = 872, sblockloc = 1000, cstotal = 1008,
                             size = 1080, dsize = 1088, csaddr = 1096, avgfilesize = 1196, avgfpdir = 1200,
                             ckhash = 1304, metackhash = 1308, flags = 1312, old_inodefmt = 1324,
                             qbmask = 1336, qfmask = 1344, magic = 1372;
}
inline constexpr std::size_t ffs_superblock_bytes = 1376;
inline constexpr std::size_t ffs_group_header_bytes = 168;  // struct cg up to its maps

class FfsSuperblock {
 public:
    /// Nothing when the bytes have no magic of FFS in either byte order.
    static std::optional<FfsSuperblock> recognise(const Structure& bytes);

    const Structure& raw() const { return raw_; }
    bool version2() const { return version2_; }
    /// The magic of FFSv2 with extended attributes, which only NetBSD 10 and later has.
    bool netbsd_magic() const { return netbsd_magic_; }
    /// Sizes, flags and totals are in the fields of FFSv2.
    bool updated() const { return version2_ || (raw_.u8(ffs_field::old_flags) & 0x80) != 0; }
    /// Where the superblock says it lies.
    std::uint64_t recorded_place() const { return updated() ? raw_.u64(ffs_field::sblockloc) : 8192; }

    std::uint64_t bsize() const { return raw_.u32(ffs_field::bsize); }
    std::uint64_t fsize() const { return raw_.u32(ffs_field::fsize); }
    std::uint64_t frag() const { return raw_.u32(ffs_field::frag); }
    std::uint64_t groups() const { return raw_.u32(ffs_field::ncg); }
    std::uint64_t fragments_per_group() const { return raw_.u32(ffs_field::fpg); }
    std::uint64_t inodes_per_group() const { return raw_.u32(ffs_field::ipg); }
    /// fs_cgsize: a header with maps, which are never empty, in one block.
    bool group_size_possible() const {
        const auto size = raw_.u32(ffs_field::cgsize);
        return size > ffs_group_header_bytes && size <= bsize();
    }
    /// Counts of fragments.
    std::uint64_t size() const;
    std::uint64_t data_size() const;
    std::uint64_t summary_address() const;
    /// Totals of all groups: directories, free blocks, free inodes, free fragments outside of free blocks.
    enum class Total { directories, free_blocks, free_inodes, free_fragments };
    std::uint64_t total(Total which) const;
    std::size_t total_offset(Total which) const;
    /// Bytes from the start of the file system; nothing when out of range.
    std::optional<std::uint64_t> group_start(std::uint64_t group) const;
    std::optional<std::uint64_t> copy_place(std::uint64_t group) const;

    struct Contradiction {
        enum class Weight { minor, geometry, fatal };
        Weight weight;
        std::string text;
    };
    /// Fields that can't be or don't agree. With a fatal one the sizes are not to be used at all; one of the
    /// geometry makes a copy preferable.
    std::vector<Contradiction> contradictions() const;
    /// Fields that all copies share and that differ: "sd0a@0x10030: fs_ncg is 4, the copy at ... has 5".
    std::vector<std::string> differences(const FfsSuperblock& copy) const;
    /// Of the fields that all copies share, how many of all are the same as in those bytes.
    bool resembles(const Structure& bytes) const;

 private:
    FfsSuperblock(Structure raw, bool version2, bool netbsd_magic)
        : raw_(raw), version2_(version2), netbsd_magic_(netbsd_magic) {}
    Structure raw_;
    bool version2_, netbsd_magic_;
};

struct FfsChoice {
    std::optional<FfsSuperblock> superblock;  // nothing: no FFS here
    std::vector<std::string> damage;
};
/// The superblock that the kernels would take, or a copy where that is unusable. bad_data when there is one
/// and neither it nor a copy can be used. `only_copies_count`: bytes without any superblock's magic may still
/// be a file system that lost it, when copies are there.
Result<FfsChoice> find_ffs_superblock(ByteSource& source, bool only_copies_count);

}  // namespace diskwright
