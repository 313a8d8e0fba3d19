// SPDX-License-Identifier: BSD-2-Clause
// Which sets are made of which members: nested ones, clones, spares, replacements, forged ones. Real
// metadata, written by the test.
#include "probes/ondisk/member_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "probes/ondisk/discover.hpp"
#include "probes/support/text.hpp"
#include "tests/support/geom_metadata.hpp"
#include "tests/support/images.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/softraid_metadata.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::Md1;
using test::MemorySource;

constexpr std::size_t disk_bytes = 2 * MiB;

struct Host {
    std::vector<std::unique_ptr<MemorySource>> disks;
    void add(const std::string& name, Bytes image) {
        disks.push_back(std::make_unique<MemorySource>(name, image.bytes(), image.bytes().size()));
    }
    Discovery discover(std::optional<Os> os = {}) const {
        std::vector<ByteSource*> sources;
        for (const auto& d : disks) sources.push_back(d.get());
        return diskwright::discover(sources, os);
    }
};

const Volume* volume_of(const HostFacts& facts, std::string_view name) {
    const auto at = std::find_if(facts.volumes.begin(), facts.volumes.end(),
                                 [&](const Volume& v) { return v.name == name; });
    return at == facts.volumes.end() ? nullptr : &*at;
}

std::vector<std::string> states(const Volume& v) {
    std::vector<std::string> out;
    for (const Component& c : v.components)
        out.push_back(c.name + " " + std::string(c.state ? to_string(*c.state) : "unknown"));
    return out;
}

Bytes md_disk(const Md1& sb, std::size_t size = disk_bytes) {
    Bytes image(size);
    image.copy(sb.super_offset * 512, sb.bytes());
    return image;
}

Md1 md(const std::string& uuid, const std::string& name, std::int32_t level, std::uint32_t disks,
       std::uint32_t device) {
    Md1 sb;
    sb.uuid = uuid, sb.name = name, sb.level = level, sb.disks = disks, sb.device = device;
    sb.layout = level == 5 ? 2 : 0, sb.chunk = level == 1 ? 0 : 128;
    sb.data_offset = 128, sb.super_offset = 8;
    sb.size = level > 0 ? 2048 : 0, sb.data_size = 2048;
    sb.roles.clear();
    for (std::uint32_t i = 0; i < disks; ++i) sb.roles.push_back(static_cast<std::uint16_t>(i));
    return sb;
}

// A mirror of a disk and of a set below it is complete, in whatever order they are found.
TEST(MemberSets, OfMixedDepth) {
    for (const bool degraded : {false, true})
        for (const bool reversed : {false, true}) {
            Host host;
            Md1 mirror = md("mirror-uuid-0000", "h:9", 1, 2, 0);
            mirror.size = 1024, mirror.data_size = 1024;
            const Bytes plain = md_disk(mirror);
            mirror.device = 1;
            // RAID 1 below a RAID 1: what the inner one holds is the outer one's second half.
            std::vector<Bytes> inner;
            for (std::uint32_t i = 0; i < 2; ++i) {
                Bytes disk = md_disk(md("inner-uuid-00000", "h:1", 1, 2, i));
                disk.copy(128 * 512 + 4096, mirror.bytes());
                inner.push_back(disk);
            }
            if (degraded) inner.pop_back();
            std::vector<std::pair<std::string, Bytes>> all{{"sda", plain}};
            for (std::size_t i = 0; i < inner.size(); ++i)
                all.emplace_back("sd" + std::string(1, static_cast<char>('b' + i)), inner[i]);
            if (reversed) std::reverse(all.begin(), all.end());
            for (const auto& [name, image] : all) host.add(name, image);
            const HostFacts facts = host.discover().facts;
            ASSERT_EQ(facts.volumes.size(), 2U);
            const Volume* outer = volume_of(facts, "md9");
            ASSERT_TRUE(outer);
            EXPECT_EQ(states(*outer), (std::vector<std::string>{"sda optimal", "md1 optimal"}));
            ASSERT_TRUE(volume_of(facts, "md1"));
            EXPECT_EQ(states(*volume_of(facts, "md1"))[1], degraded ? " missing" : "sdc optimal");
            EXPECT_TRUE(facts.damages.empty());
        }
}

