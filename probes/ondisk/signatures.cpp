// SPDX-License-Identifier: BSD-2-Clause
// Offsets and marks as their owners define them, where no other source is named: sys/ufs/ffs/fs.h,
// sys/dev/raidframe/rf_netbsdkintf.c (RF_COMPONENT_INFO_OFFSET), sys/dev/softraidvar.h (SR_META_OFFSET 16),
// sys/sys/disklabel.h of the BSDs, sys/geom/*/g_*.h (the magic in the last sector),
// include/uapi/linux/raid/md_p.h, fs/*/ of Linux, drivers of cryptsetup and LVM2 (lib/format_text),
// module/zfs (vdev_label.c: labels of 256 KiB, two at either end, uberblocks from 128 KiB on).
#include "probes/ondisk/signatures.hpp"

#include <algorithm>
#include <array>

#include "probes/ondisk/gpt.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using namespace std::string_view_literals;
using Kind = Signature::Kind;

enum class From {
    start,
    end,         // offset bytes before the end
    end_sector,  // within the sector that begins offset sectors before the end
    end_aligned  // offset bytes before the end, after rounding the size down to 64 KiB
};

/// Where from the start; the other marks have one place.
using Places = std::span<const std::uint64_t>;
template <std::uint64_t... at>
inline constexpr std::array<std::uint64_t, sizeof...(at)> places{at...};
inline constexpr auto swap_places = [] {
    auto out = swap_pages;
    for (std::uint64_t& at : out) at -= swap_mark_bytes;
    return out;
}();

/// How the bytes of a number stand on the disk.
enum class Order { as_written, either };

struct Mark {
    std::string_view name;
    Kind kind;
    From from;
    Places at;
    std::string_view bytes;
    Order order = Order::as_written;
    std::uint64_t inside = 0;  // added to each place
};

template <auto number>
inline constexpr auto little_endian = [] {
    std::array<char, sizeof number> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i) & 0xff);
    return bytes;
}();
template <auto number>
constexpr std::string_view bytes_of() {
    return {little_endian<number>.data(), little_endian<number>.size()};
}

constexpr auto contents = Kind::contents, table = Kind::partition_table;
constexpr auto start = From::start, end = From::end, end_sector = From::end_sector;

