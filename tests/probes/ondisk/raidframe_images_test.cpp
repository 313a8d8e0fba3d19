// SPDX-License-Identifier: BSD-2-Clause
// Components that NetBSD's RAIDframe wrote (tests/data/images/raidframe), beside what raidctl printed of the
// set at that stage: the bytes and the text must give the same facts.
//   CASE.STAGE.N.gz     head of the N-th component, /dev/sdNe of the set
//   CASE.STAGE.txt      raidctl -s
//   CASE.STAGE.map.txt  raidctl -m
// The heads were taken after that, with the set closed. So the counters may have gone on, and a label says
// "Clean: Yes" where the open set had clean parity.
#include <gtest/gtest.h>

#include "probes/ondisk/discover.hpp"
#include "probes/ondisk/formats.hpp"
#include "tests/support/files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/same_facts.hpp"

namespace diskwright {
namespace {

namespace fs = std::filesystem;

struct Stage {
    std::string name;
    std::vector<fs::path> heads;
    Volume set;  // as printed
    bool map_printed = false;
};

fs::path folder() {
    return test::data_folder() / "images/raidframe";
}

Volume printed(const std::string& stage) {
    std::string text = test::read_file(folder() / (stage + ".txt"));
    auto facts = test::facts_of_output({"raidctl", "-s", "raid0"}, text);
    EXPECT_EQ(facts.volumes.size(), 1U);
    Volume set = facts.volumes.at(0);
    if (const auto map = folder() / (stage + ".map.txt"); fs::exists(map)) {
        facts = test::facts_of_output({"raidctl", "-m", "raid0"}, test::read_file(map));
        set.parity_map = facts.volumes.at(0).parity_map;
    }
    return set;
}

std::vector<Stage> stages() {
    std::vector<Stage> out;
    for (const auto& path : test::entries(folder())) {
        const std::string file = path.filename().string();
        if (!file.ends_with(".txt") || file.ends_with(".map.txt")) continue;
        Stage stage{path.stem().string(), {}, printed(path.stem().string()), false};
        stage.map_printed = fs::exists(folder() / (stage.name + ".map.txt"));
        for (int i = 0;; ++i) {
            auto head = folder() / (stage.name + "." + std::to_string(i) + ".gz");
            if (!fs::exists(head)) break;
            stage.heads.push_back(std::move(head));
        }
        out.push_back(std::move(stage));
    }
    return out;
}

Found read_head(const fs::path& head, const std::string& name) {
    test::MemorySource source(name, test::stored_image("raidframe/" + head.filename().string()));
    Found found;
    const auto read = read_raidframe_label(source, found);
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read && *read);
    EXPECT_EQ(found.damage, std::vector<std::string>{});
    EXPECT_LE(source.reads, 2U);
    EXPECT_LE(source.bytes_read, 1024U);
    return found;
}

const Component* printed_component(const Volume& set, std::size_t index) {
    const std::string name = "/dev/sd" + std::to_string(index) + "e";
    for (const Component& c : set.components)
        if (device_name(c.name) == device_name(name)) return &c;
    return nullptr;
}

// What the listing says of the running set and no label of one component can.
Volume of_labels_only(Volume set) {
    set.components.clear();
    set.components_complete.reset();
    set.state.reset(), set.spares.reset(), set.parity_clean.reset();
    return set;
}

void expect_same(const Member& member, const Component& text) {
    // A column whose component failed keeps its number when a spare holds its data.
    EXPECT_TRUE(member.column);
    EXPECT_TRUE(text.role.is("spare") || text.slot.is(member.column.value_or(99)));
    if (!text.events) return;  // raidctl skips the labels of what has failed, and of idle spares
    EXPECT_TRUE(text.data_offset_bytes.is(member.data_offset_bytes));
    EXPECT_TRUE(text.used_bytes.is(member.data_bytes.value_or(0)));
    EXPECT_GE(member.events.value_or(0), *text.events);
    EXPECT_EQ(member.state, ComponentState::optimal);
}

TEST(RaidframeImages, BytesAndRaidctlGiveTheSameFacts) {
    std::size_t heads = 0;
    for (const Stage& stage : stages()) {
        for (std::size_t i = 0; i < stage.heads.size(); ++i, ++heads) {
            SCOPED_TRACE(stage.heads[i].filename().string());
            const std::string name = "sd" + std::to_string(i) + "e";
            const Found found = read_head(stage.heads[i], name);
            ASSERT_EQ(found.members.size(), 1U);
            const Member& member = found.members[0];
            EXPECT_EQ(member.device, name);
            EXPECT_TRUE(found.facts.os.name.is(Os::netbsd));
            const Component* text = printed_component(stage.set, i);
            ASSERT_NE(text, nullptr);
            expect_same(member, *text);
            if (!text->events) continue;
            Volume bytes = of_labels_only(member.set);
            if (!stage.map_printed) bytes.parity_map.reset();
            EXPECT_EQ(test::missing_values(of_labels_only(stage.set), bytes), std::vector<std::string>{});
            EXPECT_EQ(test::missing_values(bytes, of_labels_only(stage.set)), std::vector<std::string>{});
            EXPECT_TRUE(!member.set.parity_clean || stage.set.parity_clean.is(*member.set.parity_clean));
        }
    }
    EXPECT_GE(heads, 85U);
}

// One identity for the components of a set, and their counters tell which were left behind.
TEST(RaidframeImages, StaleComponentsAreBehind) {
    std::size_t stale = 0;
    for (const Stage& stage : stages()) {
        SCOPED_TRACE(stage.name);
        std::string identity;
        std::uint64_t newest = 0;
        std::vector<std::uint64_t> counters;
        for (const auto& head : stage.heads) {
            const Found found = read_head(head, "sd0e");
            const Member& m = found.members.at(0);
            if (identity.empty()) identity = m.identity;
            EXPECT_EQ(m.identity, identity);
            counters.push_back(m.events.value_or(0));
            newest = std::max(newest, counters.back());
        }
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const Component* text = printed_component(stage.set, i);
            ASSERT_NE(text, nullptr);
            const bool serves =
                text->state.is(ComponentState::optimal) || text->state.is(ComponentState::used_spare);
            EXPECT_EQ(counters[i] == newest, serves) << i;
            stale += serves ? 0 : 1;
        }
    }
    EXPECT_GE(stale, 6U);
}

