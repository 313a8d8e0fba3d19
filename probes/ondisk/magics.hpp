// SPDX-License-Identifier: BSD-2-Clause
// The numbers and places that readers of a structure and the search for signatures share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace diskwright {

/// fs_magic, NetBSD/src:sys/ufs/ffs/fs.h; the last one with extended attributes, NetBSD 10 and later.
inline constexpr std::uint32_t ffs1_magic = 0x00011954, ffs2_magic = 0x19540119, ffs2ea_magic = 0x19012038;
/// Where a superblock may stand, SBLOCKSEARCH, and fs_magic in it.
inline constexpr std::array<std::uint64_t, 4> ffs_places{65536, 8192, 0, 262144};
inline constexpr std::uint64_t ffs_magic_at = 1372;

/// d_magic and d_magic2 of 4.4BSD's label; d_magic of DragonFly's 64-bit one.
inline constexpr std::uint32_t disklabel_magic = 0x82564557, disklabel64_magic = 0xc4464c59;

/// s_magic, torvalds/linux:fs/ext4/ext4.h, at this byte of the device.
inline constexpr std::uint16_t ext_magic = 0xef53;
inline constexpr std::uint64_t ext_magic_at = 1024 + 56;

/// mbroz/cryptsetup:lib/luks2/luks2.h: at 0, and of the second header of LUKS2, at the size of the first.
inline constexpr std::string_view luks_magic = "LUKS\xba\xbe", luks2_second_magic = "SKUL\xba\xbe";
inline constexpr std::array<std::uint64_t, 9> luks2_header_sizes{
    0x4000, 0x8000, 0x10000, 0x20000, 0x40000, 0x80000, 0x100000, 0x200000, 0x400000};

/// Swap of Linux: the mark ends the first page (torvalds/linux:mm/swapfile.c), of 4 KiB to 64 KiB.
inline constexpr std::array<std::uint64_t, 5> swap_pages{4096, 8192, 16384, 32768, 65536};
inline constexpr std::uint64_t swap_mark_bytes = 10;
inline constexpr std::string_view swap_mark = "SWAPSPACE2", swap_mark_suspended = "S1SUSPEND";

/// openzfs/zfs:include/sys/vdev_impl.h: a label, and where the four of a device of that size lie, or the
/// first two where it is too small or of a size that is not known (0).
inline constexpr std::uint64_t zfs_label_bytes = 256 * 1024;
inline std::vector<std::uint64_t> zfs_label_places(std::uint64_t device_bytes) {
    const std::uint64_t end = device_bytes - device_bytes % zfs_label_bytes;
    if (end < 4 * zfs_label_bytes) return {0, zfs_label_bytes};
    return {0, zfs_label_bytes, end - 2 * zfs_label_bytes, end - zfs_label_bytes};
}

/// The last two bytes of a boot sector.
inline constexpr std::uint16_t mbr_signature = 0xaa55;
inline constexpr std::uint64_t mbr_signature_at = 510;

/// RF_COMPONENT_INFO_OFFSET, NetBSD/src:sys/dev/raidframe/rf_netbsdkintf.c.
inline constexpr std::uint64_t raidframe_label_at = 16384;

/// SR_MAGIC and SR_META_OFFSET in bytes, openbsd/src:sys/dev/softraidvar.h.
inline constexpr std::uint64_t softraid_magic = 0x4d4152436372616d, softraid_metadata_at = 8192;

}  // namespace diskwright
