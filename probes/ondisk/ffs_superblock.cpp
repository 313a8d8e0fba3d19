// SPDX-License-Identifier: BSD-2-Clause
// Which fields bind each other: freebsd/freebsd-src:sys/ufs/ffs/ffs_subr.c (readsuper, validate_sblock) and
// sbin/newfs/mkfs.c; places and their order: SBLOCKSEARCH of sys/ufs/ffs/fs.h.
#include "probes/ondisk/ffs_superblock.hpp"
#include "probes/ondisk/magics.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

namespace f = ffs_field;
using Weight = FfsSuperblock::Contradiction::Weight;

constexpr std::uint64_t inode_bytes1 = 128, inode_bytes2 = 256;
constexpr std::uint64_t superblock_area = 8192;  // SBLOCKSIZE

struct SharedField {
    std::size_t offset;
    std::string_view name;
};
// Written when the file system is made or resized, and then to all copies; tunefs does not touch them.
constexpr std::array<SharedField, 24> shared{{{f::sblkno, "fs_sblkno"},
                                              {f::cblkno, "fs_cblkno"},
                                              {f::iblkno, "fs_iblkno"},
                                              {f::dblkno, "fs_dblkno"},
                                              {f::old_cgoffset, "cgoffset"},
                                              {f::old_cgmask, "cgmask"},
                                              {f::old_size, "fs_old_size"},
                                              {f::old_dsize, "fs_old_dsize"},
                                              {f::ncg, "fs_ncg"},
                                              {f::bsize, "fs_bsize"},
                                              {f::fsize, "fs_fsize"},
                                              {f::frag, "fs_frag"},
                                              {f::bmask, "fs_bmask"},
                                              {f::fmask, "fs_fmask"},
                                              {f::bshift, "fs_bshift"},
                                              {f::fshift, "fs_fshift"},
                                              {f::fragshift, "fs_fragshift"},
                                              {f::sbsize, "fs_sbsize"},
                                              {f::nindir, "fs_nindir"},
                                              {f::inopb, "fs_inopb"},
                                              {f::cssize, "fs_cssize"},
                                              {f::cgsize, "fs_cgsize"},
                                              {f::ipg, "fs_ipg"},
                                              {f::fpg, "fs_fpg"}}};
// Likewise, of 64 bits, where they are in use.
constexpr std::array<SharedField, 4> shared_updated{
    {{f::sblockloc, "fs_sblockloc"}, {f::size, "fs_size"}, {f::dsize, "fs_dsize"}, {f::csaddr, "fs_csaddr"}}};

class Checks {
 public:
    explicit Checks(const Structure& raw) : raw_(raw) {}
    bool require(bool right, Weight weight, std::size_t offset, std::string_view what) {
        if (!right) out.push_back({weight, fmt::format("{}: ffs: {}", raw_.place(offset), what)});
        return right;
    }
    std::vector<FfsSuperblock::Contradiction> out;

 private:
    const Structure& raw_;
};

// Everything else rests on these.
bool check_block_sizes(const FfsSuperblock& sb, Checks& c) {
    const auto bsize = sb.bsize(), fsize = sb.fsize(), frag = sb.frag();
    bool right = c.require(power_of_two(bsize) && bsize >= 4096 && bsize <= 65536, Weight::fatal, f::bsize,
                           fmt::format("fs_bsize {} is no block size", bsize));
    right &= c.require(power_of_two(fsize) && fsize >= 512 && fsize <= 65536, Weight::fatal, f::fsize,
                       fmt::format("fs_fsize {} is no fragment size", fsize));
    right &= c.require(power_of_two(frag) && frag <= 8, Weight::fatal, f::frag,
                       fmt::format("fs_frag {} is no number of fragments", frag));
    return right &&
           c.require(frag * fsize == bsize, Weight::fatal, f::frag,
                     fmt::format("fs_frag {} times fs_fsize {} is not fs_bsize {}", frag, fsize, bsize));
}