constexpr std::array marks{
    Mark{"ext2/3/4", contents, start, places<ext_magic_at>, bytes_of<ext_magic>()},
    Mark{"XFS", contents, start, places<0>, "XFSB"sv},
    Mark{"Btrfs", contents, start, places<64 * KiB>, "_BHRfS_M"sv, Order::as_written, 64},
    Mark{"FFS1", contents, start, ffs_places, bytes_of<ffs1_magic>(), Order::either, ffs_magic_at},
    Mark{"FFS2", contents, start, ffs_places, bytes_of<ffs2_magic>(), Order::either, ffs_magic_at},
    Mark{"FFS2", contents, start, ffs_places, bytes_of<ffs2ea_magic>(), Order::either, ffs_magic_at},
    // NetBSD/src:sys/ufs/lfs/lfs.h: the superblock begins with LFS_MAGIC or LFS64_MAGIC, which is inverted.
    Mark{"LFS", contents, start, places<8 * KiB>, bytes_of<0x00070162U>(), Order::either},
    Mark{"LFS", contents, start, places<8 * KiB>, bytes_of<0x19620701U>(), Order::either},
    Mark{"LFS", contents, start, places<8 * KiB>, bytes_of<~0x19620701U>(), Order::either},
    // DragonFly: sys/vfs/hammer/hammer_disk.h, sys/vfs/hammer2/hammer2_disk.h.
    Mark{"HAMMER", contents, start, places<0>, bytes_of<0xc8414d4dc5523031U>(), Order::either},
    Mark{"HAMMER2", contents, start, places<0>, bytes_of<0x48414d3205172011U>(), Order::either},
    // The rest of the file systems as util-linux/util-linux:libblkid/src/superblocks/ finds them.
    Mark{"APFS", contents, start, places<32>, "NXSB"sv},
    Mark{"bcachefs", contents, start, places<4 * KiB, 2 * MiB>,
         "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"sv, Order::as_written, 24},
    Mark{"NILFS2", contents, start, places<KiB + 6>, "\x34\x34"sv},
    Mark{"GFS", contents, start, places<64 * KiB>, "\x01\x16\x19\x70"sv},
    Mark{"OCFS", contents, start, places<8 * KiB>, "OracleCFS"sv},
    Mark{"OCFS2", contents, start, places<KiB, 2 * KiB, 4 * KiB, 8 * KiB>, "OCFSV2"sv},
    Mark{"Oracle ASM", contents, start, places<32>, "ORCLDISK"sv},
    Mark{"VMFS", contents, start, places<2 * MiB>, "\x5e\xf1\xab\x2f"sv},
    Mark{"VMFS", contents, start, places<MiB>, "\x0d\xd0\x01\xc0"sv},
    Mark{"F2FS", contents, start, places<KiB>, "\x10\x20\xf5\xf2"sv},
    Mark{"EROFS", contents, start, places<KiB>, "\xe2\xe1\xf5\xe0"sv},
    Mark{"SquashFS", contents, start, places<0>, "hsqs"sv, Order::either},
    Mark{"JFS", contents, start, places<32 * KiB>, "JFS1"sv},
    Mark{"ReiserFS", contents, start, places<64 * KiB>, "ReIsEr"sv, Order::as_written, 52},
    Mark{"HFS+", contents, start, places<KiB>, "H+"sv},
    Mark{"NTFS", contents, start, places<3>, "NTFS    "sv},
    Mark{"BitLocker", contents, start, places<3>, "-FVE-FS-"sv},
    Mark{"exFAT", contents, start, places<3>, "EXFAT   "sv},
    Mark{"FAT", contents, start, places<54>, "FAT1"sv},
    Mark{"FAT", contents, start, places<54>, "FAT  "sv},
    Mark{"FAT", contents, start, places<82>, "FAT32"sv},
    Mark{"ISO 9660", contents, start, places<32 * KiB + 1>, "CD001"sv},
    Mark{"UDF", contents, start, places<32 * KiB + 1>, "BEA01"sv},
    Mark{"swap", contents, start, swap_places, swap_mark},
    Mark{"swap", contents, start, swap_places, swap_mark_suspended},
    Mark{"swap", contents, start, places<4 * KiB - 10>, "SWAP-SPACE"sv},
    Mark{"LUKS", contents, start, places<0>, luks_magic},
    Mark{"LUKS", contents, start, luks2_header_sizes, luks2_second_magic},
    Mark{"LVM2", contents, start, places<0, 512, 1024, 1536>, "LABELONE"sv},
    Mark{"md 1.1", contents, start, places<0>, bytes_of<0xa92b4efcU>()},
    Mark{"md 1.2", contents, start, places<4 * KiB>, bytes_of<0xa92b4efcU>()},
    Mark{"md 1.0", contents, end, places<8 * KiB>, bytes_of<0xa92b4efcU>()},
    Mark{"md 0.90", contents, From::end_aligned, places<64 * KiB>, bytes_of<0xa92b4efcU>(), Order::either},
    Mark{"DDF", contents, end_sector, places<1>, bytes_of<0xde11de11U>(), Order::either},
    Mark{"Intel Matrix RAID", contents, end_sector, places<2>, "Intel Raid ISM Cfg Sig. "sv},
    // The last page, and the magic numbers of md_on_disk_08 and meta_data_on_disk_9 in it.
    Mark{"DRBD", contents, end, places<4 * KiB>, "\x83\x74\x02\x6b"sv, Order::as_written, 60},
    Mark{"DRBD", contents, end, places<4 * KiB>, "\x83\x74\x02\x6c"sv, Order::as_written, 60},
    Mark{"DRBD", contents, end, places<4 * KiB>, "\x83\x74\x02\x6d"sv, Order::as_written, 60},
    Mark{"BlueStore", contents, start, places<0>, "bluestore block device"sv},
    Mark{"VDO", contents, start, places<0>, "dmvdo001"sv},
    Mark{"Stratis", contents, start, places<512, 9 * 512>, "!Stra0tis\x86\xff\x02^\x41rh"sv,
         Order::as_written, 4},
    Mark{"bcache", contents, start, places<4 * KiB>,
         "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"sv, Order::as_written, 24},
    // The label's version, 1 or 2, in the order of either kind of machine.
    Mark{"RAIDframe", contents, start, places<16 * KiB>, bytes_of<1U>(), Order::either},
    Mark{"RAIDframe", contents, start, places<16 * KiB>, bytes_of<2U>(), Order::either},
    Mark{"softraid", contents, start, places<8 * KiB>, "marcCRAM"sv},
    Mark{"softraid", contents, start, places<8 * KiB>, "MARCcram"sv},
    Mark{"GEOM", contents, end_sector, places<1>, "GEOM::"sv},
    // GV_MAGIC and GV_OLD_MAGIC, freebsd/freebsd-src:sys/geom/vinum/geom_vinum_var.h.
    Mark{"gvinum", contents, start, places<4 * KiB>, bytes_of<0x56494e554d2d3100U>(), Order::either},
    Mark{"gvinum", contents, start, places<4 * KiB>, bytes_of<0x494e2056494e4f00U>(), Order::either},
    Mark{"ZFS", contents, start, places<16 * KiB>, "\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"sv},
    Mark{"ZFS", contents, start, places<16 * KiB>, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"sv},
    // Labels of a whole disk, whose partitions are not looked at here; sector 1 of a disk of either sector
    // size.
    Mark{"disklabel", contents, start, places<0, 64, 128, 512, 576, 4096, 4160>, bytes_of<disklabel_magic>(),
         Order::either},
    Mark{"disklabel", contents, start, places<512, 4096>, bytes_of<disklabel64_magic>()},
    Mark{"Apple partition map", contents, start, places<512>, "PM\x00\x00"sv},
    Mark{"VTOC8", contents, start, places<508>, "\xda\xbe"sv},
    Mark{"GPT", table, start, places<512, 4096>, gpt_signature},
    Mark{"GPT", table, end_sector, places<1>, gpt_signature},
    Mark{"MBR or boot block", table, start, places<mbr_signature_at>, bytes_of<mbr_signature>()},
};

constexpr std::uint64_t head_bytes = 512 * KiB, tail_bytes = 512 * KiB;
// Marks beyond the head, and how much of each place is read.
constexpr std::array<std::uint64_t, 4> far_places{512 * KiB, MiB, 2 * MiB, 4 * MiB};
constexpr std::uint64_t far_bytes = 64 * KiB;
constexpr std::uint64_t zfs_uberblocks_at = 128 * KiB, zfs_step = 1 * KiB;
constexpr std::array<std::string_view, 2> zfs_uberblocks{"\x0c\xb1\xba\x00\x00\x00\x00\x00"sv,
                                                         "\x00\x00\x00\x00\x00\xba\xb1\x0c"sv};

struct Bytes {
    std::span<const std::vector<std::byte>> pieces;
    std::vector<ByteRange> ranges;

    bool at(std::uint64_t offset, std::string_view wanted) const {
        for (std::size_t i = 0; i < ranges.size() && i < pieces.size(); ++i) {
            const auto& range = ranges[i];
            if (offset < range.offset || offset - range.offset > pieces[i].size() ||
                wanted.size() > pieces[i].size() - (offset - range.offset))
                continue;
            const auto* from = pieces[i].data() + (offset - range.offset);
            return std::equal(wanted.begin(), wanted.end(), from, [](char a, std::byte b) {
                return static_cast<std::byte>(static_cast<unsigned char>(a)) == b;
            });
        }
        return false;
    }
};

std::optional<std::uint64_t> place(From from, std::uint64_t distance, std::uint64_t size,
                                   std::uint64_t sector) {
    const auto before = [](std::uint64_t limit, std::uint64_t length) -> std::optional<std::uint64_t> {
        if (length > limit) return std::nullopt;
        return limit - length;
    };
    switch (from) {
        case From::start:
            return distance;
        // md keeps it at a multiple of 4 KiB, at least 8 KiB before the end (md_p.h, super 1.0).
        case From::end: {
            const auto at = before(size, distance);
            return at ? std::optional(*at - *at % (4 * KiB)) : std::nullopt;
        }
        case From::end_sector:
            return before(size, distance * sector);
        case From::end_aligned:
            return before(size - size % (64 * KiB), distance);
    }
    return std::nullopt;
}

std::string reversed(std::string_view bytes) {
    return {bytes.rbegin(), bytes.rend()};
}

std::optional<Signature> find_mark(const Mark& mark, const Bytes& bytes, std::uint64_t size,
                                   std::uint64_t sector) {
    for (const std::uint64_t distance : mark.at) {
        const auto at = place(mark.from, distance, size, sector);
        if (!at) continue;
        const bool found = bytes.at(*at + mark.inside, mark.bytes) ||
                           (mark.order == Order::either && bytes.at(*at + mark.inside, reversed(mark.bytes)));
        if (found) return Signature{mark.name, mark.kind, *at + mark.inside};
    }
    return std::nullopt;
}

std::optional<Signature> find_zfs(const Bytes& bytes, std::uint64_t size) {
    for (const std::uint64_t label : zfs_label_places(size))
        for (std::uint64_t at = label + zfs_uberblocks_at; at < label + zfs_label_bytes; at += zfs_step)
            for (const auto wanted : zfs_uberblocks)
                if (bytes.at(at, wanted)) return Signature{"ZFS", Kind::contents, at};
    return std::nullopt;
}

}  // namespace

