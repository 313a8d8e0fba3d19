// SPDX-License-Identifier: BSD-2-Clause
// Offsets and marks as their owners define them: sys/ufs/ffs/fs.h (SBLOCKSEARCH: 8, 0, 64 and 256 KiB;
// fs_magic at 1372), sys/dev/raidframe/rf_netbsdkintf.c (RF_COMPONENT_INFO_OFFSET), sys/dev/softraidvar.h
// (SR_META_OFFSET 16), sys/sys/disklabel.h of the BSDs, sys/geom/*/g_*.h (the magic in the last sector),
// include/uapi/linux/raid/md_p.h, fs/*/ of Linux, drivers of cryptsetup and LVM2 (lib/format_text),
// module/zfs (vdev_label.c: labels of 256 KiB, two at either end, uberblocks from 128 KiB on).
#include "probes/ondisk/signatures.hpp"

#include <algorithm>
#include <array>

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

struct Mark {
    std::string_view name;
    Kind kind;
    From from;
    std::uint64_t offset;
    std::string_view bytes;
};

constexpr std::array marks{
    Mark{"ext2/3/4", Kind::contents, From::start, 1080, "\x53\xef"sv},
    Mark{"XFS", Kind::contents, From::start, 0, "XFSB"sv},
    Mark{"Btrfs", Kind::contents, From::start, 64 * KiB + 64, "_BHRfS_M"sv},
    Mark{"FFS1", Kind::contents, From::start, 1372, "\x54\x19\x01\x00"sv},
    Mark{"FFS1", Kind::contents, From::start, 1372, "\x00\x01\x19\x54"sv},
    Mark{"FFS1", Kind::contents, From::start, 8 * KiB + 1372, "\x54\x19\x01\x00"sv},
    Mark{"FFS1", Kind::contents, From::start, 8 * KiB + 1372, "\x00\x01\x19\x54"sv},
    Mark{"FFS1", Kind::contents, From::start, 64 * KiB + 1372, "\x54\x19\x01\x00"sv},
    Mark{"FFS1", Kind::contents, From::start, 64 * KiB + 1372, "\x00\x01\x19\x54"sv},
    Mark{"FFS1", Kind::contents, From::start, 256 * KiB + 1372, "\x54\x19\x01\x00"sv},
    Mark{"FFS1", Kind::contents, From::start, 256 * KiB + 1372, "\x00\x01\x19\x54"sv},
    Mark{"FFS2", Kind::contents, From::start, 1372, "\x19\x01\x54\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 1372, "\x19\x54\x01\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 8 * KiB + 1372, "\x19\x01\x54\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 8 * KiB + 1372, "\x19\x54\x01\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 64 * KiB + 1372, "\x19\x01\x54\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 64 * KiB + 1372, "\x19\x54\x01\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 256 * KiB + 1372, "\x19\x01\x54\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 256 * KiB + 1372, "\x19\x54\x01\x19"sv},
    // NetBSD's FFS2 with extended attributes, sys/ufs/ffs/fs.h FS_UFS2EA_MAGIC.
    Mark{"FFS2", Kind::contents, From::start, 64 * KiB + 1372, "\x38\x20\x01\x19"sv},
    Mark{"FFS2", Kind::contents, From::start, 64 * KiB + 1372, "\x19\x01\x20\x38"sv},
    Mark{"swap", Kind::contents, From::start, 4 * KiB - 10, "SWAPSPACE2"sv},
    Mark{"swap", Kind::contents, From::start, 8 * KiB - 10, "SWAPSPACE2"sv},
    Mark{"swap", Kind::contents, From::start, 16 * KiB - 10, "SWAPSPACE2"sv},
    Mark{"swap", Kind::contents, From::start, 64 * KiB - 10, "SWAPSPACE2"sv},
    Mark{"swap", Kind::contents, From::start, 4 * KiB - 10, "SWAP-SPACE"sv},
    Mark{"LUKS", Kind::contents, From::start, 0, "LUKS\xba\xbe"sv},
    Mark{"LVM2", Kind::contents, From::start, 0, "LABELONE"sv},
    Mark{"LVM2", Kind::contents, From::start, 512, "LABELONE"sv},
    Mark{"LVM2", Kind::contents, From::start, 1024, "LABELONE"sv},
    Mark{"LVM2", Kind::contents, From::start, 1536, "LABELONE"sv},
    Mark{"md 1.1", Kind::contents, From::start, 0, "\xfc\x4e\x2b\xa9"sv},
    Mark{"md 1.2", Kind::contents, From::start, 4 * KiB, "\xfc\x4e\x2b\xa9"sv},
    Mark{"md 1.0", Kind::contents, From::end, 8 * KiB, "\xfc\x4e\x2b\xa9"sv},
    Mark{"md 0.90", Kind::contents, From::end_aligned, 64 * KiB, "\xfc\x4e\x2b\xa9"sv},
    Mark{"md 0.90", Kind::contents, From::end_aligned, 64 * KiB, "\xa9\x2b\x4e\xfc"sv},
    Mark{"DDF", Kind::contents, From::end_sector, 1, "\xde\x11\xde\x11"sv},
    Mark{"DDF", Kind::contents, From::end_sector, 1, "\x11\xde\x11\xde"sv},
    Mark{"Intel Matrix RAID", Kind::contents, From::end_sector, 2, "Intel Raid ISM Cfg Sig. "sv},
    // The label's version, 1 or 2, in the order of either kind of machine.
    Mark{"RAIDframe", Kind::contents, From::start, 16 * KiB, "\x01\x00\x00\x00"sv},
    Mark{"RAIDframe", Kind::contents, From::start, 16 * KiB, "\x02\x00\x00\x00"sv},
    Mark{"RAIDframe", Kind::contents, From::start, 16 * KiB, "\x00\x00\x00\x01"sv},
    Mark{"RAIDframe", Kind::contents, From::start, 16 * KiB, "\x00\x00\x00\x02"sv},
    Mark{"softraid", Kind::contents, From::start, 8 * KiB, "marcCRAM"sv},
    Mark{"softraid", Kind::contents, From::start, 8 * KiB, "MARCcram"sv},
    Mark{"GEOM", Kind::contents, From::end_sector, 1, "GEOM::"sv},
    Mark{"ZFS", Kind::contents, From::start, 16 * KiB, "\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"sv},
    Mark{"ZFS", Kind::contents, From::start, 16 * KiB, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"sv},
    Mark{"bcache", Kind::contents, From::start, 4 * KiB + 24,
         "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"sv},
    Mark{"F2FS", Kind::contents, From::start, 1024, "\x10\x20\xf5\xf2"sv},
    Mark{"JFS", Kind::contents, From::start, 32 * KiB, "JFS1"sv},
    Mark{"ReiserFS", Kind::contents, From::start, 64 * KiB + 52, "ReIsEr"sv},
    Mark{"HFS+", Kind::contents, From::start, 1024, "H+"sv},
    Mark{"NTFS", Kind::contents, From::start, 3, "NTFS    "sv},
    Mark{"exFAT", Kind::contents, From::start, 3, "EXFAT   "sv},
    Mark{"FAT", Kind::contents, From::start, 54, "FAT1"sv},
    Mark{"FAT", Kind::contents, From::start, 54, "FAT  "sv},
    Mark{"FAT", Kind::contents, From::start, 82, "FAT32"sv},
    Mark{"ISO 9660", Kind::contents, From::start, 32 * KiB + 1, "CD001"sv},
    Mark{"UDF", Kind::contents, From::start, 32 * KiB + 1, "BEA01"sv},
    Mark{"GPT", Kind::partition_table, From::start, 512, "EFI PART"sv},
    Mark{"GPT", Kind::partition_table, From::start, 4096, "EFI PART"sv},
    Mark{"GPT", Kind::partition_table, From::end_sector, 1, "EFI PART"sv},
    Mark{"MBR or boot block", Kind::partition_table, From::start, 510, "\x55\xaa"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 0, "\x57\x45\x56\x82"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 0, "\x82\x56\x45\x57"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 64, "\x57\x45\x56\x82"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 64, "\x82\x56\x45\x57"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 128, "\x82\x56\x45\x57"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 512, "\x57\x45\x56\x82"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 512, "\x82\x56\x45\x57"sv},
    Mark{"disklabel", Kind::partition_table, From::start, 576, "\x57\x45\x56\x82"sv},
    Mark{"Apple partition map", Kind::partition_table, From::start, 512, "PM\x00\x00"sv},
    Mark{"VTOC8", Kind::partition_table, From::start, 508, "\xda\xbe"sv},
};

constexpr std::uint64_t head_bytes = 512 * KiB, tail_bytes = 512 * KiB;
constexpr std::uint64_t zfs_label_bytes = 256 * KiB, zfs_uberblocks_at = 128 * KiB, zfs_step = 1 * KiB;
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

std::optional<std::uint64_t> place(const Mark& mark, std::uint64_t size, std::uint64_t sector) {
    const auto before = [](std::uint64_t end, std::uint64_t distance) -> std::optional<std::uint64_t> {
        if (distance > end) return std::nullopt;
        return end - distance;
    };
    switch (mark.from) {
        case From::start:
            return mark.offset;
        // md keeps it at a multiple of 4 KiB, at least 8 KiB before the end (md_p.h, super 1.0).
        case From::end: {
            const auto at = before(size, mark.offset);
            return at ? std::optional(*at - *at % (4 * KiB)) : std::nullopt;
        }
        case From::end_sector:
            return before(size, mark.offset * sector);
        case From::end_aligned:
            return before(size - size % (64 * KiB), mark.offset);
    }
    return std::nullopt;
}

std::optional<Signature> find_zfs(const Bytes& bytes, std::uint64_t size) {
    const std::uint64_t labelled = size - size % zfs_label_bytes;
    std::vector<std::uint64_t> labels{0, zfs_label_bytes};
    if (labelled >= 4 * zfs_label_bytes) {
        labels.push_back(labelled - 2 * zfs_label_bytes);
        labels.push_back(labelled - zfs_label_bytes);
    }
    for (const std::uint64_t label : labels)
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
    return {{0, head_bytes}, {from, whole - from}};
}

std::optional<Signature> find_signature(std::span<const std::vector<std::byte>> pieces, std::uint64_t size,
                                        std::uint64_t sector) {
    const Bytes bytes{pieces, signature_ranges(size, sector)};
    const auto first = [&](Kind kind) -> std::optional<Signature> {
        for (const Mark& mark : marks) {
            const auto at = mark.kind == kind ? place(mark, size, sector) : std::nullopt;
            if (at && bytes.at(*at, mark.bytes)) return Signature{mark.name, kind, *at};
        }
        return std::nullopt;
    };
    if (auto found = first(Kind::contents)) return found;
    if (auto found = find_zfs(bytes, size)) return found;
    return first(Kind::partition_table);
}

}  // namespace diskwright
