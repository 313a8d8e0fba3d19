// SPDX-License-Identifier: BSD-2-Clause
// Each kind of metadata where its own tools put it, on a whole disk and in the last partition of one: which
// of the two the component is.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "probes/ondisk/discover.hpp"
#include "probes/support/text.hpp"
#include "tests/support/firmware_raid.hpp"
#include "tests/support/geom_metadata.hpp"
#include "tests/support/images.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/raidframe_label.hpp"
#include "tests/support/softraid_metadata.hpp"

namespace diskwright {
namespace {

using test::Bytes;

// Neither the disk nor the partition ends on 64 KiB; the last one ends before the disk does.
constexpr std::uint64_t disk_sectors = 16384 + 77, first = 2048, last = 16384 + 40;
constexpr std::uint64_t disk_bytes = disk_sectors * 512, part_bytes = (last - first + 1) * 512;

struct Kind {
    std::string name;
    std::function<void(Bytes& image, std::size_t start, std::uint64_t size)> write;
    std::uint8_t mbr_type = 0xfd;
    std::string gpt_type = "a19d880f-05fc-4d3b-a006-743f0f84911e";
};

std::function<void(Bytes&, std::size_t, std::uint64_t)> md1(const std::string& minor) {
    return [minor](Bytes& image, std::size_t start, std::uint64_t size) {
        test::Md1 sb;
        sb.size = sb.data_size = 8192;
        const std::uint64_t at = minor == "1.0" ? test::md1_0_place(size) : minor == "1.1" ? 0 : 4096;
        sb.super_offset = at / 512;
        sb.data_offset = minor == "1.0" ? 0 : 2048;
        image.copy(start + at, sb.bytes());
    };
}

std::vector<Kind> kinds() {
    const std::string freebsd = "516e7cba-6ecf-11d6-8ff8-00022d09712b";
    const std::string netbsd = "49f48daa-b10e-11dc-b99b-0019d1879648";
    const std::string openbsd = "824cc7a0-36a8-11e3-890a-952519ad3f61";
    const auto in_last_sector = [](auto make) {
        return [make](Bytes& image, std::size_t start, std::uint64_t size) {
            image.copy(start + size - 512, make(size).bytes());
        };
    };
    return {
        {"md 0.90",
         [](Bytes& image, std::size_t start, std::uint64_t size) {
             test::Md0 sb;
             sb.slot = 1;
             image.copy(start + test::md0_place(size), sb.bytes());
         }},
        {"md 1.0", md1("1.0")},
        {"md 1.1", md1("1.1")},
        {"md 1.2", md1("1.2")},
        {"raidframe",
         [](Bytes& image, std::size_t start, std::uint64_t size) {
             test::RaidframeLabel label;
             label.num_blocks = size / 512 / 64 * 32, label.partition_size = size / 512;
             const auto bytes = test::write_label(label).bytes();
             image.copy(start + 16384, {bytes.begin() + 16384, bytes.end()});
         },
         0xa9, netbsd},
        {"softraid",
         [](Bytes& image, std::size_t start, std::uint64_t) {
             test::SoftraidMetadata m;
             for (auto& chunk : m.chunks) chunk.size = chunk.coerced_size = 8192;
             m.size = 16384;
             const auto bytes = test::write_softraid(m).bytes();
             image.copy(start + 8192, {bytes.begin() + 8192, bytes.end()});
         },
         0xa6, openbsd},
        {"gmirror", in_last_sector([](std::uint64_t size) {
             test::geom::Mirror m;
             m.provsize = size, m.mediasize = size - 512;
             return m.write();
         }),
         0xa5, freebsd},
        {"gmirror without the size of its provider", in_last_sector([](std::uint64_t size) {
             test::geom::Mirror m;
             m.version = 2, m.mediasize = size - 512;
             return m.write();
         }),
         0xa5, freebsd},
        {"gstripe",
         in_last_sector([](std::uint64_t size) { return test::geom::stripe(3, 0, 2, 65536, {}, size); }),
         0xa5, freebsd},
        {"gconcat", in_last_sector([](std::uint64_t size) { return test::geom::concat(4, 0, 2, size); }),
         0xa5, freebsd},
        {"graid3", in_last_sector([](std::uint64_t size) {
             test::geom::Raid3 m;
             m.all = 3, m.provsize = size, m.sectorsize = 1024, m.mediasize = 2 * (size / 512 - 1) * 512;
             return m.write();
         }),
         0xa5, freebsd},
    };
}

HostFacts discovered(Bytes image) {
    test::MemorySource source("sda", image.bytes(), image.bytes().size());
    const std::vector<ByteSource*> sources{&source};
    return discover(sources).facts;
}

void expect_component(const HostFacts& facts, const std::string& name) {
    ASSERT_EQ(facts.volumes.size(), 1U);
    std::size_t there = 0;
    for (const Component& c : facts.volumes[0].components) {
        if (c.name.empty()) continue;
        EXPECT_EQ(c.name, name);
        ++there;
    }
    EXPECT_EQ(there, 1U);
    EXPECT_TRUE(facts.conflicts.empty());
    EXPECT_TRUE(facts.events.empty());
    for (const Damage& d : facts.damages) ADD_FAILURE() << d.what;
}

TEST(Placement, OnAWholeDisk) {
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        Bytes image(disk_bytes);
        kind.write(image, 0, disk_bytes);
        expect_component(discovered(image), "sda");
    }
}

TEST(Placement, InTheLastPartition) {
    for (const Kind& kind : kinds()) {
        for (const bool gpt : {true, false}) {
            SCOPED_TRACE(kind.name + (gpt ? " in a GPT" : " in an MBR"));
            Bytes image(disk_bytes);
            if (gpt)
                test::write_gpt(image, 512, {{kind.gpt_type, first, last}});
            else
                test::write_mbr(image, 0,
                                {{kind.mbr_type, first, static_cast<std::uint32_t>(last - first + 1)}});
            kind.write(image, first * 512, part_bytes);
            const HostFacts facts = discovered(image);
            ASSERT_EQ(facts.partitions.size(), 1U);
            expect_component(facts, facts.partitions[0].name);
        }
    }
}

// A partition that ends with the disk: both have one last sector, and 0.90 and 1.0 the same place.
TEST(Placement, InAPartitionThatEndsWithTheDisk) {
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        Bytes image(disk_bytes);
        test::write_mbr(image, 0, {{kind.mbr_type, first, static_cast<std::uint32_t>(disk_sectors - first)}});
        kind.write(image, first * 512, disk_bytes - first * 512);
        const HostFacts facts = discovered(image);
        ASSERT_EQ(facts.partitions.size(), 1U);
        expect_component(facts, facts.partitions[0].name);
    }
}

