// SPDX-License-Identifier: BSD-2-Clause
// Readers of what fills a partition, on images that the test writes field by field from the layouts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/discover.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/sha256.hpp"
#include "probes/support/text.hpp"
#include "tests/support/bytes.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/same_facts.hpp"
#include "tests/support/zfs_labels.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::MemorySource;
using test::write_zfs_label;
using test::zfs_image;
using test::zfs_size;
using Reader = Result<bool> (*)(ByteSource&, Found&);

Bytes swap_image(std::size_t page, std::uint32_t last_page, ByteOrder order) {
    Bytes out(64 * KiB, order);
    out.u32(1024, 1).u32(1028, last_page).u32(1032, 0).text(page - 10, "SWAPSPACE2");
    return out;
}

// A header of LUKS2 with its JSON, sealed.
void write_luks2(Bytes& image, std::size_t at, std::string_view magic, std::string_view json,
                 std::size_t size = 16 * KiB) {
    image.text(at, magic).u16(at + 6, 2).u64(at + 8, size).u64(at + 256, at);
    image.text(at + 72, "sha256").text(at + 4096, json);
    const auto digest = sha256(image.part(at, size));
    image.copy(at + 448, {digest.begin(), digest.end()});
}
Bytes luks2_image() {
    constexpr std::string_view json =
        R"({"segments":{"0":{"type":"crypt","offset":"16777216","sector_size":4096}}})";
    Bytes out(64 * KiB, ByteOrder::big);
    write_luks2(out, 0, "LUKS\xba\xbe", json);
    write_luks2(out, 16 * KiB, "SKUL\xba\xbe", json);
    return out;
}

Bytes lvm_image() {
    Bytes out(16 * KiB);
    const std::size_t label = 512, area = 4096;
    out.text(label, "LABELONE").u64(label + 8, 1).u32(label + 20, 32).text(label + 24, "LVM2 001");
    out.text(label + 32, "0123456789abcdef0123456789abcdef").u64(label + 64, 1 << 30);
    out.u64(label + 72, 1 << 20);                             // data area to the end
    out.u64(label + 104, area).u64(label + 112, 1020 * KiB);  // after the zero one: metadata
    out.u32(label + 16, crc32_update(0xf597a6cf, out.part(label + 20, 492)));
    constexpr std::string_view text = "vg_data {\nid = \"x\"\nseqno = 1\n}\n";
    out.text(area + 4, " LVM2 x[5A%r0N*>").u32(area + 20, 1).u64(area + 24, area).u64(area + 32, 8 * KiB);
    out.u64(area + 40, 512).u64(area + 48, text.size()).text(area + 512, text);
    return out;
}

Found read(Reader reader, MemorySource& source) {
    Found found;
    const auto result = reader(source, found);
    EXPECT_TRUE(result) << result.error().message;
    if (result) {
        EXPECT_TRUE(*result);
    }
    return found;
}

TEST(Contents, SwapOfAnyPageSizeAndByteOrder) {
    for (const std::size_t page : {4096, 8192, 16384, 32768, 65536})
        for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
            SCOPED_TRACE(page);
            MemorySource source("sda2", swap_image(page, 1000, order).bytes());
            const Found found = read(read_swap, source);
            ASSERT_EQ(found.facts.swap.size(), 1U);
            EXPECT_EQ(found.facts.swap[0].device, "sda2");
            EXPECT_TRUE(found.facts.swap[0].size_bytes.is(1000 * page));
            EXPECT_TRUE(found.damage.empty());
        }
}

TEST(Contents, SwapLargerThanItsDeviceIsDamage) {
    MemorySource source("sda2", swap_image(4096, 1000, ByteOrder::little).bytes(), 4096 * 1000);
    EXPECT_EQ(read(read_swap, source).damage.size(), 1U);
    MemorySource fits("sda2", swap_image(4096, 1000, ByteOrder::little).bytes(), 4096 * 1001);
    EXPECT_TRUE(read(read_swap, fits).damage.empty());
}

TEST(Contents, Luks2EqualsLuksDump) {
    MemorySource source("sda2", luks2_image().bytes());
    const Found found = read(read_luks, source);
    const auto printed = test::facts_of_output(
        {"cryptsetup", "luksDump", "/dev/sda2"},
        "LUKS header information\nVersion:\t2\n\nData segments:\n  0: crypt\n\tsector: 4096 [bytes]\n");
    EXPECT_EQ(test::missing_values(printed.volumes.at(0), found.facts.volumes.at(0)),
              std::vector<std::string>{});
    EXPECT_TRUE(found.damage.empty());
    EXPECT_TRUE(found.facts.volumes[0].components.at(0).data_offset_bytes.is(16 * MiB));
}

