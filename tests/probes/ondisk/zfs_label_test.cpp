// SPDX-License-Identifier: BSD-2-Clause
// Labels of ZFS on several devices, and those that a pool left behind.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "probes/ondisk/discover.hpp"
#include "probes/ondisk/formats.hpp"
#include "tests/support/geom_metadata.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/zfs_labels.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::MemorySource;
using test::zfs_image;
using test::zfs_size;

// Names that the disks have now, in one order or the other, and even each other's.
TEST(ZfsLabel, DevicesOfAPoolAreToldByTheirNumbers) {
    using Names = std::array<std::string, 2>;
    for (const Names& names : {Names{"x", "y"}, Names{"ada0p3", "y"}, Names{"ada0p3", "ada1p3"},
                               Names{"ada1p3", "ada0p3"}, Names{"x", "ada0p3"}})
        for (const bool swapped : {false, true}) {
            SCOPED_TRACE(names[0] + " " + names[1]);
            MemorySource first(names[0], zfs_image(0, 1, 71).bytes(), zfs_size),
                second(names[1], zfs_image(0, 1, 72).bytes(), zfs_size);
            std::array<ByteSource*, 2> disks{&first, &second};
            if (swapped) std::swap(disks[0], disks[1]);
            const auto facts = discover(disks).facts;
            ASSERT_EQ(facts.volumes.size(), 1U);
            std::map<std::uint64_t, std::string> called;
            for (const Component& c : facts.volumes[0].components) called[*c.slot] = c.name;
            EXPECT_EQ(facts.volumes[0].components.size(), 2U);
            EXPECT_EQ(called, (std::map<std::uint64_t, std::string>{{71, names[0]}, {72, names[1]}}));
        }
}

TEST(ZfsLabel, ACopyOfADeviceOfAPoolIsAComponentToo) {
    MemorySource disk("x", zfs_image().bytes(), zfs_size), copy("z", zfs_image().bytes(), zfs_size);
    const std::array<ByteSource*, 2> disks{&disk, &copy};
    const auto facts = discover(disks).facts;
    ASSERT_EQ(facts.volumes.at(0).components.size(), 3U);
    EXPECT_EQ(facts.volumes[0].components[0].name, "x");
    EXPECT_EQ(facts.volumes[0].components[1].name, "ada1p3");
    EXPECT_EQ(facts.volumes[0].components[2].name, "z");
}

// The other device has the name by now that this one had.
TEST(ZfsLabel, ANameThatWentToAnotherDeviceIsNotTakenFromIt) {
    MemorySource source("ada0p3", zfs_image(0, 1, 72).bytes(), zfs_size);
    Found found;
    ASSERT_TRUE(*read_zfs_label(source, found));
    ASSERT_EQ(found.facts.volumes.at(0).components.size(), 2U);
    EXPECT_EQ(found.facts.volumes[0].components[0].name, "");
    EXPECT_EQ(found.facts.volumes[0].components[1].name, "ada0p3");
}

// What was written over the start of a device of a pool leaves the labels at its end.
TEST(ZfsLabel, LabelsOfAPoolThatIsGoneAreLeftOver) {
    const Bytes pool = zfs_image();
    for (const bool table : {false, true}) {
        Bytes image(zfs_size);
        image.copy(512 * KiB, std::vector<std::byte>(pool.part(512 * KiB, 512 * KiB).begin(),
                                                     pool.part(512 * KiB, 512 * KiB).end()));
        if (table)
            test::write_mbr(image, 0, {{0xa5, 63, 900}});
        else
            image.u32(1024, 1).u32(1028, 255).text(4086, "SWAPSPACE2");
        MemorySource source("ada4p2", image.bytes(), zfs_size);
        const std::array<ByteSource*, 1> disks{&source};
        const auto facts = discover(disks).facts;
        ASSERT_EQ(facts.events.size(), 1U) << table;
        EXPECT_EQ(facts.events[0].kind, Event::Kind::stale_raid_metadata);
        EXPECT_EQ(facts.events[0].subject, "ada4p2");
        EXPECT_EQ(facts.events[0].detail, "2 ZFS labels at the end, of pool tank");
        EXPECT_TRUE(facts.volumes.empty());
    }
    // A pool in a mirror, whose member ends where its device does but for a sector, is nothing of the past.
    Bytes member(zfs_size + 512);
    member.copy(0, zfs_image().bytes());
    test::geom::Mirror md;
    md.mediasize = zfs_size, md.provsize = zfs_size + 512;
    member.copy(zfs_size, md.write().bytes());
    MemorySource source("ada0", member.bytes(), zfs_size + 512);
    const std::array<ByteSource*, 1> disks{&source};
    const auto facts = discover(disks).facts;
    EXPECT_TRUE(facts.events.empty());
    EXPECT_EQ(facts.volumes.size(), 2U);
}

}  // namespace
}  // namespace diskwright
