// SPDX-License-Identifier: BSD-2-Clause
// Partition tables: facts as the listings of the same tables give them, damage found, nothing read past the
// end. tests/data/images/tables holds tables that NetBSD's own gpt and fdisk wrote.
#include <gtest/gtest.h>

#include "probes/capture/region_source.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/gpt.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::MemorySource;

constexpr std::string_view netbsd_ffs = "49f48d5a-b10e-11dc-b99b-0019d1879648",
                           netbsd_swap = "49f48d32-b10e-11dc-b99b-0019d1879648",
                           freebsd_ufs = "516e7cb6-6ecf-11d6-8ff8-00022d09712b",
                           openbsd_data = "824cc7a0-36a8-11e3-890a-952519ad3f61",
                           linux_data = "0fc63daf-8483-4772-8e79-3d69d8477de4";

struct ReadAll {
    Found found;
    std::vector<Error> errors;
};

ReadAll read_tables(ByteSource& source) {
    ReadAll out;
    for (const auto reader : {read_gpt_table, read_mbr_table, read_disklabel, read_disklabel64}) {
        const auto result = reader(source, out.found);
        if (!result) out.errors.push_back(result.error());
    }
    return out;
}

ReadAll read_image(const std::string& name, Bytes image, std::uint64_t sector = 512) {
    const auto size = image.bytes().size();
    MemorySource source(name, std::move(image.bytes()), size, sector);
    return read_tables(source);
}

// "name start size type", one a line, in the order of the facts.
std::string listing(const HostFacts& facts) {
    std::string out;
    for (const Partition& p : facts.partitions)
        out += p.name + " " + std::to_string(p.start_bytes.value_or(0)) + " " +
               std::to_string(p.size_bytes.value_or(0)) + " " + p.type.value_or("-") + "\n";
    return out;
}

std::vector<std::string> slots(const Found& found) {
    std::vector<std::string> out;
    for (const Slot& s : found.slots) out.push_back(s.name);
    return out;
}

const PartitionTable* table_of(const HostFacts& facts, Scheme scheme) {
    for (const PartitionTable& t : facts.tables)
        if (t.scheme.is(scheme)) return &t;
    return nullptr;
}

TEST(Tables, GptOfNetbsdOn4096ByteSectors) {
    MemorySource source("raid0", test::stored_image("tables/gpt-4096.gz"));
    const auto read = read_tables(source);
    EXPECT_TRUE(read.errors.empty());
    EXPECT_EQ(listing(read.found.facts),
              "raid0#1 1048576 16777216 NetBSD FFSv1/FFSv2\nraid0#2 163840 409600 NetBSD swap\n");
    EXPECT_EQ(*read.found.facts.partitions[0].label, "root");
    const auto* gpt = table_of(read.found.facts, Scheme::gpt);
    ASSERT_TRUE(gpt);
    EXPECT_EQ(*gpt->sector_bytes, 4096U);
    EXPECT_EQ(*gpt->total_bytes, 65472U * 4096);
    EXPECT_EQ(*gpt->free_bytes, (34U + 116 + 61115) * 4096);
    EXPECT_EQ(*gpt->largest_free_bytes, 61115U * 4096);
    EXPECT_EQ(*gpt->entries_shown, 2U);
    ASSERT_TRUE(table_of(read.found.facts, Scheme::mbr));
    EXPECT_TRUE(table_of(read.found.facts, Scheme::mbr)->protective.is(true));
    // Only the head of the device is there: that the backup cannot be read is no finding.
    EXPECT_TRUE(read.found.facts.events.empty());
    EXPECT_EQ(slots(read.found), (std::vector<std::string>{"raid0#1", "raid0#2"}));
}

TEST(Tables, MbrOfNetbsd) {
    MemorySource source("raid0", test::stored_image("tables/mbr-netbsd.gz"), 130944 * 512);
    const auto read = read_tables(source);
    EXPECT_TRUE(read.errors.empty());
    EXPECT_EQ(listing(read.found.facts), "raid0:0 32256 51200000 169\n");
    const Partition& p = read.found.facts.partitions.front();
    EXPECT_EQ(p.start_bytes.from().source(), "raid0@0x1be");
    EXPECT_EQ(p.start_bytes.from().kind(), Provenance::Kind::device);
    EXPECT_EQ(*table_of(read.found.facts, Scheme::mbr)->total_bytes, 130944U * 512);
}

