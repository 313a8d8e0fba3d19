// SPDX-License-Identifier: BSD-2-Clause
// What the labels of members say together: small differences of their counters, labels that another one has
// taken the place of, one unclean among clean ones; and whole members that are images of unknown size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "probes/capture/assemble.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/ondisk/discover.hpp"
#include "probes/support/text.hpp"
#include "tests/support/geom_metadata.hpp"
#include "tests/support/images.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/raidframe_label.hpp"

namespace diskwright {
namespace {

using test::MemorySource;

struct Member {
    std::uint32_t column, counter;
    bool clean = true;
};

HostFacts raidframe(const std::vector<Member>& members, std::uint32_t columns) {
    std::vector<std::unique_ptr<MemorySource>> disks;
    std::vector<ByteSource*> sources;
    for (std::size_t i = 0; i < members.size(); ++i) {
        test::RaidframeLabel label;
        label.num_columns = columns, label.column = members[i].column;
        label.mod_counter = members[i].counter, label.clean = members[i].clean ? 1 : 0;
        label.map_flags = 0;
        const auto bytes = test::write_label(label).bytes();
        disks.push_back(std::make_unique<MemorySource>("sd" + std::to_string(i) + "e",
                                                       std::vector<std::byte>(bytes.begin(), bytes.end()),
                                                       label.partition_size * 512));
        sources.push_back(disks.back().get());
    }
    HostFacts facts = discover(sources).facts;
    derive(facts);
    return facts;
}

std::vector<std::string> states(const HostFacts& facts) {
    std::vector<std::string> out;
    for (const Component& c : facts.volumes.at(0).components)
        out.emplace_back(c.state ? to_string(*c.state) : "unknown");
    return out;
}

using Words = std::vector<std::string>;

TEST(SetStates, CountersOfRaidframe) {
    for (const std::uint32_t newest : {21U, 22U, 23U}) {
        const auto behind = raidframe({{0, 20}, {1, newest}, {2, newest}}, 3);
        EXPECT_EQ(states(behind), (Words{"failed", "optimal", "optimal"}));
        EXPECT_TRUE(behind.volumes[0].state.is(VolumeState::degraded));
    }
    const auto one_ahead = raidframe({{0, 20}, {1, 22}, {2, 20}}, 3);
    EXPECT_EQ(states(one_ahead), (Words{"failed", "optimal", "failed"}));
    EXPECT_TRUE(one_ahead.volumes[0].state.is(VolumeState::failed));
}

TEST(SetStates, AnOldLabelOfAColumnInUse) {
    const auto facts = raidframe({{0, 29}, {1, 62}, {2, 62}, {0, 62}}, 3);
    EXPECT_EQ(states(facts), (Words{"optimal", "optimal", "optimal"}));
    EXPECT_TRUE(facts.volumes[0].state.is(VolumeState::optimal));
    EXPECT_EQ(facts.volumes[0].components[0].name, "sd3e");
    ASSERT_EQ(facts.unparsed.size(), 1U);
    EXPECT_EQ(facts.unparsed[0].source, "sd0e");
    EXPECT_TRUE(contains(facts.unparsed[0].reason, "column 0 of raid0"));
}

TEST(SetStates, ParityIsCleanWhenEveryLabelIs) {
    EXPECT_TRUE(raidframe({{0, 20}, {1, 20}, {2, 20}}, 3).volumes[0].parity_clean.is(true));
    for (std::uint32_t unclean = 0; unclean < 3; ++unclean) {
        std::vector<Member> members{{0, 20}, {1, 20}, {2, 20}};
        members[unclean].clean = false;
        EXPECT_FALSE(raidframe(members, 3).volumes[0].parity_clean) << unclean;
    }
}

TEST(SetStates, AMemberOfMdThatWasThrownOut) {
    std::vector<std::unique_ptr<MemorySource>> disks;
    std::vector<ByteSource*> sources;
    for (std::uint32_t i = 0; i < 3; ++i) {
        test::Md1 sb;
        sb.level = 5, sb.layout = 2, sb.chunk = 128, sb.disks = 3, sb.device = i;
        sb.roles = {0, 0xfffe, 2};
        sb.super_offset = 8, sb.data_offset = 2048, sb.size = sb.data_size = 8192;
        test::Bytes image(8 * MiB);
        image.copy(4096, sb.bytes());
        const auto bytes = image.bytes();
        disks.push_back(std::make_unique<MemorySource>(
            "sd" + std::to_string(i), std::vector<std::byte>(bytes.begin(), bytes.end()), bytes.size()));
        sources.push_back(disks.back().get());
    }
    HostFacts facts = discover(sources).facts;
    derive(facts);
    EXPECT_EQ(states(facts), (Words{"optimal", "failed", "optimal"}));
    EXPECT_TRUE(facts.volumes[0].state.is(VolumeState::degraded));
}

// An image file does not tell whether it is whole. A table that reaches further than it, and metadata in its
// last sector: the table is that of the stripe.
TEST(SetStates, ATableThatReachesFurtherThanAWholeMember) {
    constexpr std::uint16_t count = 3;
    constexpr std::uint64_t size = test::geom::provider;
    std::vector<std::unique_ptr<MemorySource>> disks;
    std::vector<ByteSource*> sources;
    for (std::uint16_t i = 0; i < count; ++i) {
        test::Bytes image(size);
        if (i == 0)
            test::write_mbr(image, 0,
                            {{0xa5, 63, static_cast<std::uint32_t>(count * (size / 512 - 64) - 63)}});
        auto writer = test::geom::stripe(3, i, count, 4096);
        const auto& metadata = writer.bytes();
        image.copy(size - 512, std::vector<std::byte>(metadata.begin(), metadata.end()));
        const auto bytes = image.bytes();
        disks.push_back(std::make_unique<MemorySource>("ada" + std::to_string(i),
                                                       std::vector<std::byte>(bytes.begin(), bytes.end())));
        sources.push_back(disks.back().get());
    }
    HostFacts facts = discover(sources).facts;
    derive(facts);
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_EQ(states(facts), (Words{"optimal", "optimal", "optimal"}));
    ASSERT_EQ(facts.partitions.size(), 1U);
    EXPECT_EQ(facts.partitions[0].parent, facts.volumes[0].name);
}

TEST(SetStates, BothHalvesOfAPairAreTooMany) {
    struct Row {
        const char* level;
        const char* kind;
        const char* layout;
        std::vector<int> lost;
        VolumeState state;
    };
    for (const Row& row : {Row{"10", "md", "near=2", {0, 1}, VolumeState::failed},
                           Row{"10", "md", "near=2", {0, 2}, VolumeState::degraded},
                           Row{"10", "md", "offset=2", {0, 1}, VolumeState::failed},
                           Row{"10", "md", "near=2", {3}, VolumeState::degraded},
                           Row{"1", "raidframe", "", {2, 3}, VolumeState::failed},
                           Row{"1", "raidframe", "", {1, 2}, VolumeState::degraded}}) {
        std::string components;
        for (int i = 0; i < 4; ++i) {
            const bool lost = std::find(row.lost.begin(), row.lost.end(), i) != row.lost.end();
            components += fmt::format(R"({}{{"name": "sd{}", "slot": {}, "state": "{}"}})", i ? ", " : "", i,
                                      i, lost ? "failed" : "optimal");
        }
        const std::string layout =
            *row.layout ? fmt::format(R"("layout": "{}", )", row.layout) : std::string{};
        auto facts = facts_from_text(
            fmt::format(R"({{"volumes": [{{"name": "s", "kind": "{}", "level": "{}", {}"columns": 4,
                "stripe_unit_bytes": 65536, "components_complete": true, "components": [{}]}}]}})",
                        row.kind, row.level, layout, components),
            "test");
        ASSERT_TRUE(facts) << facts.error().message;
        derive(*facts);
        EXPECT_TRUE(facts->volumes[0].state.is(row.state))
            << row.kind << " " << row.layout << " " << row.lost[0];
    }
}

}  // namespace
}  // namespace diskwright
