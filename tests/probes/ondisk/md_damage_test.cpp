// SPDX-License-Identifier: BSD-2-Clause
// Damaged superblocks of Linux md, and several on one device: no flip of a bit goes unseen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "probes/ondisk/discover.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/images.hpp"
#include "tests/support/md_reading.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::damage;
using test::Md0;
using test::Md1;
using test::md_device;
using test::MdOutcome;
using test::MemorySource;
using test::read;
using test::read_md_image;

TEST(MdDamage, Contradictions) {
    struct Row {
        std::string what;
        void (*change)(Md1&);
    };
    const std::vector<Row> rows{
        {"features that are not known", [](Md1& sb) { sb.features = 1 << 20; }},
        {"no level that exists", [](Md1& sb) { sb.level = 7; }},
        {"no chunk size that exists", [](Md1& sb) { sb.chunk = 100; }},
        {"no chunk size that exists", [](Md1& sb) { sb.chunk = 0; }},
        {"a stripe without a chunk size", [](Md1& sb) { sb.level = 0, sb.chunk = 0; }},
        {"the data reaches beyond the end of the device", [](Md1& sb) { sb.data_size = 65536; }},
        {"the data reaches beyond the end of the device", [](Md1& sb) { sb.data_size = ~std::uint64_t{0}; }},
        {"the data lies over the superblock", [](Md1& sb) { sb.data_offset = 8; }},
        {"more is used of the device than it has", [](Md1& sb) { sb.size = 4104; }}};
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        Md1 sb;
        row.change(sb);
        const auto out = read(sb);
        ASSERT_TRUE(out.result && *out.result);
        EXPECT_TRUE(contains(damage(out), row.what)) << damage(out);
    }
    Md1 sb;
    sb.disks = 0;
    EXPECT_FALSE(read(sb).result);
    sb.disks = 0xffffffff;
    EXPECT_FALSE(read(sb).result);
    sb = {};
    sb.data_offset = std::uint64_t{1} << 60;
    EXPECT_FALSE(read(sb).result);
    Md0 old;
    old.disks = 28;
    EXPECT_FALSE(read(old).result);
}

// Reported, not used.
TEST(MdDamage, WrongChecksum) {
    Bytes image(md_device);
    Md1 sb;
    image.copy(4096, sb.bytes());
    image.u64(4096 + 200, 1);
    const auto out = read_md_image(image.bytes());
    ASSERT_FALSE(out.result);
    EXPECT_EQ(out.result.error().kind, ErrorKind::bad_data);
    EXPECT_TRUE(out.result.error().message.starts_with("sda1@0x10d8: md superblock: the checksum is "));
    EXPECT_TRUE(out.found.members.empty());
    Md0 old;
    Bytes old_image(md_device);
    old_image.copy(test::md0_place(md_device), old.bytes());
    old_image.u32(test::md0_place(md_device) + 32, 1);
    EXPECT_FALSE(read_md_image(old_image.bytes()).result);
    // Beside a good one it is damage.
    image.copy(test::md0_place(md_device), old.bytes());
    const auto both = read_md_image(image.bytes());
    EXPECT_TRUE(both.result && *both.result);
    EXPECT_EQ(*both.set().metadata, "0.90");
    EXPECT_TRUE(contains(damage(both), "the checksum is "));
}