// A copy made with dd says the same as its original: which of the two counts is not a matter of order.
TEST(MemberSets, AClonesOrderDecidesNothing) {
    std::vector<std::vector<std::string>> seen;
    for (const bool reversed : {false, true}) {
        Host host;
        const Bytes first = md_disk(md("clone-uuid-00000", "h:0", 1, 2, 0));
        std::vector<std::string> names{"sda", "sdb"};
        if (reversed) std::reverse(names.begin(), names.end());
        for (const std::string& name : names) host.add(name, first);
        host.add("sdc", md_disk(md("clone-uuid-00000", "h:0", 1, 2, 1)));
        const HostFacts facts = host.discover().facts;
        ASSERT_EQ(facts.volumes.size(), 1U);
        seen.push_back(states(facts.volumes[0]));
        ASSERT_EQ(facts.damages.size(), 1U);
        EXPECT_EQ(facts.damages[0].what, "sdb@0x1000: column 0 of md0 is that of sda too");
    }
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_EQ(seen[0], (std::vector<std::string>{"sda optimal", "sdc optimal"}));
}

TEST(MemberSets, TwoDevicesOfOneNameAreBothRead) {
    Host host;
    for (std::uint32_t i = 0; i < 3; ++i) host.add("sd0", md_disk(md("names-uuid-00000", "h:0", 1, 3, i)));
    const Discovery found = host.discover();
    ASSERT_EQ(found.facts.volumes.size(), 1U);
    EXPECT_EQ(states(found.facts.volumes[0]),
              (std::vector<std::string>{"sd0 optimal", "sd0?2 optimal", "sd0?3 optimal"}));
    EXPECT_EQ(found.facts.unparsed.size(), 2U);
    EXPECT_EQ(found.facts.disks.size(), 3U);
}

// A replacement that is done fills its column when the one it replaces is gone, and stands beside it before.
TEST(MemberSets, ReplacementsOfMd) {
    Md1 done = md("replc-uuid-00000", "h:0", 5, 3, 3);
    done.roles = {0, 1, 2, 1};
    for (const bool original_there : {false, true}) {
        Host host;
        done.features = 16;
        host.add("sda", md_disk(done));
        for (const std::uint32_t i : {0U, 1U, 2U}) {
            if (i == 1 && !original_there) continue;
            Md1 member = md("replc-uuid-00000", "h:0", 5, 3, i);
            member.roles = done.roles;
            host.add("sd" + std::string(1, static_cast<char>('b' + i)), md_disk(member));
        }
        const HostFacts facts = host.discover().facts;
        ASSERT_EQ(facts.volumes.size(), 1U);
        EXPECT_TRUE(facts.damages.empty());
        EXPECT_EQ(
            states(facts.volumes[0]),
            original_there
                ? (std::vector<std::string>{"sdb optimal", "sdc optimal", "sdd optimal", "sda used_spare"})
                : (std::vector<std::string>{"sdb optimal", "sda used_spare", "sdd optimal"}));
    }
}

TEST(MemberSets, TheOneThatWasReplacedIsOld) {
    Md1 done = md("replc-uuid-00000", "h:0", 5, 3, 3);
    done.features = 16, done.roles = {0, 0xfffe, 2, 1}, done.events += 10;
    Host host;
    host.add("sda", md_disk(done));
    for (const std::uint32_t i : {0U, 1U, 2U}) {
        Md1 member = md("replc-uuid-00000", "h:0", 5, 3, i);
        if (i != 1) member.roles = done.roles, member.events = done.events;
        host.add("sd" + std::string(1, static_cast<char>('b' + i)), md_disk(member));
    }
    const HostFacts facts = host.discover().facts;
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_TRUE(facts.damages.empty());
    EXPECT_EQ(states(facts.volumes[0]),
              (std::vector<std::string>{"sdb optimal", "sda used_spare", "sdd optimal"}));
    ASSERT_EQ(facts.unparsed.size(), 1U);
    EXPECT_EQ(facts.unparsed[0].source, "sdc");
}

// raid0_size() of drivers/md/raid0.c: the sum, each rounded to chunks.
TEST(MemberSets, StripeOfUnequalMembers) {
    Host host;
    const std::array<std::uint64_t, 2> sectors{1000, 3000};
    for (std::uint32_t i = 0; i < 2; ++i) {
        Md1 sb = md("unequ-uuid-00000", "h:0", 0, 2, i);
        sb.data_size = sectors[i];
        host.add("sd" + std::string(1, static_cast<char>('a' + i)), md_disk(sb));
    }
    const HostFacts facts = host.discover().facts;
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_TRUE(facts.volumes[0].size_bytes.is((896 + 2944) * 512));
    host.disks.pop_back();
    EXPECT_FALSE(host.discover().facts.volumes.at(0).size_bytes) << "as long as one is missing";
}