TEST(Contents, DataBehindADetachedLuksHeaderAreElsewhere) {
    Bytes second(64 * KiB, ByteOrder::big), first(4096, ByteOrder::big);
    write_luks2(second, 0, "LUKS\xba\xbe",
                R"({"segments":{"0":{"type":"crypt","offset":"0","sector_size":512}}})");
    first.text(0, "LUKS\xba\xbe").u16(6, 1).u32(104, 0);
    for (Bytes image : {first, second}) {
        MemorySource source("header", image.bytes());
        Found found;
        ASSERT_TRUE(read_luks(source, found));
        EXPECT_FALSE(found.facts.volumes.at(0).components.at(0).data_offset_bytes);
    }
}

TEST(Contents, EveryFlippedBitOfALuks2HeaderIsNoticed) {
    MemorySource source("sda2", luks2_image().bytes());
    // The binary header with its fields and the JSON text; both copies.
    for (const std::size_t copy : {std::size_t{0}, 16 * KiB})
        for (std::size_t at = copy; at < copy + 4096 + 128; at = at == copy + 511 ? copy + 4000 : at + 1)
            for (int bit = 0; bit < 8; ++bit) {
                const auto mask = static_cast<std::byte>(1 << bit);
                source.bytes()[at] ^= mask;
                Found found;
                const auto result = read_luks(source, found);
                source.bytes()[at] ^= mask;
                ASSERT_TRUE(!result || !*result || !found.damage.empty()) << at << " bit " << bit;
                ASSERT_TRUE(!result || !*result || found.facts.volumes.at(0).crypto_sector_bytes.is(4096))
                    << at;
            }
}

// cryptsetup luksFormat --luks2-metadata-size, all it takes.
TEST(Contents, Luks2HeadersOfAnySize) {
    constexpr std::string_view json = R"({"segments":{"0":{"type":"crypt","sector_size":4096}}})";
    for (std::size_t size = 16 * KiB; size <= 4 * MiB; size *= 2) {
        SCOPED_TRACE(size);
        Bytes image(2 * size, ByteOrder::big);
        write_luks2(image, 0, "LUKS\xba\xbe", json, size);
        write_luks2(image, size, "SKUL\xba\xbe", json, size);
        MemorySource source("sda2", image.bytes());
        const Found found = read(read_luks, source);
        EXPECT_EQ(found.damage, std::vector<std::string>{});
        EXPECT_TRUE(found.facts.volumes.at(0).crypto_format.is("LUKS2"));
        // Of the larger ones only the binary header is read.
        EXPECT_EQ(found.facts.volumes[0].crypto_sector_bytes.known(), size <= 128 * KiB);
        EXPECT_LE(source.bytes_read, 300 * KiB);
        // The second one is missed where its place is there.
        source.bytes()[size] = std::byte{0};
        const Found one = read(read_luks, source);
        EXPECT_EQ(one.damage, std::vector<std::string>{fmt::format(
                                  "sda2@{:#x}: luks: the second header is damaged or not there", size)});
    }
    for (const std::size_t size : {8 * KiB, 8 * MiB}) {
        Bytes image(64 * KiB, ByteOrder::big);
        image.text(0, "LUKS\xba\xbe").u16(6, 2).u64(8, size).text(72, "sha256");
        MemorySource source("sda2", image.bytes());
        Found found;
        EXPECT_FALSE(read_luks(source, found).ok()) << size;
    }
}

TEST(Contents, AnImageThatEndsInsideALuks2HeaderIsNoDamage) {
    auto bytes = luks2_image().bytes();
    bytes.resize(12 * KiB);
    MemorySource source("sda2", bytes);
    const Found found = read(read_luks, source);
    EXPECT_EQ(found.damage, std::vector<std::string>{});
    EXPECT_TRUE(found.facts.volumes.at(0).crypto_format.is("LUKS2"));
    EXPECT_FALSE(found.facts.volumes[0].crypto_sector_bytes);
}

TEST(Contents, Luks1HasSectorsOf512) {
    Bytes image(4096, ByteOrder::big);
    image.text(0, "LUKS\xba\xbe").u16(6, 1).u32(104, 4096);
    MemorySource source("sda2", image.bytes());
    const Found found = read(read_luks, source);
    EXPECT_EQ(found.facts.volumes.at(0).name, "luks-sda2");
    EXPECT_TRUE(found.facts.volumes.at(0).crypto_format.is("LUKS1"));
    EXPECT_TRUE(found.facts.volumes.at(0).crypto_sector_bytes.is(512));
    EXPECT_TRUE(found.facts.volumes[0].components.at(0).data_offset_bytes.is(4096 * 512));
}

