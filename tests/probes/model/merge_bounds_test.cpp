// SPDX-License-Identifier: BSD-2-Clause
// A hostile listing has more elements than any host: what is kept is bounded, and what is left out is said.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "probes/capture/assemble.hpp"
#include "probes/model/host_facts.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

Result<HostFacts> facts_of(std::string text) {
    Capture capture;
    capture.documents.push_back({"input.txt", std::move(text), {}});
    return assemble(capture, {});
}

TEST(MergeBounds, AMillionMountsAreCutAndItIsSaid) {
    std::string text;
    for (int i = 0; i < 5000; ++i)
        text += fmt::format("/dev/wd{}a on /mnt/{} type ffs (log, noatime, local)\n", i, i);
    const auto facts = facts_of(text);
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->mounts.size(), 4096U);
    const auto said = std::find_if(facts->unparsed.begin(), facts->unparsed.end(), [](const Unparsed& u) {
        return contains(u.reason, "more than 4096 mounts") && u.source == "input.txt" && u.first_line == 1 &&
               u.last_line == 5000;
    });
    EXPECT_NE(said, facts->unparsed.end());
}

TEST(MergeBounds, ALongListingIsKeptWholeWithOneElementForEachName) {
    std::string text;
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 3000; ++i)
            text += fmt::format("/dev/wd{}a on /mnt/{} type ffs (log, local)\n", i, i);
    const auto facts = facts_of(text);
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->mounts.size(), 3000U);
    EXPECT_TRUE(facts->unparsed.empty());
}

TEST(MergeBounds, UnparsedLinesAreCutAndTheLastRowSaysSo) {
    HostFacts into;
    for (std::uint32_t i = 1; i <= 10000; ++i) {
        HostFacts later;
        later.unparsed.push_back({"input.txt", i, i, "strange"});
        merge(into, std::move(later));
    }
    ASSERT_EQ(into.unparsed.size(), 4096U);
    EXPECT_EQ(into.unparsed.front().reason, "strange");
    EXPECT_TRUE(contains(into.unparsed.back().reason, "no longer listed"));
}

TEST(MergeBounds, MergedElementsAreFoundInShortAndLongLists) {
    for (const int count : {3, 100}) {
        HostFacts into, later;
        for (int i = 0; i < count; ++i) disk(into, fmt::format("wd{}", i)).size_bytes = Number(1, {});
        for (int i = 0; i < count; ++i) disk(later, fmt::format("wd{}", i)).rpm = Number(7200, {});
        disk(later, "sd0");
        merge(into, std::move(later));
        ASSERT_EQ(into.disks.size(), static_cast<std::size_t>(count) + 1);
        EXPECT_TRUE(into.disks.front().size_bytes && into.disks.front().rpm);
        EXPECT_EQ(into.disks.back().name, "sd0");
    }
}

TEST(SameDevice, SpellingsThatDifferInFrontOfTheLastPart) {
    EXPECT_TRUE(same_device("/dev/rwd0a", "wd0a"));
    EXPECT_TRUE(same_device("mirror/gm0", "gm0"));
    EXPECT_TRUE(same_device("/dev/mirror/gm0", "gm0"));
    EXPECT_TRUE(same_device("/dev/wd0/", "wd0/"));
    EXPECT_FALSE(same_device("mirror/gm0", "stripe/gm0"));
    EXPECT_FALSE(same_device("wd0", "wd10"));
    EXPECT_FALSE(same_device("swd0", "wd0"));
    EXPECT_FALSE(same_device("", "wd0"));
}

}  // namespace
}  // namespace diskwright