// 64 sectors of the component's own size are reserved, the label stays at 16384 all the same.
TEST(RaidframeImages, ReservedAreaFollowsTheSector) {
    const Found found = read_head(folder() / "r5-n3-4ksect.clean.2.gz", "sd2e");
    const Member& m = found.members.at(0);
    EXPECT_EQ(m.data_offset_bytes, 262144U);
    EXPECT_EQ(m.data_bytes, 16320U * 4096);
    EXPECT_TRUE(m.set.logical_sector_bytes.is(4096));
    EXPECT_TRUE(m.set.stripe_unit_bytes.is(8 * 4096));
    EXPECT_EQ(m.from.source(), "sd2e@0x4000");
    EXPECT_EQ(m.from.kind(), Provenance::Kind::device);
    EXPECT_EQ(m.set.stripe_unit_bytes.from().source(), "sd2e@0x4024");
}

// From heads alone: the set is whole, and that the images end early is no damage.
TEST(RaidframeImages, SetsArePutTogether) {
    std::vector<test::MemorySource> sources;
    sources.reserve(5);
    std::vector<ByteSource*> disks;
    for (int i = 4; i >= 0; --i) {
        sources.emplace_back(
            "sd" + std::to_string(i) + "e",
            test::stored_image("raidframe/r4-n5-spsu64.configured." + std::to_string(i) + ".gz"));
        disks.push_back(&sources.back());
    }
    const Discovery all = discover(disks);
    EXPECT_TRUE(all.facts.damages.empty());
    EXPECT_TRUE(all.unrecognised.empty());
    ASSERT_EQ(all.facts.volumes.size(), 1U);
    const Volume& set = all.facts.volumes[0];
    EXPECT_EQ(set.name, "raid0");
    EXPECT_TRUE(set.size_bytes.is(131008ULL * 512 * 4));
    ASSERT_EQ(set.components.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(set.components[i].name, "sd" + std::to_string(i) + "e");
        EXPECT_TRUE(set.components[i].state.is(ComponentState::optimal));
        EXPECT_FALSE(set.components[i].size_bytes);
    }
}

}  // namespace
}  // namespace diskwright
