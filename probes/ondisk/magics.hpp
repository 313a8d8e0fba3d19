// SPDX-License-Identifier: BSD-2-Clause
// The numbers and places that readers of a structure and the search for signatures share.
#pragma once

#include <array>
#include <cstdint>

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

/// The last two bytes of a boot sector.
inline constexpr std::uint16_t mbr_signature = 0xaa55;
inline constexpr std::uint64_t mbr_signature_at = 510;

/// RF_COMPONENT_INFO_OFFSET, NetBSD/src:sys/dev/raidframe/rf_netbsdkintf.c.
inline constexpr std::uint64_t raidframe_label_at = 16384;

/// SR_MAGIC and SR_META_OFFSET in bytes, openbsd/src:sys/dev/softraidvar.h.
inline constexpr std::uint64_t softraid_magic = 0x4d4152436372616d, softraid_metadata_at = 8192;

}  // namespace diskwright