struct NameRow {
    std::string device;
    std::uint8_t type;
    std::string name, text;
};

TEST(Tables, MbrNamesAndTypesAreThoseOfTheSystem) {
    const std::vector<NameRow> rows{{"wd0", 0xa9, "wd0:1", "169"},
                                    {"sd0", 0xa6, "sd0:1", "0xa6"},
                                    {"sd0", 0xa9, "sd0:1", "169"},
                                    {"ada0", 0xa5, "ada0s2", "freebsd"},
                                    {"da0", 0x6c, "da0:2", "108"},
                                    {"ada0", 0x0b, "ada0s2", "fat32"},
                                    {"ada0", 0xa9, "ada0s2", "!169"},
                                    {"sda", 0x83, "sda2", "0x83"},
                                    {"nvme0n1", 0xfd, "nvme0n1p2", "0xfd"},
                                    {"disk1", 0xa5, "disk1:1", "165"},
                                    {"mirror/gm0", 0xa5, "mirror/gm0s2", "freebsd"}};
    for (const NameRow& row : rows) {
        SCOPED_TRACE(row.device);
        Bytes image(64 * 512);
        test::write_mbr(image, 0, {{0, 0, 0}, {row.type, 63, 100000, true}});
        const auto read = read_image(row.device, image);
        ASSERT_EQ(read.found.facts.partitions.size(), 1U);
        const Partition& p = read.found.facts.partitions.front();
        EXPECT_EQ(p.name, row.name);
        EXPECT_EQ(*p.type, row.text);
        EXPECT_EQ(*p.attributes, std::vector<std::string>{"active"});
    }
}

TEST(Tables, ExtendedChain) {
    Bytes image(2048 * 512);
    test::write_mbr(image, 0, {{0x83, 63, 100}, {0x05, 200, 1000}});
    test::write_mbr(image, 200 * 512, {{0x83, 10, 50}, {0x05, 300, 100}});
    test::write_mbr(image, 500 * 512, {{0x82, 20, 60}});
    EXPECT_EQ(
        listing(read_image("sda", image).found.facts),
        "sda1 32256 51200 0x83\nsda2 102400 512000 0x05\nsda5 107520 25600 0x83\nsda6 266240 30720 0x82\n");
    const auto netbsd = read_image("wd0", image);
    EXPECT_EQ(
        listing(netbsd.found.facts),
        "wd0:0 32256 51200 131\nwd0:1 102400 512000 5\nwd0:E0 107520 25600 131\nwd0:E1 266240 30720 130\n");
    EXPECT_TRUE(netbsd.found.facts.partitions[2].scheme.is(Scheme::ebr));
    EXPECT_EQ(slots(netbsd.found), (std::vector<std::string>{"wd0:0", "wd0:E0", "wd0:E1"}));
    EXPECT_TRUE(netbsd.found.damage.empty());
}

TEST(Tables, ExtendedChainThatLoopsOrEndsInNothing) {
    Bytes image(2048 * 512);
    test::write_mbr(image, 0, {{0x05, 200, 1000}});
    test::write_mbr(image, 200 * 512, {{0x83, 10, 50}, {0x05, 300, 100}});
    test::write_mbr(image, 500 * 512, {{0x83, 20, 60}, {0x0f, 300, 100}});
    const auto loop = read_image("sda", image);
    ASSERT_EQ(loop.found.damage.size(), 1U);
    EXPECT_EQ(loop.found.damage.front(), "sda@0x3e800: the chain of extended tables has no end");
    EXPECT_EQ(loop.found.facts.partitions.size(), 3U);
    test::write_mbr(image, 500 * 512, {{0x83, 20, 60}, {0x0f, 700, 100}});
    const auto nothing = read_image("sda", image);
    ASSERT_EQ(nothing.found.damage.size(), 1U);
    EXPECT_EQ(nothing.found.damage.front(), "sda@0x70800: no extended table where one is linked to");
}