TEST(Contents, LvmNamesItsGroup) {
    MemorySource source("sdb1", lvm_image().bytes());
    const Found found = read(read_lvm, source);
    const auto printed = test::facts_of_output(
        {"pvs"}, "  PV         VG      Fmt  Attr PSize PFree\n  /dev/sdb1  vg_data lvm2 a--  1.00g    0\n");
    EXPECT_EQ(test::missing_values(printed.volumes.at(0), found.facts.volumes.at(0)),
              std::vector<std::string>{});
    EXPECT_TRUE(found.damage.empty());
    EXPECT_TRUE(found.facts.volumes[0].components.at(0).data_offset_bytes.is(MiB));
    for (std::size_t at = 512 + 20; at < 1024; ++at) {
        source.bytes()[at] ^= std::byte{1};
        Found flipped;
        const auto result = read_lvm(source, flipped);
        source.bytes()[at] ^= std::byte{1};
        ASSERT_TRUE(!result || !*result || !flipped.damage.empty()) << at;
    }
}

TEST(Contents, ZfsLabelEqualsZdb) {
    MemorySource source("ada0p3", zfs_image().bytes(), zfs_size);
    const Found found = read(read_zfs_label, source);
    const auto printed = test::facts_of_output({"zdb", "-l", "/dev/ada0p3"}, R"(    version: 5000
    name: 'tank'
    txg: 7
    vdev_tree:
        type: 'mirror'
        ashift: 9
        children[0]:
            type: 'disk'
            path: '/dev/ada0p3'
        children[1]:
            type: 'disk'
            path: '/dev/ada1p3'
)");
    EXPECT_EQ(test::missing_values(printed.volumes.at(0), found.facts.volumes.at(0)),
              std::vector<std::string>{});
    EXPECT_TRUE(found.damage.empty());
    EXPECT_LE(source.bytes_read, 450 * KiB);
}

TEST(Contents, ADeviceOfAPoolGoesByItsPresentName) {
    MemorySource source("da5p3", zfs_image().bytes(), zfs_size);
    const Found found = read(read_zfs_label, source);
    ASSERT_EQ(found.facts.volumes.at(0).components.size(), 2U);
    EXPECT_EQ(found.facts.volumes[0].components[0].name, "da5p3");
    EXPECT_EQ(found.facts.volumes[0].components[1].name, "ada1p3");
}

TEST(Contents, LabelsOfADestroyedPoolAreLeftOver) {
    MemorySource source("ada0p3", zfs_image(2).bytes(), zfs_size);
    const Found found = read(read_zfs_label, source);
    EXPECT_TRUE(found.facts.volumes.empty());
    ASSERT_EQ(found.facts.events.size(), 1U);
    EXPECT_EQ(found.facts.events[0].kind, Event::Kind::stale_raid_metadata);
    EXPECT_EQ(found.facts.events[0].subject, "ada0p3");
    EXPECT_EQ(found.facts.events[0].detail, "a ZFS label of the destroyed pool tank");
    // An exported one is a pool as before.
    MemorySource exported("ada0p3", zfs_image(1).bytes(), zfs_size);
    EXPECT_TRUE(read(read_zfs_label, exported).facts.volumes.at(0).uuid.is("4711"));
}

TEST(Contents, PoolsOfOneNameAreTwoVolumes) {
    MemorySource a("da0", zfs_image(0, 1).bytes(), zfs_size), b("da1", zfs_image(0, 2).bytes(), zfs_size),
        c("da2", zfs_image(0, 1).bytes(), zfs_size);
    const std::array<ByteSource*, 3> disks{&a, &b, &c};
    const auto facts = discover(disks).facts;
    ASSERT_EQ(facts.volumes.size(), 2U);
    EXPECT_EQ(facts.volumes[0].name, "tank");
    EXPECT_TRUE(facts.volumes[0].uuid.is("1"));
    EXPECT_EQ(facts.volumes[1].name, "tank?2");
    EXPECT_TRUE(facts.volumes[1].uuid.is("2"));
    EXPECT_TRUE(facts.volumes[1].set_name.is("tank"));
    EXPECT_TRUE(facts.conflicts.empty());
}

