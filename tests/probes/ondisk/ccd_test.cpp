// SPDX-License-Identifier: BSD-2-Clause
// ccd leaves nothing on its components but the label of the ccd itself, at the head of the first.
#include <gtest/gtest.h>

#include "probes/ondisk/formats.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

using test::Bytes;

constexpr std::size_t type_at = 4;
constexpr std::uint16_t scsi = 4, ccd = 11;

// The label that disklabel wrote to a ccd of 4 GiB, one partition.
Bytes component(std::uint16_t type, ByteOrder order = ByteOrder::little, std::size_t at = 512) {
    Bytes image(65536, order);
    test::write_label(image, at, 8388608, {{8388608, 0, 7}});
    image.u16(at + type_at, type);
    test::seal_label(image, at, 1);
    return image;
}

struct Reading {
    Found found;
    bool there = false;
};

Reading read_bytes(std::vector<std::byte> bytes, const std::string& name = "sd1e") {
    test::MemorySource source(name, std::move(bytes), 4294967296ULL);
    Reading out;
    const auto read = read_ccd_label(source, out.found);
    EXPECT_TRUE(read) << read.error().message;
    out.there = read && *read;
    EXPECT_LE(source.bytes_read, 10400U);
    EXPECT_LE(source.reads, 1U);
    return out;
}

TEST(Ccd, LabelOnTheFirstComponent) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big})
        for (const std::size_t at :
             {std::size_t{0}, std::size_t{64}, std::size_t{128}, std::size_t{512}, std::size_t{8192 + 512}}) {
            const auto r = read_bytes(component(ccd, order, at).bytes());
            ASSERT_TRUE(r.there) << at;
            const Volume& set = r.found.facts.volumes.at(0);
            EXPECT_EQ(set.name, "ccd?");
            EXPECT_TRUE(set.kind.is(VolumeKind::ccd));
            EXPECT_TRUE(set.size_bytes.is(4294967296ULL));
            EXPECT_TRUE(set.logical_sector_bytes.is(512));
            // Unit and other components are in /etc/ccd.conf alone.
            EXPECT_FALSE(set.level);
            EXPECT_FALSE(set.stripe_unit_bytes);
            EXPECT_FALSE(set.columns);
            EXPECT_FALSE(set.components_complete);
            ASSERT_EQ(set.components.size(), 1U);
            EXPECT_EQ(set.components[0].name, "sd1e");
            EXPECT_TRUE(set.components[0].slot.is(0));
            EXPECT_TRUE(set.components[0].data_offset_bytes.is(at < 8192 ? 0 : 8192));
            EXPECT_TRUE(r.found.members.empty());
        }
}

TEST(Ccd, OtherLabelsAndDamage) {
    EXPECT_FALSE(read_bytes(component(scsi).bytes()).there);
    EXPECT_FALSE(read_bytes(std::vector<std::byte>(65536)).there);
    EXPECT_FALSE(read_bytes(component(ccd).bytes(), "ccd0").there);
    auto image = component(ccd).bytes();
    image[512 + 60] ^= std::byte{1};
    EXPECT_FALSE(read_bytes(image).there);
    image = component(ccd).bytes();
    for (std::size_t size = 1024; size-- > 0;) {
        image.resize(size);
        EXPECT_EQ(read_bytes(image).there, size >= 512 + 148 + 16) << size;
    }
}

// What the tables around it say: the type of the partition.
TEST(Ccd, TypeOfThePartition) {
    for (const auto& [name, type] : {std::pair<std::string, std::uint8_t>{"wd0", 20}, {"da0", 20}}) {
        Bytes disk(65536);
        test::write_label(disk, 512, 8388608, {{1000000, 64, type}, {1000000, 1000064, type}});
        test::MemorySource source(name, disk.bytes(), 4294967296ULL);
        source.belongs_to = Os::netbsd;
        Found found;
        const auto read = read_disklabel(source, found);
        ASSERT_TRUE(read && *read);
        ASSERT_EQ(found.facts.partitions.size(), 2U);
        for (const Partition& p : found.facts.partitions)
            EXPECT_TRUE(p.type.is(name == "wd0" ? "ccd" : "!20"));
    }
    Bytes disk(8388608);
    test::write_gpt(disk, 512, {{"2db519c4-b10f-11dc-b99b-0019d1879648", 64, 4095}});
    test::MemorySource source("wd0", disk.bytes(), 8388608);
    Found found;
    ASSERT_TRUE(read_gpt_table(source, found));
    EXPECT_TRUE(found.facts.partitions.at(0).type.is("NetBSD ccd component"));
}

}  // namespace
}  // namespace diskwright