// A capture has the size of the disk, and not all of its bytes.
TEST(Tables, AnExtendedTableThatWasNotCollectedIsNoDamage) {
    Bytes image(4096 * 512);
    test::write_mbr(image, 0, {{0x05, 200, 3000}});
    test::write_mbr(image, 200 * 512, {{0x83, 10, 50}, {0x05, 300, 100}});
    test::write_mbr(image, 500 * 512, {{0x83, 20, 60}, {0x05, 900, 100}});
    test::write_mbr(image, 1100 * 512, {{0x83, 20, 60}});
    const auto collected = [&](const std::vector<std::uint64_t>& sectors) {
        DeviceRegions regions{"sda", 4096 * 512, 512, {}, {}};
        for (const std::uint64_t sector : sectors)
            regions.add(sector * 512, std::span<const std::byte>(image.bytes()).subspan(sector * 512, 512));
        auto source = RegionSource::make(std::move(regions));
        EXPECT_TRUE(source);
        return read_tables(**source);
    };
    const auto all = collected({0, 200, 500, 1100});
    EXPECT_EQ(all.found.facts.partitions.size(), 4U);
    for (const auto& read : {all, collected({0, 200}), collected({0})})
        EXPECT_TRUE(read.found.damage.empty()) << read.found.damage.front();
    EXPECT_EQ(collected({0, 200}).found.facts.partitions.size(), 2U);
    // What was collected and is no table is damage still.
    image.u8(500 * 512 + 510, 0);
    EXPECT_EQ(collected({0, 200, 500}).found.damage.size(), 1U);
}

TEST(Tables, ALongExtendedChainIsCutAndNoDamage) {
    Bytes image(4096 * 512);
    test::write_mbr(image, 0, {{0x05, 100, 4000}});
    for (std::uint32_t i = 0; i < 200; ++i)
        test::write_mbr(image, (100 + 4 * i) * 512, {{0x83, 1, 2}, {0x05, 4 * (i + 1), 4}});
    const auto read = read_image("sda", image);
    EXPECT_TRUE(read.found.damage.empty());
    ASSERT_EQ(read.found.facts.unparsed.size(), 1U);
    EXPECT_NE(read.found.facts.unparsed[0].reason.find("more than 64 extended tables"), std::string::npos);
}

TEST(Tables, BootSectorsOfVolumesAreNoTable) {
    for (const auto& [at, text] : std::vector<std::pair<std::size_t, std::string>>{
             {3, "NTFS    "}, {54, "FAT16   "}, {82, "FAT32   "}}) {
        Bytes image(64 * 512);
        test::write_mbr(image, 0, {{0x83, 63, 100}});
        image.text(at, text);
        EXPECT_TRUE(read_image("sda", image).found.facts.tables.empty()) << text;
    }
    Bytes flags(64 * 512);
    test::write_mbr(flags, 0, {{0x83, 63, 100}});
    flags.u8(446, 0x13);
    EXPECT_TRUE(read_image("sda", flags).found.facts.tables.empty());
    // FreeBSD's boot1 has an entry of 50000 sectors from sector 0.
    Bytes boot1(64 * 512);
    test::write_mbr(boot1, 0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0xa5, 0, 50000, true}});
    EXPECT_TRUE(read_image("ada0", boot1).found.facts.tables.empty());
}

Bytes gpt_image(std::uint64_t sector = 512, std::size_t sectors = 4096) {
    Bytes image(sectors * sector);
    test::write_gpt(image, sector, {{netbsd_ffs, 64, 163, "root"}, {netbsd_swap, 200, 299}});
    return image;
}

TEST(Tables, GptWholeDevice) {
    for (const std::uint64_t sector : {512, 4096}) {
        SCOPED_TRACE(sector);
        const auto read = read_image("wd0", gpt_image(sector), sector);
        EXPECT_TRUE(read.errors.empty());
        EXPECT_TRUE(read.found.damage.empty());
        EXPECT_TRUE(read.found.facts.events.empty());
        ASSERT_EQ(read.found.facts.partitions.size(), 2U);
        EXPECT_EQ(read.found.facts.partitions[0].name, "wd0#1");
        EXPECT_EQ(*read.found.facts.partitions[0].start_bytes, 64 * sector);
        EXPECT_EQ(*read.found.facts.partitions[1].size_bytes, 100 * sector);
        EXPECT_EQ(*table_of(read.found.facts, Scheme::gpt)->total_bytes, 4096 * sector);
    }
}