std::vector<ByteRange> signature_ranges(std::uint64_t size, std::uint64_t sector) {
    const std::uint64_t whole = size - size % std::max<std::uint64_t>(sector, 1);
    // ZFS rounds the size down to a label, so its last two may begin a label earlier.
    const std::uint64_t tail = tail_bytes + zfs_label_bytes;
    if (whole <= head_bytes + tail) return {{0, whole}};
    const std::uint64_t from = (whole - tail) - (whole - tail) % std::max<std::uint64_t>(sector, 1);
    std::vector<ByteRange> out{{0, head_bytes}, {from, whole - from}};
    for (const std::uint64_t at : far_places)
        if (at + far_bytes <= whole) out.push_back({at, far_bytes});
    return out;
}

std::vector<std::string> signature_marks() {
    std::vector<std::string> out;
    for (const Mark& mark : marks) {
        out.emplace_back(mark.bytes);
        if (mark.order == Order::either) out.push_back(reversed(mark.bytes));
    }
    for (const auto bytes : zfs_uberblocks) out.emplace_back(bytes);
    return out;
}

std::optional<Signature> find_signature(std::span<const std::vector<std::byte>> pieces, std::uint64_t size,
                                        std::uint64_t sector) {
    const Bytes bytes{pieces, signature_ranges(size, sector)};
    const auto first = [&](Kind kind) -> std::optional<Signature> {
        for (const Mark& mark : marks) {
            if (mark.kind != kind) continue;
            if (auto found = find_mark(mark, bytes, size, sector)) return found;
        }
        return std::nullopt;
    };
    if (auto found = first(Kind::contents)) return found;
    if (auto found = find_zfs(bytes, size)) return found;
    return first(Kind::partition_table);
}

}  // namespace diskwright
