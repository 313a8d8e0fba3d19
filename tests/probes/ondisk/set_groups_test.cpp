// SPDX-License-Identifier: BSD-2-Clause
// Which members belong together when their metadata is not quite right: a label with one wrong number, two
// sets of one name, a set that holds an image of its own member, a member alone.
#include "probes/ondisk/set_groups.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "probes/capture/assemble.hpp"
#include "probes/ondisk/discover.hpp"
#include "probes/support/text.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/raidframe_label.hpp"

namespace diskwright {
namespace {

using test::Md1;
using test::RaidframeLabel;
using Words = std::vector<std::string>;

class Host {
 public:
    void add(const std::string& name, std::vector<std::byte> bytes, std::uint64_t size) {
        disks_.push_back(std::make_unique<test::MemorySource>(name, std::move(bytes), size));
    }
    void add(const RaidframeLabel& label) {
        const auto bytes = test::write_label(label).bytes();
        add(fmt::format("sd{}e", disks_.size()), {bytes.begin(), bytes.end()}, label.partition_size * 512);
    }
    void add(const Md1& superblock) {
        test::Bytes image(8 * MiB);
        image.copy(superblock.super_offset * 512, superblock.bytes());
        const auto bytes = image.bytes();
        add(fmt::format("sd{}", static_cast<char>('a' + disks_.size())), {bytes.begin(), bytes.end()},
            bytes.size());
    }
    HostFacts facts(bool whole_host = true) const {
        std::vector<ByteSource*> sources;
        for (const auto& disk : disks_) sources.push_back(disk.get());
        HostFacts out = discover(sources).facts;
        derive(out, whole_host);
        return out;
    }