TEST(Tables, GptFreeSpaceEndsWithTheDevice) {
    Bytes image = gpt_image();
    image.bytes().resize(3000 * 512);
    const auto read = read_image("wd0", image);
    EXPECT_EQ(*table_of(read.found.facts, Scheme::gpt)->free_bytes, (30U + 36 + 2700) * 512);
    Bytes backwards(4096 * 512);
    test::write_gpt(backwards, 512, {{netbsd_ffs, 100, 50}});
    const auto nothing = read_image("wd0", backwards);
    EXPECT_EQ(*table_of(nothing.found.facts, Scheme::gpt)->free_bytes, (4096U - 34 - 33) * 512);
}

TEST(Tables, GptNames) {
    const std::vector<std::tuple<std::string, std::string_view, std::string, std::string>> rows{
        {"ada0", freebsd_ufs, "ada0p1", "freebsd-ufs"},
        {"ada0", openbsd_data, "ada0p1", "openbsd-data"},
        {"wd0", freebsd_ufs, "wd0#1", "FreeBSD UFS/UFS2"},
        {"sd0", openbsd_data, "sd0#0", "OpenBSD"},
        {"sda", linux_data, "sda1", "Linux filesystem"},
        {"nvme0n1", linux_data, "nvme0n1p1", "Linux filesystem"},
        {"disk1", freebsd_ufs, "disk1#1", "FreeBSD UFS/UFS2"},
        {"wd0", "deadbeef-0000-1111-2222-0123456789ab", "wd0#1", "deadbeef-0000-1111-2222-0123456789ab"},
        {"sda", "deadbeef-0000-1111-2222-0123456789ab", "sda1", "DEADBEEF-0000-1111-2222-0123456789AB"}};
    for (const auto& [device, guid, name, type] : rows) {
        SCOPED_TRACE(device + " " + std::string(guid));
        Bytes image(4096 * 512);
        test::write_gpt(image, 512, {{guid, 64, 163}});
        const auto read = read_image(device, image);
        ASSERT_EQ(read.found.facts.partitions.size(), 1U);
        EXPECT_EQ(read.found.facts.partitions[0].name, name);
        EXPECT_EQ(*read.found.facts.partitions[0].type, type);
    }
}

bool has_event(const ReadAll& read, Event::Kind kind) {
    return std::any_of(read.found.facts.events.begin(), read.found.facts.events.end(),
                       [&](const Event& e) { return e.kind == kind; });
}

// A full table of unused entries costs no more than its checksum; read once for the readers of one source.
TEST(Tables, GptIsReadOnceForAllReaders) {
    Bytes image(4096 * 512);
    test::write_gpt(image, 512, {{openbsd_data, 64, 3999}});
    MemorySource source("sd0", image.bytes(), image.bytes().size());
    Found found;
    ASSERT_TRUE(*read_gpt_table(source, found));
    const auto gpt = found.gpt;
    ASSERT_TRUE(gpt);
    EXPECT_EQ(gpt->primary.entries.size(), 1U);
    ASSERT_TRUE(*read_mbr_table(source, found));
    ASSERT_FALSE(*read_disklabel(source, found));
    EXPECT_EQ(found.gpt, gpt);
}

TEST(Tables, GptPrimaryDamaged) {
    Bytes image = gpt_image();
    image.u8(512 + 40, 0xff);
    const auto read = read_image("wd0", image);
    EXPECT_TRUE(has_event(read, Event::Kind::primary_gpt_corrupt));
    EXPECT_EQ(read.found.facts.events.front().subject, "wd0");
    EXPECT_EQ(read.found.facts.partitions.size(), 2U);
    EXPECT_TRUE(table_of(read.found.facts, Scheme::gpt)->corrupt.is(true));
}

TEST(Tables, GptPrimaryOverwritten) {
    for (const std::uint64_t sector : {512, 4096}) {
        Bytes image = gpt_image(sector);
        for (std::size_t i = sector; i < 6 * sector; ++i) image.u8(i, 0);
        const auto read = read_image("wd0", image);  // the sector is not told
        EXPECT_TRUE(has_event(read, Event::Kind::primary_gpt_corrupt));
        EXPECT_EQ(read.found.facts.partitions.size(), 2U);
    }
}