TEST(Contents, AnyOfTheFourZfsLabelsWillDo) {
    for (std::size_t good = 0; good < 4; ++good) {
        SCOPED_TRACE(good);
        Bytes image(zfs_size);
        write_zfs_label(image, good * 256 * KiB, 7);
        MemorySource source("ada0p3", image.bytes(), zfs_size);
        const Found found = read(read_zfs_label, source);
        EXPECT_TRUE(found.facts.volumes.at(0).ashift.is(9));
        EXPECT_EQ(found.damage.size(), 3U);
    }
}

TEST(Contents, FlippedBitsOfAZfsLabelAreNoticed) {
    MemorySource source("ada0p3", zfs_image().bytes(), zfs_size);
    for (std::size_t at = 16 * KiB; at < 128 * KiB; at += at < 17 * KiB ? 1 : 509) {
        source.bytes()[at] ^= std::byte{0x10};
        Found found;
        const auto result = read_zfs_label(source, found);
        source.bytes()[at] ^= std::byte{0x10};
        ASSERT_TRUE(result && *result) << at;
        ASSERT_EQ(found.damage.size(), 1U) << at;
    }
}

TEST(Contents, OtherFileSystemsByName) {
    Bytes btrfs(128 * KiB), ntfs(4096), iso(64 * KiB), fat(4096), boot(4096);
    btrfs.text(64 * KiB + 64, "_BHRfS_M");
    ntfs.text(3, "NTFS    ");
    iso.u8(32 * KiB, 1).text(32 * KiB + 1, "CD001").u8(32 * KiB + 6, 1);
    fat.u16(11, 512).u8(13, 8).u16(14, 32).u8(16, 2).u8(21, 0xf8).text(82, "FAT32   ").u16(510, 0xaa55);
    boot.u16(510, 0xaa55);
    const std::vector<std::pair<Bytes*, std::string>> rows{
        {&btrfs, "btrfs"}, {&ntfs, "ntfs"}, {&iso, "iso9660"}, {&fat, "msdos"}};
    for (const auto& [bytes, type] : rows) {
        SCOPED_TRACE(type);
        MemorySource source("sda1", bytes->bytes());
        EXPECT_TRUE(read(read_other_filesystem, source).facts.filesystems.at(0).type.is(type));
    }
    MemorySource source("sda1", boot.bytes());
    Found found;
    EXPECT_FALSE(*read_other_filesystem(source, found));
}

TEST(Contents, TruncationAndRandomDamageAreClean) {
    const std::vector<std::pair<Reader, std::vector<std::byte>>> rows{
        {read_swap, swap_image(4096, 1000, ByteOrder::little).bytes()},
        {read_luks, luks2_image().bytes()},
        {read_lvm, lvm_image().bytes()}};
    std::mt19937 random(7);
    for (const auto& [reader, bytes] : rows) {
        MemorySource source("sda1", bytes);
        for (std::size_t length = bytes.size(); length-- > 0;) {
            source.bytes().resize(length);
            Found found;
            const auto result = reader(source, found);
            ASSERT_TRUE(result || result.error().kind == ErrorKind::bad_data) << length;
        }
        for (int round = 0; round < 500; ++round) {
            source.bytes() = bytes;
            for (int i = 0; i < 8; ++i)
                source.bytes().at(random() % 8192) = static_cast<std::byte>(random() & 0xff);
            Found found;
            const auto result = reader(source, found);
            ASSERT_TRUE(result || result.error().kind == ErrorKind::bad_data) << round;
        }
    }
    // Of ZFS the lists themselves, since a checksum guards them.
    Bytes image(zfs_size);
    write_zfs_label(image, 0, 7);
    for (std::size_t length = 1024; length-- > 0;) {
        MemorySource source("ada0p3", {image.bytes().begin(), image.bytes().begin() + 16 * KiB +
                                                                  static_cast<std::ptrdiff_t>(length)});
        Found found;
        EXPECT_FALSE(*read_zfs_label(source, found)) << length;
    }
}

TEST(Contents, NothingIsSeenInZeros) {
    MemorySource source("sda1", std::vector<std::byte>(1024 * KiB), 1024 * KiB);
    for (const Reader reader : {read_lvm, read_swap, read_other_filesystem, read_luks, read_zfs_label,
                                read_xfs, read_ext, read_ffs}) {
        Found found;
        const auto result = reader(source, found);
        ASSERT_TRUE(result);
        EXPECT_FALSE(*result);
        EXPECT_TRUE(found.damage.empty());
    }
    EXPECT_LE(source.reads, 60U);
    EXPECT_LE(source.bytes_read, 80 * KiB);
}

}  // namespace
}  // namespace diskwright