// The table of a RAID 5 lies on its first member; without that it is computed from the parity on the third.
TEST(MdDamage, ASetWithoutOneMember) {
    std::vector<MemorySource> members;
    for (std::uint32_t i = 0; i < 3; ++i) {
        Md1 sb;
        sb.device = i;
        Bytes image(md_device);
        image.copy(4096, sb.bytes());
        if (i != 1) test::write_mbr(image, MiB, {{0x83, 63, 100}});
        members.emplace_back("sd" + std::string(1, static_cast<char>('a' + i)), image.bytes(), md_device);
    }
    for (const std::size_t missing : {3U, 0U, 2U}) {
        SCOPED_TRACE(missing);
        std::vector<ByteSource*> sources;
        for (std::size_t i = 0; i < 3; ++i)
            if (i != missing) sources.push_back(&members[i]);
        const HostFacts facts = discover(sources).facts;
        ASSERT_EQ(facts.volumes.size(), 1U);
        EXPECT_EQ(facts.volumes[0].name, "md0");
        ASSERT_EQ(facts.volumes[0].components.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_TRUE(facts.volumes[0].components[i].state.is(i == missing ? ComponentState::missing
                                                                             : ComponentState::optimal));
        ASSERT_EQ(facts.partitions.size(), 1U);
        EXPECT_EQ(facts.partitions[0].name, "md0p1");
        EXPECT_EQ(*facts.partitions[0].start_bytes, 63U * 512);
    }
}

TEST(MdDamage, ASetBetweenTwoShapesIsNotRead) {
    Md1 sb;
    sb.level = 1, sb.disks = 1, sb.roles = {0}, sb.device = 0, sb.chunk = 0;
    for (const bool reshaping : {false, true}) {
        if (reshaping) sb.features = 4, sb.reshape_position = 1024, sb.delta = 1, sb.disks = 2;
        Bytes image(md_device);
        image.copy(4096, sb.bytes());
        test::write_mbr(image, MiB, {{0x83, 63, 100}});
        MemorySource source("sda", image.bytes(), md_device);
        const std::vector<ByteSource*> sources{&source};
        const HostFacts facts = discover(sources).facts;
        EXPECT_EQ(facts.volumes.size(), 1U);
        EXPECT_EQ(facts.partitions.size(), reshaping ? 0U : 1U);
    }
}

TEST(MdDamage, TheSetMadeLastCounts) {
    for (const bool newer : {false, true}) {
        Md1 sb;
        Md0 old;
        old.created = static_cast<std::uint32_t>(sb.created + (newer ? 10 : -10));
        Bytes image(md_device);
        image.copy(4096, sb.bytes()).copy(test::md0_place(md_device), old.bytes());
        const auto out = read_md_image(image.bytes());
        ASSERT_EQ(out.found.members.size(), 1U);
        EXPECT_EQ(*out.set().metadata, newer ? "0.90" : "1.2");
        ASSERT_EQ(out.found.facts.events.size(), 1U);
        EXPECT_EQ(out.found.facts.events[0].kind, Event::Kind::stale_raid_metadata);
        EXPECT_EQ(out.found.facts.events[0].detail,
                  newer ? "an md superblock 1.2 of md0, older than the one in use"
                        : "an md superblock 0.90 of md3, older than the one in use");
    }
}

TEST(MdDamage, EveryFlipIsSeen) {
    struct Row {
        std::string name;
        std::vector<std::byte> bytes;
        std::uint64_t at;
        std::size_t length, found_by;  // magic and version: what another structure may have there
        std::size_t step = 1;
    };
    Md1 odd;
    odd.roles = {0, 1, 2};
    Md0 big;
    big.order = ByteOrder::big;
    const std::vector<Row> rows{{"1.2", Md1{}.bytes(), 4096, 256 + 6, 8},
                                {"0.90", Md0{}.bytes(), test::md0_place(MiB), 4096, 8},
                                {"0.90 big-endian", big.bytes(), test::md0_place(MiB), 4096, 8, 13}};
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        Bytes image(MiB);
        image.copy(row.at, row.bytes);
        MemorySource source("sda1", image.bytes(), MiB);
        for (std::size_t bit = 0; bit < row.length * 8; bit += row.step) {
            std::byte& byte = source.bytes()[row.at + bit / 8];
            const auto mask = static_cast<std::byte>(1U << (bit % 8));
            byte ^= mask;
            Found found;
            const auto result = read_md(source, found);
            EXPECT_FALSE(result.ok() && *result) << "bit " << bit;
            EXPECT_EQ(result.ok(), bit / 8 < row.found_by) << "bit " << bit;
            EXPECT_TRUE(found.members.empty());
            byte ^= mask;
        }
    }
}

TEST(MdDamage, CutAnywhere) {
    constexpr std::uint64_t size = 256 * KiB;
    Md1 last;
    last.super_offset = test::md1_0_place(size) / 512;
    for (const std::uint64_t at : {std::uint64_t{4096}, last.super_offset * 512, test::md0_place(size)}) {
        Bytes image(size);
        if (at == 4096)
            image.copy(at, Md1{}.bytes());
        else if (at == last.super_offset * 512)
            image.copy(at, last.bytes());
        else
            image.copy(at, Md0{}.bytes());
        for (std::uint64_t length = at > 512 ? at - 512 : 0; length <= at + 4096 + 64; ++length) {
            const auto end = image.bytes().begin() + static_cast<std::ptrdiff_t>(length);
            MemorySource head("sda1", {image.bytes().begin(), end}, size);
            MemorySource cut("sda1", {image.bytes().begin(), end}, length);
            MemorySource unknown("sda1", {image.bytes().begin(), end});
            Found a, b, c;
            EXPECT_EQ(read_md(head, a).ok() && !a.members.empty(), length >= at + 4096) << length;
            const auto short_device = read_md(cut, b);
            EXPECT_EQ(short_device.ok() && *short_device, at == 4096 && length >= at + 4096) << length;
            EXPECT_EQ(*read_md(unknown, c), at == 4096 && length >= at + 4096) << length;
        }
    }
}

// Whatever the fields say under a right checksum: no crash, bounded reads.
TEST(MdDamage, HostileFields) {
    for (std::size_t at = 8; at < 264; at += 2) {
        for (const std::uint8_t value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            Bytes sb(4096);
            sb.copy(0, Md1{}.bytes());
            for (std::size_t i = at; i < at + 8; ++i) sb.u8(i, value);
            if (ByteReader(sb.bytes()).u32(220).value_or(0) <= 1920) test::seal_md1(sb);
            Bytes image(MiB);
            image.copy(4096, sb.bytes());
            const auto out = read_md_image(image.bytes());
            EXPECT_LE(out.bytes_read, 32 * KiB);
            EXPECT_TRUE(out.result.ok() || out.result.error().kind == ErrorKind::bad_data);
        }
    }
    for (std::size_t at = 8; at < 272; at += 4) {
        for (const std::uint32_t value : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
            Bytes sb(4096);
            sb.copy(0, Md0{}.bytes()).u32(at, value);
            test::seal_md0(sb, ByteOrder::little);
            Bytes image(MiB);
            image.copy(test::md0_place(MiB), sb.bytes());
            const auto out = read_md_image(image.bytes());
            EXPECT_LE(out.bytes_read, 32 * KiB);
            EXPECT_TRUE(out.result.ok() || out.result.error().kind == ErrorKind::bad_data);
        }
    }
}

}  // namespace
}  // namespace diskwright