TEST(Tables, GptSecondaryDamagedMissingOrElsewhere) {
    Bytes damaged = gpt_image();
    damaged.u8(4095 * 512 + 20, 1);
    EXPECT_TRUE(has_event(read_image("wd0", damaged), Event::Kind::secondary_gpt_missing));
    Bytes missing = gpt_image();
    missing.u32(4095 * 512, 0);
    EXPECT_TRUE(has_event(read_image("wd0", missing), Event::Kind::secondary_gpt_missing));
    // The device has grown under its table.
    Bytes grown = gpt_image();
    grown.bytes().resize(8192 * 512);
    EXPECT_TRUE(has_event(read_image("wd0", grown), Event::Kind::secondary_gpt_missing));
}

TEST(Tables, GptBothDamaged) {
    Bytes image = gpt_image();
    image.u8(512 + 40, 0xff).u8(4095 * 512 + 40, 0xff);
    const auto read = read_image("wd0", image);
    ASSERT_EQ(read.errors.size(), 1U);
    EXPECT_EQ(read.errors.front().kind, ErrorKind::bad_data);
    EXPECT_NE(read.errors.front().message.find("wd0@0x200: header checksum"), std::string::npos);
}

TEST(Tables, GptBesideAnMbrInUseIsStale) {
    Bytes image = gpt_image();
    test::write_mbr(image, 0, {{0xa9, 63, 4000}});
    const auto read = read_image("wd0", image);
    EXPECT_TRUE(has_event(read, Event::Kind::stale_gpt));
    EXPECT_EQ(listing(read.found.facts), "wd0:0 32256 2048000 169\n");
}

TEST(Tables, HybridMbr) {
    Bytes image = gpt_image();
    test::write_mbr(image, 0, {{0xee, 1, 63}, {0xa9, 64, 100}});
    const auto read = read_image("wd0", image);
    EXPECT_EQ(listing(read.found.facts),
              "wd0#1 32768 51200 NetBSD FFSv1/FFSv2\nwd0#2 102400 51200 NetBSD swap\n");
    EXPECT_EQ(*table_of(read.found.facts, Scheme::mbr)->entries_shown, 1U);
    EXPECT_EQ(slots(read.found), (std::vector<std::string>{"wd0#1", "wd0#2"}));
}

TEST(Tables, GptEntryThatEndsBeforeItStarts) {
    Bytes image(4096 * 512);
    test::write_gpt(image, 512,
                    {{netbsd_ffs, 200, 100}, {netbsd_ffs, ~0ULL - 2, ~0ULL}, {netbsd_ffs, 300, 309}});
    const auto read = read_image("wd0", image);
    EXPECT_EQ(read.found.facts.partitions.size(), 1U);
    EXPECT_EQ(read.found.damage.size(), 2U);
}

// Every single bit of the header and of the entries is covered by a checksum.
TEST(Tables, GptEveryFlippedBitIsReported) {
    const Bytes whole = gpt_image();
    std::size_t flips = 0;
    const auto check = [&](std::size_t from, std::size_t length) {
        MemorySource source("wd0", Bytes(whole).bytes(), 4096 * 512);
        for (std::size_t bit = 0; bit < length * 8; ++bit, ++flips) {
            auto& byte = source.bytes()[from + bit / 8];
            const auto mask = static_cast<std::byte>(1 << bit % 8);
            byte ^= mask;
            const auto read = read_tables(source);
            EXPECT_FALSE(read.found.damage.empty() && read.errors.empty())
                << "bit " << bit % 8 << " of byte " << from + bit / 8;
            byte ^= mask;
        }
    };
    check(512, 92);
    check(1024, 2 * 128 + 3);
    check(4095 * 512, 92);
    check(4063 * 512, 2 * 128);
    EXPECT_EQ(flips, 8U * (92 + 259 + 92 + 256));
}

constexpr std::size_t label_rows = 8;
std::vector<test::LabelRow> netbsd_rows() {
    return {{65536, 128, 7, 2048, 8},
            {32768, 65664, 1},
            {262016 - 63, 63, 0},
            {262016, 0, 0},
            {163584, 98432, 7, 2048, 8},
            {0, 0, 0},
            {0, 0, 0},
            {1000, 98432 + 163584, 19}};
}

