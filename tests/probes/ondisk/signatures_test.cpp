// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/signatures.hpp"

#include <gtest/gtest.h>

#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using namespace std::string_view_literals;

std::optional<Signature> found_on(const std::vector<std::byte>& device, std::uint64_t sector) {
    std::vector<std::vector<std::byte>> pieces;
    for (const auto& range : signature_ranges(device.size(), sector))
        pieces.emplace_back(device.begin() + static_cast<std::ptrdiff_t>(range.offset),
                            device.begin() + static_cast<std::ptrdiff_t>(range.offset + range.length));
    return find_signature(pieces, device.size(), sector);
}

void put(std::vector<std::byte>& device, std::uint64_t at, std::string_view bytes) {
    for (const char c : bytes) device.at(at++) = static_cast<std::byte>(static_cast<unsigned char>(c));
}

constexpr std::uint64_t size = 4 * MiB + 64 * KiB + 512;

TEST(Signatures, EachIsFoundAtItsPlace) {
    struct Row {
        std::string_view name;
        std::uint64_t at;
        std::string_view bytes;
        std::uint64_t sector = 512;
    };
    const std::array rows{
        Row{"ext2/3/4", 0x438, "\x53\xef"sv},
        Row{"XFS", 0, "XFSB"sv},
        Row{"Btrfs", 0x10040, "_BHRfS_M"sv},
        Row{"FFS1", 0x255c, "\x54\x19\x01\x00"sv},
        Row{"FFS1", 0x255c, "\x00\x01\x19\x54"sv},
        Row{"FFS2", 0x1055c, "\x19\x01\x54\x19"sv},
        Row{"FFS2", 0x1055c, "\x19\x54\x01\x19"sv},
        Row{"FFS2", 0x4055c, "\x19\x01\x54\x19"sv},
        Row{"FFS2", 0x55c, "\x38\x20\x01\x19"sv},
        Row{"FFS2", 0x255c, "\x38\x20\x01\x19"sv},
        Row{"FFS2", 0x1055c, "\x19\x01\x20\x38"sv},
        Row{"FFS2", 0x4055c, "\x38\x20\x01\x19"sv},
        Row{"LFS", 0x2000, "\x62\x01\x07\x00"sv},
        Row{"LFS", 0x2000, "\x00\x07\x01\x62"sv},
        Row{"LFS", 0x2000, "\xfe\xf8\x9d\xe6"sv},
        Row{"HAMMER", 0, "\x31\x30\x52\xc5\x4d\x4d\x41\xc8"sv},
        Row{"HAMMER2", 0, "\x11\x20\x17\x05\x32\x4d\x41\x48"sv},
        Row{"APFS", 32, "NXSB"sv},
        Row{"bcachefs", 4096 + 24, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"sv},
        Row{"bcachefs", 2 * MiB + 24, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"sv},
        Row{"NILFS2", 1030, "44"sv},
        Row{"GFS", 0x10000, "\x01\x16\x19\x70"sv},
        Row{"OCFS2", 4096, "OCFSV2"sv},
        Row{"VMFS", MiB, "\x0d\xd0\x01\xc0"sv},
        Row{"VMFS", 2 * MiB, "\x5e\xf1\xab\x2f"sv},
        Row{"EROFS", 1024, "\xe2\xe1\xf5\xe0"sv},
        Row{"BitLocker", 3, "-FVE-FS-"sv},
        Row{"DRBD", 4 * MiB + 60 * KiB + 60, "\x83\x74\x02\x6d"sv},
        Row{"BlueStore", 0, "bluestore block device\n"sv},
        Row{"Stratis", 516, "!Stra0tis\x86\xff\x02^\x41rh"sv},
        Row{"gvinum", 4096, "VINUM-1\0"sv},
        Row{"gvinum", 4096, "\0001-MUNIV"sv},
        Row{"gvinum", 4096, "\0ONIV NI"sv},
        Row{"disklabel", 4096, "\x57\x45\x56\x82"sv, 4096},
        Row{"disklabel", 512, "\x59\x4c\x46\xc4"sv},
        Row{"VTOC8", 508, "\xda\xbe"sv},
        Row{"swap", 4086, "SWAPSPACE2"sv},
        Row{"LUKS", 0, "LUKS\xba\xbe\x00\x01"sv},
        Row{"LUKS", 0, "LUKS\xba\xbe\x00\x02"sv},
        Row{"LVM2", 512, "LABELONE"sv},
        Row{"md 1.1", 0, "\xfc\x4e\x2b\xa9"sv},
        Row{"md 1.2", 4096, "\xfc\x4e\x2b\xa9"sv},
        Row{"swap", 32 * KiB - 10, "SWAPSPACE2"sv},
        Row{"swap", 64 * KiB - 10, "S1SUSPEND"sv},
        Row{"LUKS", 16 * KiB, "SKUL\xba\xbe"sv},
        Row{"LUKS", 512 * KiB, "SKUL\xba\xbe"sv},
        Row{"LUKS", 4 * MiB, "SKUL\xba\xbe"sv},
        Row{"md 1.0", 4 * MiB + 64 * KiB - 8 * KiB, "\xfc\x4e\x2b\xa9"sv},
        Row{"md 0.90", 4 * MiB, "\xfc\x4e\x2b\xa9"sv},
        Row{"RAIDframe", 0x4000, "\x02\x00\x00\x00"sv},
        Row{"RAIDframe", 0x4000, "\x00\x00\x00\x02"sv},
        Row{"softraid", 0x2000, "marcCRAM"sv},
        Row{"GEOM", size - 512, "GEOM::MIRROR\0"sv},
        Row{"ZFS", 0x4000, "\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"sv},
        Row{"ZFS", 0x20000, "\x0c\xb1\xba\x00\x00\x00\x00\x00"sv},
        Row{"ZFS", 0x60000 + 5 * 4096, "\x0c\xb1\xba\x00\x00\x00\x00\x00"sv},
        Row{"ZFS", 4 * MiB - 512 * KiB + 128 * KiB, "\x0c\xb1\xba\x00\x00\x00\x00\x00"sv},
        Row{"ZFS", 4 * MiB - 256 * KiB + 128 * KiB, "\x00\x00\x00\x00\x00\xba\xb1\x0c"sv},
        Row{"NTFS", 3, "NTFS    "sv},
        Row{"FAT", 82, "FAT32   "sv},
        Row{"FAT", 54, "FAT16   "sv},
        Row{"ISO 9660", 0x8001, "CD001"sv},
        Row{"GPT", 512, "EFI PART"sv},
        Row{"GPT", 4096, "EFI PART"sv, 4096},
        Row{"GPT", size - 512, "EFI PART"sv},
        Row{"MBR or boot block", 510, "\x55\xaa"sv},
        Row{"disklabel", 512, "\x57\x45\x56\x82"sv},
        Row{"disklabel", 64, "\x82\x56\x45\x57"sv},
    };
    for (const Row& row : rows) {
        std::vector<std::byte> device(size - size % row.sector);
        put(device, row.at, row.bytes);
        const auto found = found_on(device, row.sector);
        ASSERT_TRUE(found) << row.name << " at " << row.at;
        EXPECT_EQ(found->name, row.name) << row.at;
        EXPECT_EQ(found->offset, row.at) << row.name;
        put(device, row.at, std::string(row.bytes.size(), '\0'));
        EXPECT_FALSE(found_on(device, row.sector)) << row.name << ": wiped, yet found";
    }
}

TEST(Signatures, ContentsComeBeforeTheTable) {
    std::vector<std::byte> device(size);
    put(device, 510, "\x55\xaa");
    EXPECT_EQ(found_on(device, 512)->kind, Signature::Kind::partition_table);
    put(device, 82, "FAT32");
    EXPECT_EQ(found_on(device, 512)->kind, Signature::Kind::contents);
}

// Only beside the partitions of a GPT or MBR may there be room.
TEST(Signatures, ALabelOfAWholeDiskIsContents) {
    for (const auto& [at, bytes] : {std::pair{512, "\x57\x45\x56\x82"sv}, {508, "\xda\xbe"sv}}) {
        std::vector<std::byte> device(size);
        put(device, 510, "\x55\xaa");
        put(device, static_cast<std::uint64_t>(at), bytes);
        EXPECT_EQ(found_on(device, 512)->kind, Signature::Kind::contents) << at;
    }
}

TEST(Signatures, NothingOnAnEmptyOrUnknownDeviceOfAnySize) {
    for (const std::uint64_t length :
         {std::uint64_t{0}, std::uint64_t{512}, 4 * KiB, 64 * KiB, MiB, 2 * MiB, 3 * MiB}) {
        EXPECT_FALSE(found_on(std::vector<std::byte>(length), 512)) << length;
        EXPECT_FALSE(found_on(std::vector<std::byte>(length, std::byte{0xa5}), 512)) << length;
    }
}

TEST(Signatures, RangesLieWithinTheDeviceOnSectors) {
    for (const std::uint64_t sector : {512U, 4096U})
        for (const std::uint64_t length :
             {std::uint64_t{1}, 512 * KiB, MiB, 100 * MiB + 512, 8 * TiB + 4096}) {
            std::uint64_t sum = 0;
            for (const auto& range : signature_ranges(length, sector)) {
                EXPECT_EQ(range.offset % sector, 0U);
                EXPECT_EQ(range.length % sector, 0U);
                EXPECT_LE(range.offset + range.length, length);
                sum += range.length;
            }
            EXPECT_LE(sum, 2 * MiB) << "a search is cheap";
        }
}

}  // namespace
}  // namespace diskwright
