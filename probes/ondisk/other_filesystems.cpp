// SPDX-License-Identifier: BSD-2-Clause
// File systems that no rule looks into: their name alone says that the space is in use. Names are those of
// mount(8). Marks: torvalds/linux:fs/btrfs/fs.h (BTRFS_MAGIC), fs/f2fs/f2fs.h, fs/isofs/rock.h and
// include/uapi/linux/iso_fs.h, include/uapi/linux/msdos_fs.h (struct fat_boot_sector), fs/ntfs3/ntfs.h
// (struct NTFS_BOOT), fs/hfsplus/hfsplus_raw.h, fs/jfs/jfs_superblock.h, fs/exfat/exfat_raw.h.
#include <array>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using namespace std::string_view_literals;

struct Mark {
    std::string_view type;
    std::uint64_t place;
    std::string_view bytes;
};
constexpr std::array marks{
    Mark{"btrfs", 64 * KiB + 64, "_BHRfS_M"sv},
    Mark{"ntfs", 3, "NTFS    "sv},
    Mark{"exfat", 3, "EXFAT   "sv},
    Mark{"f2fs", 1024, "\x10\x20\xf5\xf2"sv},
    Mark{"hfsplus", 1024, "H+\x00\x04"sv},
    Mark{"iso9660", 32 * KiB,
         "\x01"
         "CD001\x01"sv},
    Mark{"jfs", 32 * KiB, "JFS1"sv},
};

// A boot sector of FAT has no mark that would do; its numbers must all be possible (fat_read_bpb).
bool is_fat(const Structure& sector) {
    const auto sector_bytes = sector.u16(11), per_cluster = sector.u8(13), reserved = sector.u16(14),
               tables = sector.u8(16), media = sector.u8(21);
    return sector.u16(510) == 0xaa55 && (sector.has(54, "FAT") || sector.has(82, "FAT32")) &&
           power_of_two(sector_bytes) && sector_bytes >= 512 && sector_bytes <= 4096 &&
           power_of_two(per_cluster) && reserved != 0 && (tables == 1 || tables == 2) &&
           (media == 0xf0 || media >= 0xf8);
}

void name(const ByteSource& source, const Structure& at, std::string_view type, Found& found) {
    Filesystem fs;
    fs.device = source.name();
    fs.type = at.known(std::string(type), 0, "mark of");
    found.facts.filesystems.push_back(std::move(fs));
}

}  // namespace

Result<bool> read_other_filesystem(ByteSource& source, Found& found) {
    for (const Mark& mark : marks) {
        const auto bytes = read_structure(source, mark.place, mark.bytes.size());
        if (!bytes) return bytes.error();
        if (!*bytes || !(*bytes)->has(0, mark.bytes)) continue;
        name(source, **bytes, mark.type, found);
        return true;
    }
    const auto sector = read_structure(source, 0, 512);
    if (!sector) return sector.error();
    if (!*sector || !is_fat(**sector)) return false;
    name(source, **sector, "msdos", found);
    return true;
}

}  // namespace diskwright