TEST(Tables, NetbsdLabelAtEveryPlaceAndByteOrderOfThePorts) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big})
        for (const std::size_t at : {0, 64, 128, 512, 516, 1024, 4608, 7680}) {
            SCOPED_TRACE(at);
            Bytes image(64 * 512, order);
            test::write_label(image, at, 262016, netbsd_rows());
            const auto read = read_image("sd0", image);
            EXPECT_TRUE(read.errors.empty());
            EXPECT_EQ(listing(read.found.facts),
                      "sd0a 65536 33554432 4.2BSD\nsd0b 33619968 16777216 swap\nsd0c 32256 134119936 unused\n"
                      "sd0d 0 134152192 unused\nsd0e 50397184 83755008 4.2BSD\nsd0h 134152192 512000 RAID\n");
            const auto* t = table_of(read.found.facts, Scheme::disklabel);
            ASSERT_TRUE(t);
            EXPECT_EQ(*t->total_bytes, 262016U * 512);
            EXPECT_EQ(*t->entries_shown, 6U);
            EXPECT_EQ(slots(read.found), (std::vector<std::string>{"sd0a", "sd0b", "sd0e", "sd0h"}));
            EXPECT_EQ(*read.found.facts.partitions[0].bsize, 16384U);
            ASSERT_FALSE(read.found.facts.filesystems.empty());
            EXPECT_EQ(read.found.facts.filesystems[0].bsize.from().kind(), Provenance::Kind::inferred);
        }
}

TEST(Tables, NetbsdLabelInItsSlotCountsFromTheDisk) {
    Bytes image(256 * 512);
    test::write_mbr(image, 0, {{0xa9, 63, 4000}});
    test::write_label(image, 64 * 512, 4096, {{3000, 63, 7}});
    EXPECT_EQ(listing(read_image("wd0", image).found.facts),
              "wd0:0 32256 2048000 169\nwd0a 32256 1536000 4.2BSD\n");
}

// Two systems on one disk: the first slot's label has the disk's names, or that of the host's own system; the
// other's partitions are named after its slot. Both count from the start of the disk.
TEST(Tables, LabelsOfTwoSystems) {
    Bytes image(4096 * 512);
    test::write_mbr(image, 0, {{0xa6, 64, 1000, true}, {0xa9, 2048, 1000}});
    test::write_label(image, 65 * 512, 4096, {{500, 64, 7}, {500, 564, 1}});
    test::write_label(image, 2049 * 512, 4096, {{1000, 2048, 7}});
    EXPECT_EQ(listing(read_image("sd0", image).found.facts),
              "sd0:0 32768 512000 0xa6\nsd0:1 1048576 512000 0xa9\n"
              "sd0a 32768 256000 4.2BSD\nsd0b 288768 256000 swap\nsd0:1a 1048576 512000 4.2BSD\n");
    MemorySource source("sd0", image.bytes(), image.bytes().size());
    source.belongs_to = Os::netbsd;
    Found found;
    ASSERT_TRUE(*read_disklabel(source, found));
    EXPECT_EQ(listing(found.facts),
              "sd0a 1048576 512000 4.2BSD\nsd0:0a 32768 256000 4.2BSD\nsd0:0b 288768 256000 swap\n");
    EXPECT_EQ(found.facts.tables.size(), 2U);

    // One of them damaged.
    image.u8(2049 * 512 + 150, 0x55);
    const auto damaged = read_image("sd0", image);
    EXPECT_EQ(damaged.found.facts.partitions.size(), 4U);
    EXPECT_EQ(damaged.found.damage,
              std::vector<std::string>{"sd0@0x100200: disk label: its words do not sum to zero"});
}