void check_derived(const FfsSuperblock& sb, Checks& c) {
    const Structure& raw = sb.raw();
    const auto is = [&](std::size_t offset, std::string_view name, std::uint64_t found,
                        std::uint64_t wanted) {
        c.require(found == wanted, Weight::minor, offset,
                  fmt::format("{} is {:#x}, the sizes make it {:#x}", name, found, wanted));
    };
    const auto shift_of = [](std::uint64_t size) {
        std::uint64_t shift = 0;
        while ((std::uint64_t{1} << shift) < size) ++shift;
        return shift;
    };
    is(f::bshift, "fs_bshift", raw.u32(f::bshift), shift_of(sb.bsize()));
    is(f::fshift, "fs_fshift", raw.u32(f::fshift), shift_of(sb.fsize()));
    is(f::fragshift, "fs_fragshift", raw.u32(f::fragshift), shift_of(sb.frag()));
    is(f::bmask, "fs_bmask", raw.u32(f::bmask), 0x100000000U - sb.bsize());
    is(f::fmask, "fs_fmask", raw.u32(f::fmask), 0x100000000U - sb.fsize());
    is(f::qbmask, "fs_qbmask", raw.u64(f::qbmask), sb.bsize() - 1);
    is(f::qfmask, "fs_qfmask", raw.u64(f::qfmask), sb.fsize() - 1);
    is(f::nindir, "fs_nindir", raw.u32(f::nindir), sb.bsize() / (sb.version2() ? 8 : 4));
    is(f::inopb, "fs_inopb", raw.u32(f::inopb), sb.bsize() / (sb.version2() ? inode_bytes2 : inode_bytes1));
    c.require(raw.u32(f::fsbtodb) <= 7 && (sb.fsize() >> raw.u32(f::fsbtodb)) >= 512, Weight::minor,
              f::fsbtodb,
              fmt::format("fs_fsbtodb {} makes the sector smaller than 512 bytes", raw.u32(f::fsbtodb)));
    c.require(raw.u32(f::sbsize) >= ffs_superblock_bytes && raw.u32(f::sbsize) <= superblock_area,
              Weight::minor, f::sbsize,
              fmt::format("fs_sbsize {} is no size of a superblock", raw.u32(f::sbsize)));
}

// Areas of a group follow each other: superblock, group header, inodes, data.
void check_group_layout(const FfsSuperblock& sb, Checks& c) {
    const Structure& raw = sb.raw();
    const auto sblkno = raw.u32(f::sblkno), cblkno = raw.u32(f::cblkno), iblkno = raw.u32(f::iblkno),
               dblkno = raw.u32(f::dblkno);
    const auto inode_bytes = sb.version2() ? inode_bytes2 : inode_bytes1;
    c.require(sblkno != 0 && sblkno < cblkno, Weight::geometry, f::sblkno,
              "the copy of the superblock is not before the group's header");
    // The first group begins with the boot area and the superblock itself.
    const auto place = sb.updated() ? raw.u64(f::sblockloc) : std::uint64_t{8192};
    c.require(sblkno * sb.fsize() >= add(place, superblock_area).value_or(0), Weight::minor, f::sblkno,
              fmt::format("fs_sblkno {} puts the first copy into the superblock", sblkno));
    c.require(iblkno == cblkno + sb.frag(), Weight::geometry, f::iblkno,
              fmt::format("fs_iblkno {} is not one block after fs_cblkno {}", iblkno, cblkno));
    c.require(sb.inodes_per_group() != 0 && iblkno <= dblkno &&
                  (dblkno - iblkno) * sb.fsize() == sb.inodes_per_group() * inode_bytes,
              Weight::geometry, f::ipg,
              fmt::format("{} inodes do not fill the {} fragments between fs_iblkno and fs_dblkno",
                          sb.inodes_per_group(), dblkno - std::min(iblkno, dblkno)));
    c.require(dblkno < sb.fragments_per_group(), Weight::geometry, f::dblkno,
              "fs_dblkno lies behind the group");
    c.require(sb.group_size_possible(), Weight::geometry, f::cgsize,
              fmt::format("fs_cgsize {} is no size of a cylinder group", raw.u32(f::cgsize)));
}

void check_extent(const FfsSuperblock& sb, Checks& c) {
    const Structure& raw = sb.raw();
    const auto groups = sb.groups(), per_group = sb.fragments_per_group(), size = sb.size();
    const std::size_t size_at = sb.updated() ? f::size : f::old_size;
    const bool counts = c.require(groups != 0 && per_group != 0 && size != 0, Weight::fatal, f::ncg,
                                  "no cylinder groups, or none of any size");
    if (!counts) return;
    // Both factors are of 32 bits.
    c.require(size > (groups - 1) * per_group && size <= groups * per_group, Weight::geometry, size_at,
              fmt::format("{} groups of {} fragments do not make {} fragments", groups, per_group, size));
    if (!sb.version2() && sb.updated() && size <= 0x7fffffff)
        c.require(raw.u32(f::old_size) == size, Weight::geometry, f::old_size,
                  fmt::format("fs_old_size {} is not fs_size {}", raw.u32(f::old_size), size));
    c.require(sb.data_size() != 0 && sb.data_size() < size, Weight::minor,
              sb.updated() ? f::dsize : f::old_dsize,
              fmt::format("fs_dsize {} is not less than fs_size {}", sb.data_size(), size));
    c.require(sb.summary_address() < size, Weight::minor, sb.updated() ? f::csaddr : f::old_csaddr,
              "fs_csaddr lies behind the end");
    c.require(raw.u32(f::cssize) >= groups * 16, Weight::minor, f::cssize,
              fmt::format("fs_cssize {} is too small for {} groups", raw.u32(f::cssize), groups));
}