// A hot spare of softraid has a number of its own and no column: no set of its own, and nothing is missing.
TEST(MemberSets, HotSparesOfSoftraid) {
    test::SoftraidMetadata m;
    const auto image = [&] {
        Bytes disk(disk_bytes);
        disk.copy(0, test::write_softraid(m).bytes());
        return disk;
    };
    for (auto& chunk : m.chunks) chunk.size = chunk.coerced_size = 2048;
    Host host;
    for (std::uint32_t i = 0; i < 3; ++i) {
        m.chunk_id = i;
        host.add("wd" + std::to_string(i), image());
    }
    test::SoftraidMetadata spare;
    spare.chunks = {{"wd3", 2048, 2048, 4, true}};
    spare.chunk_id = 0, spare.level = spare.volid = 0xffffffff, spare.data_blkno = 0, spare.devname = "";
    m = spare;
    Bytes disk = image();
    for (std::size_t i = 0; i < 16; ++i) disk.u8(8192 + 16 + i, static_cast<std::uint8_t>(i));
    for (std::size_t i = 0; i < 16; ++i) disk.u8(m.record(0) + 56 + i, static_cast<std::uint8_t>(i));
    test::put_sum(disk, m.record(0) + 72, m.record(0), 72);
    test::seal_softraid(disk);
    host.add("wd3", disk);
    const HostFacts facts = host.discover().facts;
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_EQ(facts.volumes[0].name, "sd2");
    EXPECT_EQ(states(facts.volumes[0]),
              (std::vector<std::string>{"wd0 optimal", "wd1 optimal", "wd2 optimal", "wd3 spare"}));
    EXPECT_TRUE(facts.volumes[0].columns.is(3));
    EXPECT_FALSE(facts.volumes[0].components[3].data_offset_bytes);
    EXPECT_TRUE(facts.damages.empty());
    // Alone it tells nothing of a set but that there may be one.
    Host alone;
    alone.add("wd3", disk);
    const HostFacts only = alone.discover().facts;
    ASSERT_EQ(only.volumes.size(), 1U);
    EXPECT_EQ(only.volumes[0].name, "softraid?");
    EXPECT_EQ(states(only.volumes[0]), std::vector<std::string>{"wd3 spare"});
    EXPECT_FALSE(only.volumes[0].level || only.volumes[0].state || only.volumes[0].columns);
}

// Without a checksum anyone can claim a thousand columns, under a hundred names.
TEST(MemberSets, ForgedSetsAreBounded) {
    Host host;
    constexpr std::size_t size = 65536;
    for (std::size_t i = 0; i < 64; ++i) {
        Bytes disk(size);
        test::geom::Writer label("GEOM::STRIPE", 3);
        label.text("gs" + std::to_string(i), 16).number(i, 4).number(0, 2).number(1024, 2).number(4096, 4);
        label.text("", 16).number(size, 8);
        disk.copy(size - 512, label.bytes());
        host.add("da" + std::to_string(i), disk);
    }
    const Discovery found = host.discover();
    std::size_t components = 0;
    for (const Volume& v : found.facts.volumes) components += v.components.size();
    EXPECT_EQ(components, 16384U);
    EXPECT_TRUE(std::any_of(found.facts.unparsed.begin(), found.facts.unparsed.end(), [](const Unparsed& u) {
        return u.reason.starts_with("sets of more than 16384 components");
    }));
}

// The disks may come from another host than the one whose system is known.
TEST(MemberSets, TheSystemOfTheHostHidesNoSet) {
    Host host;
    Bytes mirror(disk_bytes);
    test::geom::Mirror gm;
    gm.provsize = disk_bytes, gm.mediasize = disk_bytes - 512;
    mirror.copy(disk_bytes - 512, gm.write().bytes());
    host.add("sd0", mirror);
    host.add("sd1", md_disk(md("other-uuid-00000", "h:7", 1, 2, 0)));
    for (const auto os : {std::optional<Os>(), std::optional(Os::netbsd), std::optional(Os::linux_),
                          std::optional(Os::freebsd)}) {
        const HostFacts facts = host.discover(os).facts;
        EXPECT_TRUE(volume_of(facts, "mirror/gm0"));
        EXPECT_TRUE(volume_of(facts, "md7"));
    }
}

// md 1.2 made on a disk that had a GPT: the superblock lies over its entries, the secondary one is whole.
TEST(MemberSets, WhatLiesOverATableCameLater) {
    Bytes disk(disk_bytes);
    test::write_gpt(disk, 512, {{"0fc63daf-8483-4772-8e79-3d69d8477de4", 2048, 3000}});
    disk.copy(4096, md("later-uuid-00000", "h:0", 1, 2, 0).bytes());
    Host host;
    host.add("sda", disk);
    const HostFacts facts = host.discover().facts;
    ASSERT_TRUE(volume_of(facts, "md0"));
    EXPECT_TRUE(facts.partitions.empty());
    EXPECT_TRUE(facts.events.empty());
    ASSERT_EQ(facts.conflicts.size(), 1U);
    EXPECT_EQ(facts.conflicts[0].values.at(0).value, "a component of md0");
}

}  // namespace
}  // namespace diskwright