TEST(Tables, OpenbsdLabelWith48Bits) {
    Bytes image(256 * 512);
    test::write_mbr(image, 0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0xa6, 64, 4000, true}});
    const std::size_t at = 65 * 512;
    test::write_label(image, at, 0x10, {{0x20, 0x40, 7}, {0x80, 0x200, 1}, {0x10, 0, 0}});
    image.u64(at + 64, 0x1122334455667788).u16(at + 72, 0).u16(at + 74, 0).u16(at + 114, 1);
    image.u16(at + 112, 2);                            // d_secperunith
    image.u16(at + 148 + 8, 1).u16(at + 148 + 10, 3);  // a: offset and size
    image.u8(at + 148 + 13, (2 << 3) | 4);             // block 16384, 8 fragments
    image.u16(at + 148 + 32 + 10, 2);                  // c: size
    image.u32(at + 80, 64).u32(at + 84, 4000);
    test::seal_label(image, at, 3);
    const auto read = read_image("sd0", image);
    EXPECT_TRUE(read.errors.empty());
    constexpr std::uint64_t high = std::uint64_t{1} << 32;
    ASSERT_EQ(read.found.facts.partitions.size(), 4U);
    const Partition& a = read.found.facts.partitions[1];
    EXPECT_EQ(a.name, "sd0a");
    EXPECT_EQ(*a.start_bytes, (high + 0x40) * 512);
    EXPECT_EQ(*a.size_bytes, (3 * high + 0x20) * 512);
    EXPECT_EQ(*a.bsize, 16384U);
    EXPECT_EQ(*a.fsize, 2048U);
    EXPECT_EQ(read.found.facts.partitions[0].name, "sd0:3");
    EXPECT_EQ(*read.found.facts.partitions[0].type, "0xa6");
    const auto* t = table_of(read.found.facts, Scheme::disklabel);
    EXPECT_EQ(*t->total_bytes, (2 * high + 0x10) * 512);
    EXPECT_EQ(*t->first_usable_bytes, 64U * 512);
    EXPECT_EQ(*t->last_usable_bytes, 4000U * 512);
}

TEST(Tables, OpenbsdLabelInAGpt) {
    Bytes image(4096 * 512);
    test::write_gpt(image, 512, {{openbsd_data, 64, 3999}});
    test::write_label(image, 65 * 512, 4096, {{3000, 64, 7}});
    const auto read = read_image("sd0", image);
    EXPECT_EQ(listing(read.found.facts), "sd0#0 32768 2015232 OpenBSD\nsd0a 32768 1536000 4.2BSD\n");
}

// A slot of a table, as discovery makes one.
class SlotSource final : public ByteSource {
 public:
    SlotSource(std::string name, std::vector<std::byte> bytes, Tables tables, Os os)
        : inner_(std::move(name), std::move(bytes)), tables_(tables), os_(os) {}
    const std::string& name() const override { return inner_.name(); }
    std::optional<std::uint64_t> size_bytes() const override { return inner_.readable_bytes(); }
    std::uint64_t readable_bytes() const override { return inner_.readable_bytes(); }
    std::uint64_t sector_bytes() const override { return 512; }
    Result<std::span<const std::byte>> read(std::uint64_t at, std::size_t length) override {
        return inner_.read(at, length);
    }
    Tables tables() const override { return tables_; }
    std::optional<Os> os() const override { return os_; }

 private:
    MemorySource inner_;
    Tables tables_;
    Os os_;
};

TEST(Tables, FreebsdLabelCountsFromItsSlice) {
    for (const std::uint32_t base : {0, 63}) {
        Bytes image(64 * 512);
        test::write_label(image, 512, 4000,
                          {{1000, base + 16, 7},
                           {500, base + 1016, 1},
                           {4000, base, 0},
                           {100, base + 2000, 15},
                           {0, 0, 0},
                           {0, 0, 0},
                           {0, 0, 0},
                           {0, 0, 0}});
        SlotSource source("ada0s1", image.bytes(), ByteSource::Tables::label, Os::freebsd);
        Found found;
        ASSERT_TRUE(*read_disklabel(source, found));
        EXPECT_EQ(listing(found.facts),
                  "ada0s1a 8192 512000 freebsd-ufs\nada0s1b 520192 256000 freebsd-swap\nada0s1d 1024000 "
                  "51200 !15\n");
        EXPECT_EQ(found.facts.partitions[0].parent, "ada0s1");
        EXPECT_EQ(*found.facts.partitions[0].index, 1U);
    }
}

TEST(Tables, LabelsInsideLabelPartitionsAreNotReadAgain) {
    Bytes image(64 * 512);
    test::write_label(image, 512, 4000, {{1000, 16, 7}});
    SlotSource source("sd0a", image.bytes(), ByteSource::Tables::none, Os::openbsd);
    EXPECT_TRUE(read_tables(source).found.facts.tables.empty());
}

