// SPDX-License-Identifier: BSD-2-Clause
// HOST001 and RAID018 on what merging recorded: conflicts stand beside the facts and have no place in the
// tables of rules.
#include <gtest/gtest.h>

#include <algorithm>

#include "rules/rule.hpp"

namespace diskwright {
namespace {

Provenance line(std::uint32_t number) {
    return Provenance("input.txt", number, "line");
}

Conflict conflict(std::string what, std::string subject, bool superseded, std::string a, std::string b) {
    return {
        std::move(what), std::move(subject), superseded, {{std::move(a), line(1)}, {std::move(b), line(2)}}};
}

std::vector<std::string> subjects(const HostFacts& facts, std::string_view code) {
    std::vector<std::string> out;
    for (const Finding& f : judge(facts).findings)
        if (f.code == code) out.push_back(f.subject);
    return out;
}

using Subjects = std::vector<std::string>;

TEST(SourcesDisagree, LastingFactsOfADisk) {
    HostFacts facts;
    facts.conflicts.push_back(
        conflict("disks.wd1.size_bytes", "wd1", false, "500107862016", "1000204886016"));
    facts.conflicts.push_back(conflict("disks.wd1.rpm", "wd1", false, "7200", "5400"));
    EXPECT_EQ(subjects(facts, "HOST001"), Subjects{"wd1"});
    facts.conflicts.front().superseded = facts.conflicts.back().superseded = true;
    EXPECT_TRUE(subjects(facts, "HOST001").empty());
}

TEST(SourcesDisagree, RoundedSizesAndCutModelsAgree) {
    HostFacts facts;
    facts.conflicts.push_back(
        conflict("disks.sda.size_bytes", "sda", false, "4000787030016", "3958241859993"));
    facts.conflicts.push_back(
        conflict("disks.sda.model", "sda", false, "ATA ST2000DL003-9VT1", "ST2000DL003-9VT166"));
    EXPECT_TRUE(subjects(facts, "HOST001").empty());
    facts.conflicts.push_back(
        conflict("disks.sda.model", "sda", false, "ST2000DL003-9VT166", "WDC WD20EARS-00S8B1"));
    EXPECT_EQ(subjects(facts, "HOST001"), Subjects{"sda"});
}

// A raidctl -s that saw a component fail, and the label on it that nobody told.
TEST(SourcesDisagree, AFailureThatTheLabelDoesNotKnow) {
    HostFacts facts;
    volume(facts, "raid0").kind = Known<VolumeKind>(VolumeKind::raidframe, line(1));
    Conflict c = conflict("volumes.raid0.components.sd1e.state", "raid0", true, "failed", "optimal");
    facts.conflicts.push_back(c);
    EXPECT_TRUE(subjects(facts, "HOST001").empty()) << "two listings at two moments";
    facts.conflicts[0].values[1].from =
        Provenance("sd1e@0x4000", 0, "component label", Provenance::Kind::device);
    const auto judgement = judge(facts);
    const auto found = std::find_if(judgement.findings.begin(), judgement.findings.end(),
                                    [](const Finding& f) { return f.code == "HOST001"; });
    ASSERT_NE(found, judgement.findings.end());
    EXPECT_NE(found->message.find("two sources disagree, input.txt and sd1e"), std::string::npos)
        << "no configuration file is among them: " << found->message;
}

TEST(SourcesDisagree, ConfigurationAgainstLabels) {
    HostFacts facts;
    Volume& set = volume(facts, "raid0");
    set.kind = Known<VolumeKind>(VolumeKind::raidframe, line(1));
    facts.conflicts.push_back(conflict("volumes.raid0.stripe_unit_bytes", "raid0", true, "16384", "32768"));
    EXPECT_TRUE(subjects(facts, "HOST001").empty()) << "two listings of a set at two moments";
    set.from_configuration = Text("raid0.conf", line(3));
    EXPECT_EQ(subjects(facts, "HOST001"), Subjects{"raid0"});
    facts.conflicts.front().what = "volumes.raid0.state";
    EXPECT_TRUE(subjects(facts, "HOST001").empty()) << "states change";
}

TEST(SourcesDisagree, TwoSystems) {
    HostFacts facts;
    facts.conflicts.push_back(conflict("os.name", "", true, "netbsd", "linux"));
    EXPECT_EQ(subjects(facts, "HOST001"), Subjects{"os"});
}

TEST(VolumeGrown, WidthOfAnEarlierListing) {
    HostFacts facts;
    constexpr std::uint64_t chunk = 524288;
    Volume& set = volume(facts, "md0");
    set.kind = Known<VolumeKind>(VolumeKind::md, line(1));
    set.level = Known<RaidLevel>(RaidLevel::raid5, line(1));
    set.state = Known<VolumeState>(VolumeState::optimal, line(1));
    set.stripe_unit_bytes = Number(chunk, line(1));
    set.columns = Number(5, line(1));
    set.data_disks = Number(4, line(1));
    Filesystem& fs = filesystem(facts, "md0");
    fs.type = Text("xfs", line(2));
    fs.sunit_bytes = Number(chunk, line(2));
    fs.swidth_bytes = Number(3 * chunk, line(2));
    EXPECT_EQ(subjects(facts, "RAID010"), Subjects{"md0"});
    facts.conflicts.push_back(conflict("volumes.md0.columns", "md0", true, "4", "5"));
    EXPECT_TRUE(subjects(facts, "RAID010").empty());
    EXPECT_EQ(subjects(facts, "RAID018"), Subjects{"md0"});
}

}  // namespace
}  // namespace diskwright
