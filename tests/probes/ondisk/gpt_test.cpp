// SPDX-License-Identifier: BSD-2-Clause
// The GPT: both copies, what is wrong with one, names and types. tests/data/images/tables holds one that
// NetBSD's own gpt wrote.
#include <gtest/gtest.h>

#include "probes/ondisk/gpt.hpp"
#include "tests/support/table_reading.hpp"

namespace diskwright {
namespace {

using namespace test;

TEST(Gpt, OfNetbsdOn4096ByteSectors) {
    MemorySource source("raid0", stored_image("tables/gpt-4096.gz"));
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

TEST(Gpt, WholeDevice) {
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

TEST(Gpt, FreeSpaceEndsWithTheDevice) {
    Bytes image = gpt_image();
    image.bytes().resize(3000 * 512);
    const auto read = read_image("wd0", image);
    EXPECT_EQ(*table_of(read.found.facts, Scheme::gpt)->free_bytes, (30U + 36 + 2700) * 512);
    Bytes backwards(4096 * 512);
    write_gpt(backwards, 512, {{netbsd_ffs, 100, 50}});
    const auto nothing = read_image("wd0", backwards);
    EXPECT_EQ(*table_of(nothing.found.facts, Scheme::gpt)->free_bytes, (4096U - 34 - 33) * 512);
}

TEST(Gpt, Names) {
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
        write_gpt(image, 512, {{guid, 64, 163}});
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
TEST(Gpt, IsReadOnceForAllReaders) {
    Bytes image(4096 * 512);
    write_gpt(image, 512, {{openbsd_data, 64, 3999}});
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

TEST(Gpt, PrimaryDamaged) {
    Bytes image = gpt_image();
    image.u8(512 + 40, 0xff);
    const auto read = read_image("wd0", image);
    EXPECT_TRUE(has_event(read, Event::Kind::primary_gpt_corrupt));
    EXPECT_EQ(read.found.facts.events.front().subject, "wd0");
    EXPECT_EQ(read.found.facts.partitions.size(), 2U);
    EXPECT_TRUE(table_of(read.found.facts, Scheme::gpt)->corrupt.is(true));
}

TEST(Gpt, PrimaryOverwritten) {
    for (const std::uint64_t sector : {512, 4096}) {
        Bytes image = gpt_image(sector);
        for (std::size_t i = sector; i < 6 * sector; ++i) image.u8(i, 0);
        const auto read = read_image("wd0", image);  // the sector is not told
        EXPECT_TRUE(has_event(read, Event::Kind::primary_gpt_corrupt));
        EXPECT_EQ(read.found.facts.partitions.size(), 2U);
    }
}

TEST(Gpt, SecondaryDamagedMissingOrElsewhere) {
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

TEST(Gpt, EntriesThatNoDiskHasAreNoPartitions) {
    Bytes image(4096 * 512);
    write_gpt(image, 512, {{netbsd_ffs, 64, std::uint64_t{1} << 62}, {netbsd_ffs, 200, 100}});
    const auto read = read_image("wd0", image);
    EXPECT_TRUE(read.found.facts.partitions.empty());
    EXPECT_EQ(
        read.found.damage,
        (std::vector<std::string>{
            "wd0@0x400: entry 1 from sector 64 to sector 4611686018427387904 lies past the end of the disk",
            "wd0@0x480: entry 2 from sector 200 to sector 100 ends before it begins"}));
}

TEST(Gpt, BothDamaged) {
    Bytes image = gpt_image();
    image.u8(512 + 40, 0xff).u8(4095 * 512 + 40, 0xff);
    const auto read = read_image("wd0", image);
    ASSERT_EQ(read.errors.size(), 1U);
    EXPECT_EQ(read.errors.front().kind, ErrorKind::bad_data);
    EXPECT_NE(read.errors.front().message.find("wd0@0x200: header checksum"), std::string::npos);
}

TEST(Gpt, BesideAnMbrInUseIsStale) {
    Bytes image = gpt_image();
    write_mbr(image, 0, {{0xa9, 63, 4000}});
    const auto read = read_image("wd0", image);
    EXPECT_TRUE(has_event(read, Event::Kind::stale_gpt));
    EXPECT_EQ(listing(read.found.facts), "wd0:0 32256 2048000 169\n");
}

TEST(Gpt, HybridMbr) {
    Bytes image = gpt_image();
    write_mbr(image, 0, {{0xee, 1, 63}, {0xa9, 64, 100}});
    const auto read = read_image("wd0", image);
    EXPECT_EQ(listing(read.found.facts),
              "wd0#1 32768 51200 NetBSD FFSv1/FFSv2\nwd0#2 102400 51200 NetBSD swap\n");
    EXPECT_EQ(*table_of(read.found.facts, Scheme::mbr)->entries_shown, 1U);
    EXPECT_EQ(slots(read.found), (std::vector<std::string>{"wd0#1", "wd0#2"}));
}

TEST(Gpt, EntryThatEndsBeforeItStarts) {
    Bytes image(4096 * 512);
    write_gpt(image, 512, {{netbsd_ffs, 200, 100}, {netbsd_ffs, ~0ULL - 2, ~0ULL}, {netbsd_ffs, 300, 309}});
    const auto read = read_image("wd0", image);
    EXPECT_EQ(read.found.facts.partitions.size(), 1U);
    EXPECT_EQ(read.found.damage.size(), 2U);
}

// Every single bit of the header and of the entries is covered by a checksum.
TEST(Gpt, EveryFlippedBitIsReported) {
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

}  // namespace
}  // namespace diskwright