Bytes label64_image() {
    Bytes image(64 * 512);
    image.u32(512, 0xc4464c59).u32(512 + 8, 4096).u32(512 + 12, 16);
    image.u64(512 + 32, 64 * 512).u64(512 + 48, 1048576).u64(512 + 56, 900 * 1048576ULL);
    image.u64(512 + 200, 1048576).u64(512 + 208, 786432).u8(512 + 216, 7);
    image.u64(512 + 264, 2097152).u64(512 + 272, 4194304).u8(512 + 280, 1);
    image.u64(512 + 200 + 3 * 64, 8388608).u64(512 + 208 + 3 * 64, 1048576).u8(512 + 216 + 3 * 64, 23);
    image.u32(512 + 4, crc32(image.part(512, 200 + 16 * 64)));
    return image;
}

TEST(Tables, Disklabel64) {
    Bytes image = label64_image();
    SlotSource source("da0:1", image.bytes(), ByteSource::Tables::label, Os::dragonfly);
    Found found;
    ASSERT_TRUE(*read_disklabel64(source, found));
    EXPECT_EQ(listing(found.facts),
              "da0s1a 1048576 786432 4.2BSD\nda0s1b 2097152 4194304 swap\n"
              "da0s1d 8388608 1048576 HAMMER2\n");
    EXPECT_EQ(found.facts.partitions[0].parent, "da0:1");
    for (std::size_t bit = 32; bit < 8 * (200 + 16 * 64); ++bit) {
        Bytes flipped = image;
        flipped.bytes()[512 + bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        SlotSource damaged("da0:1", flipped.bytes(), ByteSource::Tables::label, Os::dragonfly);
        Found ignored;
        EXPECT_FALSE(read_disklabel64(damaged, ignored).ok()) << bit;
    }
}

TEST(Tables, LabelEveryFlippedBitIsReported) {
    Bytes image(64 * 512);
    test::write_label(image, 512, 262016, netbsd_rows());
    MemorySource source("sd0", image.bytes(), image.bytes().size());
    for (std::size_t bit = 0; bit < 8 * (148 + 16 * label_rows); ++bit) {
        auto& byte = source.bytes()[512 + bit / 8];
        byte ^= static_cast<std::byte>(1 << bit % 8);
        const auto read = read_tables(source);
        EXPECT_FALSE(read.errors.empty()) << "bit " << bit % 8 << " of byte " << bit / 8;
        byte ^= static_cast<std::byte>(1 << bit % 8);
    }
}

TEST(Tables, TruncatedAtEveryByte) {
    Bytes gpt = gpt_image();
    Bytes label(64 * 512);
    test::write_label(label, 512, 262016, netbsd_rows());
    for (Bytes* image : {&gpt, &label})
        for (std::size_t length = 0; length < 1024 + 16384 + 600 && length < image->bytes().size();
             ++length) {
            const std::vector<std::byte> head(image->bytes().begin(),
                                              image->bytes().begin() + static_cast<std::ptrdiff_t>(length));
            MemorySource source("wd0", head);
            const auto read = read_tables(source);
            for (const Error& e : read.errors) EXPECT_EQ(e.kind, ErrorKind::bad_data) << length;
            EXPECT_LT(source.reads, 64U);
        }
}

TEST(Tables, RandomDamageEndsInBoundedWork) {
    Bytes base(2048 * 512);
    test::write_gpt(base, 512, {{openbsd_data, 64, 1999}});
    test::write_label(base, 65 * 512, 2048, netbsd_rows());
    std::uint32_t state = 20240101;
    const auto next = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
    for (int round = 0; round < 400; ++round) {
        std::vector<std::byte> bytes = base.bytes();
        // Half of the rounds have an MBR with a chain in place of the GPT.
        Bytes chain(512);
        if (round % 2 == 0) {
            test::write_mbr(chain, 0,
                            {{0x05, next() % 64 + 1, 100}, {0x0f, next() % 64 + 1, 100}, {0xa6, 64, 500}});
            for (std::size_t s = 0; s < 64; ++s)
                std::copy(chain.bytes().begin() + 446, chain.bytes().end(),
                          bytes.begin() + static_cast<std::ptrdiff_t>(s * 512 + 446));
        }
        for (int i = 0; i < 1 + round % 16; ++i)
            bytes[next() % (80 * 512)] = static_cast<std::byte>(next() & 0xff);
        MemorySource source("sd0", std::move(bytes), 2048 * 512);
        const auto read = read_tables(source);
        EXPECT_LT(source.reads, 800U);
        EXPECT_LT(read.found.facts.partitions.size(), 512U);
    }
}

}  // namespace
}  // namespace diskwright
