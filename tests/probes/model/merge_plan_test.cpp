// SPDX-License-Identifier: BSD-2-Clause
// A raid.conf beside the set that runs: the set keeps its values, and a difference is a contradiction.
#include <gtest/gtest.h>

#include <algorithm>

#include "probes/model/host_facts.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

HostFacts parse(std::vector<std::string> argv, std::string_view text) {
    Output out;
    out.source = "-";
    out.argv = std::move(argv);
    std::uint32_t number = 1;
    for (const auto line : split_lines(text)) out.lines.push_back({std::string(line), ++number});
    HostFacts facts;
    for (auto& section : parse_output(out).sections) merge(facts, std::move(section.facts));
    return facts;
}

HostFacts file(std::string unit, std::string level) {
    return parse({"cat", "/etc/raid0.conf"},
                 "START array\n1 2 0\nSTART disks\n/dev/wd0e\n/dev/wd1e\nSTART layout\n" + unit + " 1 1 " +
                     level + "\n");
}

HostFacts running(std::string sector) {
    return parse(
        {"raidctl", "-s", "raid0"},
        "Components:\n  /dev/wd0e: optimal\n  component1: failed\nNo spares.\n"
        "Component label for /dev/wd0e:\n   Row: 0, Column: 0, Num Rows: 1, Num Columns: 2\n"
        "   Version: 2, Serial Number: 1, Mod Counter: 7\n   sectPerSU: 64, SUsPerPU: 1, SUsPerRU: 1\n"
        "   Queue size: 100, blocksize: " +
            sector + ", numBlocks: 1048576\n   RAID Level: 1\nParity status: clean\n");
}

std::size_t contradictions(const HostFacts& facts) {
    return static_cast<std::size_t>(std::count_if(facts.conflicts.begin(), facts.conflicts.end(),
                                                  [](const Conflict& c) { return !c.superseded; }));
}

TEST(MergePlan, SetThatWasSeenWinsInEitherOrder) {
    for (const bool plan_first : {true, false}) {
        HostFacts facts = plan_first ? file("128", "1") : running("512");
        merge(facts, plan_first ? running("512") : file("128", "1"));
        ASSERT_EQ(facts.volumes.size(), 1U);
        const Volume& set = facts.volumes[0];
        EXPECT_TRUE(set.stripe_unit_bytes.is(32768));
        EXPECT_FALSE(set.from_configuration);
        ASSERT_EQ(set.components.size(), 2U);
        EXPECT_TRUE(set.components[1].state.is(ComponentState::failed));
        ASSERT_EQ(contradictions(facts), 1U);
        EXPECT_EQ(facts.conflicts[0].what, "volumes.raid0.stripe_unit_bytes");
    }
}

TEST(MergePlan, SameValuesDoNotContradict) {
    HostFacts facts = running("4096");
    merge(facts, file("64", "1"));
    EXPECT_EQ(contradictions(facts), 0U) << "64 sectors of 4096 bytes on both sides";
    EXPECT_TRUE(facts.volumes[0].stripe_unit_bytes.is(std::uint64_t{64} * 4096));
}

TEST(MergePlan, WhatWasNotSeenComesFromTheFile) {
    HostFacts facts = parse({"raidctl", "-p", "raid0"}, "/dev/rraid0d: Parity status: DIRTY\n");
    merge(facts, file("64", "5"));
    const Volume& set = facts.volumes[0];
    EXPECT_TRUE(set.level.is(RaidLevel::raid5));
    EXPECT_TRUE(set.parity_clean.is(false));
    EXPECT_EQ(set.components.size(), 2U);
    EXPECT_EQ(contradictions(facts), 0U);
}

}  // namespace
}  // namespace diskwright