void check_values(const FfsSuperblock& sb, Checks& c) {
    using Total = FfsSuperblock::Total;
    const Structure& raw = sb.raw();
    c.require(raw.u32(f::minfree) <= 99, Weight::minor, f::minfree,
              fmt::format("fs_minfree {} is no percentage", raw.u32(f::minfree)));
    c.require(raw.u32(f::optim) <= 1, Weight::minor, f::optim,
              fmt::format("fs_optim {} is neither time nor space", raw.u32(f::optim)));
    c.require(sb.total(Total::free_inodes) <= sb.groups() * sb.inodes_per_group(), Weight::minor,
              sb.total_offset(Total::free_inodes), "more free inodes than inodes");
    c.require(sb.total(Total::free_blocks) <= sb.data_size() / sb.frag() &&
                  sb.total(Total::free_fragments) <= sb.data_size(),
              Weight::minor, sb.total_offset(Total::free_blocks), "more free space than space");
}

}  // namespace

std::optional<FfsSuperblock> FfsSuperblock::recognise(const Structure& bytes) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const Structure raw = bytes.in_order(order);
        const auto magic = raw.u32(f::magic);
        if (magic == ffs1_magic || magic == ffs2_magic || magic == ffs2ea_magic)
            return FfsSuperblock(raw, magic != ffs1_magic, magic == ffs2ea_magic);
    }
    return std::nullopt;
}

std::uint64_t FfsSuperblock::size() const {
    return updated() ? raw_.u64(f::size) : raw_.u32(f::old_size);
}
std::uint64_t FfsSuperblock::data_size() const {
    return updated() ? raw_.u64(f::dsize) : raw_.u32(f::old_dsize);
}
std::uint64_t FfsSuperblock::summary_address() const {
    return updated() ? raw_.u64(f::csaddr) : raw_.u32(f::old_csaddr);
}
std::size_t FfsSuperblock::total_offset(Total which) const {
    const auto index = static_cast<std::size_t>(which);
    return updated() ? f::cstotal + 8 * index : f::old_cstotal + 4 * index;
}
std::uint64_t FfsSuperblock::total(Total which) const {
    return updated() ? raw_.u64(total_offset(which)) : raw_.u32(total_offset(which));
}

std::optional<std::uint64_t> FfsSuperblock::group_start(std::uint64_t group) const {
    // cgstart(): FFSv1 may shift each group so that superblock copies lie on different platters.
    const std::uint64_t shift =
        version2_ ? 0 : raw_.u32(f::old_cgoffset) * (group & ~raw_.u32(f::old_cgmask) & 0xffffffffU);
    const auto fragments = multiply(group, fragments_per_group());
    const auto shifted = fragments ? add(*fragments, shift) : std::nullopt;
    return shifted ? multiply(*shifted, fsize()) : std::nullopt;
}

std::optional<std::uint64_t> FfsSuperblock::copy_place(std::uint64_t group) const {
    const auto start = group_start(group);
    return start ? add(*start, raw_.u32(f::sblkno) * fsize()) : std::nullopt;
}

std::vector<FfsSuperblock::Contradiction> FfsSuperblock::contradictions() const {
    Checks c(raw_);
    if (!check_block_sizes(*this, c)) return c.out;
    check_derived(*this, c);
    check_group_layout(*this, c);
    check_extent(*this, c);
    check_values(*this, c);
    return c.out;
}

std::vector<std::string> FfsSuperblock::differences(const FfsSuperblock& copy) const {
    std::vector<std::string> out;
    const auto note = [&](const SharedField& field, std::uint64_t here, std::uint64_t there) {
        if (here != there)
            out.push_back(fmt::format("{}: ffs: {} is {}, the copy at {} has {}", raw_.place(field.offset),
                                      field.name, here, copy.raw().place(field.offset), there));
    };
    for (const SharedField& field : shared) note(field, raw_.u32(field.offset), copy.raw().u32(field.offset));
    if (updated() && copy.updated())
        for (const SharedField& field : shared_updated)
            note(field, raw_.u64(field.offset), copy.raw().u64(field.offset));
    return out;
}

bool FfsSuperblock::resembles(const Structure& bytes) const {
    const Structure other = bytes.in_order(raw_.order());
    const auto same = std::count_if(shared.begin(), shared.end(), [&](const SharedField& field) {
        return raw_.u32(field.offset) == other.u32(field.offset);
    });
    return static_cast<std::size_t>(same) + 4 >= shared.size();
}

}  // namespace diskwright