// 0.90 and 1.0 round down, so that a partition that ends a little before the disk may put its superblock
// where the disk would put one: 500107862016 bytes, of which the last partition ends at MiB 476940.
TEST(Placement, OneSuperblockAtTwoPlaces) {
    constexpr std::uint64_t size = 8 * MiB + 24 * 512;  // less than 64 KiB behind the last MiB
    Bytes image(size);
    test::write_mbr(image, 0, {{0xfd, 2048, 7 * 2048}});
    test::Md0 sb;
    image.copy(MiB + test::md0_place(7 * MiB), sb.bytes());
    ASSERT_EQ(MiB + test::md0_place(7 * MiB), test::md0_place(size));
    const HostFacts facts = discovered(image);
    ASSERT_EQ(facts.partitions.size(), 1U) << "the table is not erased";
    expect_component(facts, facts.partitions[0].name);
}

// Firmware knows whole disks alone, whatever partitions lie on its set.
TEST(Placement, FirmwareOnWholeDisks) {
    for (const bool ddf : {false, true})
        for (const bool partitioned : {false, true}) {
            Bytes image(MiB, ddf ? ByteOrder::big : ByteOrder::little);
            if (partitioned && !ddf) test::write_mbr(image, 0, {{0x83, 64, 100}});
            if (ddf)
                test::Ddf{}.write(image);
            else
                test::Intel{}.write(image);
            const HostFacts facts = discovered(image);
            EXPECT_EQ(facts.volumes.size(), ddf ? 1U : 2U);
            for (const Volume& v : facts.volumes) {
                bool there = false;
                for (const Component& c : v.components) there = there || c.name == "sda";
                EXPECT_TRUE(there) << v.name;
            }
            EXPECT_TRUE(facts.conflicts.empty());
            EXPECT_TRUE(facts.events.empty());
        }
}

// Six disks of a DDF set of two spans: none is missing, and none is there twice.
TEST(Placement, DdfOfTwoSpans) {
    std::vector<std::unique_ptr<test::MemorySource>> disks;
    std::vector<ByteSource*> sources;
    for (std::uint8_t i = 0; i < 6; ++i) {
        test::Ddf md;
        md.level = 1, md.spans = 2, md.drive = i, md.all_records = i % 2 == 0;
        Bytes image(MiB, md.order);
        md.write(image);
        disks.push_back(std::make_unique<test::MemorySource>("sd" + std::to_string(i), image.bytes(), MiB));
        sources.push_back(disks.back().get());
    }
    const HostFacts facts = discover(sources).facts;
    ASSERT_EQ(facts.volumes.size(), 1U);
    ASSERT_EQ(facts.volumes[0].components.size(), 6U);
    for (std::uint64_t i = 0; i < 6; ++i) {
        EXPECT_EQ(facts.volumes[0].components[i].name, "sd" + std::to_string(i));
        EXPECT_TRUE(facts.volumes[0].components[i].state.is(ComponentState::optimal));
        EXPECT_TRUE(facts.volumes[0].components[i].slot.is(i));
    }
    EXPECT_TRUE(facts.damages.empty());
}

}  // namespace
}  // namespace diskwright
