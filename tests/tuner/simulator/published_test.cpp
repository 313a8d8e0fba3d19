// SPDX-License-Identifier: BSD-2-Clause
// Those rows of the published tables that are quick and hold (cmake --build build --target
// benchmark-published prints all).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/published.hpp"

namespace diskwright {
namespace {

const std::string folder = std::string(DISKWRIGHT_SOURCE_DIR) + "/tests/data/simulator/published";

bool same(const std::string& name, const char* word) {
    return name.find(word) != std::string::npos;
}

// What NetBSD's own code asked for each time that a directory was synced, within 3 %.
TEST(Published, AnFsyncEachTimeCostsSoManyWritesAndFlushes) {
    const auto tables = fsync_tables(folder);
    unsigned rows = 0;
    for (std::size_t table = 0; table < 2; ++table)
        for (const PublishedRow& row : tables[table].rows) {
            if (!same(row.name, "B-wce1")) continue;
            SCOPED_TRACE(row.name);
            const auto simulated = row.simulate();
            ASSERT_TRUE(simulated) << simulated.error().message;
            EXPECT_NEAR(*simulated, row.measured(), 0.03 * row.measured());
            ++rows;
        }
    EXPECT_EQ(rows, 15U);
}

// Without a log nothing depends on when the syncer comes round: each within a factor of 2.
TEST(Published, TouchAndRemoveWithoutALog) {
    const auto tables = seed_tables(folder);
    unsigned rows = 0;
    for (const PublishedRow& row : tables[0].rows) {
        if (!same(row.name, "no log, touchrm")) continue;
        SCOPED_TRACE(row.name);
        const auto simulated = row.simulate();
        ASSERT_TRUE(simulated) << simulated.error().message;
        EXPECT_GE(*simulated, row.low / 2);
        EXPECT_LE(*simulated, row.high * 2);
        ++rows;
    }
    EXPECT_EQ(rows, 3U);
}

TEST(Published, VolumesHoldTheirBars) {
    unsigned tables = 0;
    for (const PublishedTable& table : volume_tables(folder)) {
        if (!same(table.title, "gstripe") && !same(table.title, "raidctl(8)") &&
            !same(table.title, "md RAID 6"))
            continue;
        SCOPED_TRACE(table.title);
        const JudgedTable judged = judge(table);
        EXPECT_TRUE(judged.broken.empty()) << rendered(table, judged);
        ++tables;
    }
    EXPECT_EQ(tables, 3U);
}

TEST(Published, BarsAreJudged) {
    PublishedTable table;
    const auto add = [&](const char* name, double low, double high, double simulated) {
        table.rows.push_back({name, "", low, high, [simulated]() -> Result<double> { return simulated; }});
    };
    add("a", 1, 2, 4);
    add("b", 10, 10, 3);
    add("c", 20, 20, 40);
    table.bar = {2.5, 0.9, true, 1, PublishedTable::Bar::Relative{0, 2}};
    const JudgedTable judged = judge(table);
    EXPECT_EQ(judged.factors[0], 2);
    EXPECT_NEAR(judged.factors[1], 10.0 / 3, 1e-9);
    ASSERT_TRUE(judged.rank);
    EXPECT_NEAR(*judged.rank, 0.5, 1e-9);
    const auto says = [&](const char* word) {
        return std::any_of(judged.broken.begin(), judged.broken.end(),
                           [&](const std::string& what) { return same(what, word); });
    };
    EXPECT_TRUE(says("b: factor 3.33"));
    EXPECT_TRUE(says("rank correlation 0.50"));
    EXPECT_TRUE(says("b not above a"));
    EXPECT_TRUE(says("the best, a, is number 2"));
    EXPECT_TRUE(says("b against a: off by"));
    EXPECT_FALSE(says("a: factor"));
}

}  // namespace
}  // namespace diskwright