 private:
    std::vector<std::unique_ptr<test::MemorySource>> disks_;
};

Words states(const Volume& v) {
    Words out;
    for (const Component& c : v.components)
        out.push_back((c.name.empty() ? "" : c.name + " ") +
                      std::string(c.state ? to_string(*c.state) : "unknown"));
    return out;
}

RaidframeLabel component(std::uint32_t column, std::uint32_t columns) {
    RaidframeLabel label;
    label.column = column, label.num_columns = columns, label.map_flags = 0;
    return label;
}

// RAIDframe compares all of these before it counts a component to a set; no checksum protects any.
TEST(SetGroups, AComponentWhoseLabelHasOneWrongNumber) {
    struct Row {
        std::string said;
        std::function<void(RaidframeLabel&)> damage;
    };
    for (const Row& row :
         std::initializer_list<Row>{{"Serial Number", [](auto& l) { l.serial_number ^= 1; }},
                                    {"Num Columns", [](auto& l) { l.num_columns = 7; }},
                                    {"sectPerSU", [](auto& l) { l.sect_per_su = 64; }},
                                    {"SUsPerPU", [](auto& l) { l.sus_per_pu = 3; }},
                                    {"SUsPerRU", [](auto& l) { l.sus_per_ru = 5; }},
                                    {"RAID Level", [](auto& l) { l.parity_config = '4'; }},
                                    {"Queue size", [](auto& l) { l.max_outstanding = 101; }},
                                    {"Autoconfig", [](auto& l) { l.autoconfigure = 0; }},
                                    {"Root partition", [](auto& l) { l.root_partition = 2; }},
                                    {"Last configured as unit", [](auto& l) { l.last_unit = 1; }},
                                    {"numBlocks", [](auto& l) { l.num_blocks -= 32; }}}) {
        SCOPED_TRACE(row.said);
        for (std::uint32_t odd = 0; odd < 4; ++odd) {
            Host host;
            for (std::uint32_t column = 0; column < 4; ++column) {
                RaidframeLabel label = component(column, 4);
                if (column == odd) row.damage(label);
                host.add(label);
            }
            const HostFacts facts = host.facts();
            ASSERT_EQ(facts.volumes.size(), 1U);
            EXPECT_EQ(facts.volumes[0].name, "raid0");
            EXPECT_TRUE(facts.volumes[0].state.is(VolumeState::degraded));
            Words expected;
            for (std::uint32_t column = 0; column < 4; ++column)
                expected.push_back(fmt::format("sd{}e {}", column, column == odd ? "failed" : "optimal"));
            EXPECT_EQ(states(facts.volumes[0]), expected);
            ASSERT_EQ(facts.damages.size(), 1U);
            EXPECT_TRUE(facts.damages[0].what.starts_with(fmt::format("sd{}e@0x4000: {} ", odd, row.said)))
                << facts.damages[0].what;
        }
    }
}

// What contradicts itself is told, and nothing is computed from it.
TEST(SetGroups, ASizeThatDoesNotFitItsComponentsIsNotBelieved) {
    Host host;
    for (std::uint32_t column = 0; column < 3; ++column) {
        RaidframeLabel label = component(column, 3);
        label.num_blocks = 131072 * 16;
        host.add(label);
    }
    const HostFacts facts = host.facts();
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_FALSE(facts.volumes[0].size_bytes);
    for (const Component& c : facts.volumes[0].components) EXPECT_FALSE(c.used_bytes);
    EXPECT_FALSE(facts.damages.empty());
}

// Two that differ: nobody can tell which one is right.
TEST(SetGroups, TwoLabelsThatDifferAreBothLeftAsTheyAre) {
    Host host;
    host.add(component(0, 2));
    RaidframeLabel other = component(1, 2);
    other.sus_per_ru = 2;
    host.add(other);
    const HostFacts facts = host.facts();
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_EQ(states(facts.volumes[0]), (Words{"sd0e optimal", "sd1e optimal"}));
    EXPECT_EQ(facts.damages.size(), 1U);
}

// A set of its own with the same numbers is none that lost its way: nothing is missing where it would go.
TEST(SetGroups, SetsThatAreTwinsStayApart) {
    Host host;
    for (const std::uint32_t unit : {0U, 1U})
        for (std::uint32_t column = 0; column < 3; ++column) {
            RaidframeLabel label = component(column, 3);
            label.last_unit = unit;
            host.add(label);
        }
    const HostFacts facts = host.facts();
    ASSERT_EQ(facts.volumes.size(), 2U);
    for (const Volume& v : facts.volumes) EXPECT_TRUE(v.state.is(VolumeState::optimal)) << v.name;
    EXPECT_TRUE(facts.damages.empty());
}

// Which of two sets gets the name is not known: neither is named in a command.
TEST(SetGroups, TwoSetsThatClaimOneName) {
    Host host;
    for (const std::uint32_t serial : {111U, 222U})
        for (std::uint32_t column = 0; column < 3; ++column) {
            RaidframeLabel label = component(column, 3);
            label.serial_number = serial, label.config_order = serial;
            host.add(label);
        }
    const HostFacts facts = host.facts();
    ASSERT_EQ(facts.volumes.size(), 2U);
    EXPECT_EQ(facts.volumes[0].name, "raid0?1");
    EXPECT_EQ(facts.volumes[1].name, "raid0?2");
    ASSERT_EQ(facts.unparsed.size(), 1U);
    EXPECT_EQ(facts.unparsed[0].source, "raid0");
}

// A backup of a member, stored in the very set.
TEST(SetGroups, NoSetIsAComponentOfItself) {
    Md1 member;
    member.level = 1, member.layout = 0, member.chunk = 0, member.disks = 2, member.roles = {0, 1};
    member.data_offset = 2048, member.size = member.data_size = 12288, member.super_offset = 8;
    Md1 copy = member;
    copy.device = 0, copy.size = copy.data_size = 8192;
    Host host;
    for (std::uint32_t i = 0; i < 2; ++i) {
        member.device = i;
        test::Bytes image(8 * MiB);
        image.copy(4096, member.bytes());
        image.copy(2048 * 512 + 4096, copy.bytes());
        const auto bytes = image.bytes();
        host.add(i == 0 ? "sda" : "sdb", {bytes.begin(), bytes.end()}, bytes.size());
    }
    const HostFacts facts = host.facts();
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_EQ(states(facts.volumes[0]), (Words{"sda optimal", "sdb optimal"}));
    EXPECT_TRUE(facts.damages.empty());
    ASSERT_EQ(facts.unparsed.size(), 1U);
    EXPECT_EQ(facts.unparsed[0].source, "md0");
    EXPECT_TRUE(contains(facts.unparsed[0].reason, "a copy, and no component")) << facts.unparsed[0].reason;
}

// The superblock of one member tells which others served when it was written.
TEST(SetGroups, OneMemberOfMdAlone) {
    struct Row {
        std::vector<std::uint16_t> roles;
        std::uint32_t device;
        std::optional<VolumeState> state;
        Words components;
    };
    for (const Row& row : std::initializer_list<Row>{
             {{0, 1, 2}, 1, {}, {"sda optimal"}},
             {{0, 1, 0xfffe}, 1, VolumeState::degraded, {"sda optimal", "missing"}},
             {{0xfffe, 1, 0xfffe}, 1, VolumeState::failed, {"missing", "sda optimal", "missing"}},
             {{0, 1, 2, 0xffff}, 3, {}, {"sda spare"}}}) {
        Md1 member;
        member.device = row.device, member.roles = row.roles;
        Host host;
        host.add(member);
        const HostFacts facts = host.facts(false);
        ASSERT_EQ(facts.volumes.size(), 1U);
        const Volume& set = facts.volumes[0];
        EXPECT_EQ(set.state ? std::optional(*set.state) : std::nullopt, row.state);
        EXPECT_EQ(states(set), row.components);
        // Where no disk is missing among the inputs, what is not there is lost.
        EXPECT_TRUE(host.facts(true).volumes[0].state.is(VolumeState::failed));
    }
}

}  // namespace
}  // namespace diskwright
