// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/measured_choice.hpp"

#include <gtest/gtest.h>

#include "advisor/commissioning/machine_facts.hpp"
#include "advisor/commissioning/preset.hpp"

namespace diskwright {
namespace {

Landscape landscape() {
    auto read = landscape_from_json(R"({
        "parameters": [{"name": "sectPerSU", "scale": "log2", "values": [8, 32]},
                       {"name": "bsize", "scale": "log2", "values": [16384, 65536]},
                       {"name": "log", "scale": "choice", "values": [0, 1]}],
        "objective": {"name": "x_s", "direction": "min"},
        "default": {"sectPerSU": 32, "bsize": 16384, "log": 0},
        "rows": [{"sectPerSU": 8, "bsize": 16384, "log": 0, "x_s": 1},
                 {"sectPerSU": 8, "bsize": 65536, "log": 1, "x_s": 2},
                 {"sectPerSU": 32, "bsize": 16384, "log": 1, "x_s": 3}]})",
                                    "l.json", Rows::wanted);
    EXPECT_TRUE(read) << read.error().message;
    return *read;
}

TEST(MeasuredChoice, PointsWithoutLogAreLeftOut) {
    const auto safe = plannable(landscape(), false);
    ASSERT_TRUE(safe) << safe.error().message;
    EXPECT_EQ(safe->space.size(), 4U);
    EXPECT_EQ(safe->rows, (std::map<Point, double>{{{0, 1, 0}, 2}, {{1, 0, 0}, 3}}));
    EXPECT_EQ(safe->default_point, (Point{1, 0, 0}));
    EXPECT_EQ(safe->space.value(*safe->default_point, 2).number, 1);
}

TEST(MeasuredChoice, CoarseFragmentsAreNotForSmallFiles) {
    auto read = landscape_from_json(R"({
        "parameters": [{"name": "fsize", "scale": "log2", "values": [2048, 8192, 65536]}],
        "objective": {"name": "x_s", "direction": "min"}, "default": {"fsize": 65536},
        "rows": [{"fsize": 2048, "x_s": 3}, {"fsize": 8192, "x_s": 2}, {"fsize": 65536, "x_s": 1}]})",
                                    "l.json", Rows::wanted);
    ASSERT_TRUE(read);
    EXPECT_EQ(plannable(*read, false)->rows.size(), 3U);
    const auto fine = plannable(*read, true);
    EXPECT_EQ(fine->rows, (std::map<Point, double>{{{0}, 3}, {{1}, 2}}));
    EXPECT_EQ(fine->default_point, Point{1}) << "the nearest that stays";
}

TEST(MeasuredChoice, OfTheBestPointWithItsReason) {
    const Landscape from = landscape();
    const TrialSource source{"", from.space, from.objective, from.default_point, nullptr, false, 0};
    Verification check;
    check.best = {{0, 1, 1}, {2, 2.1, 1.9}, 2, 0.1};
    check.reference = {{1, 0, 1}, {8, 8, 8}, 8, 0};
    check.reference_is = "the default";
    const auto choice = measured_choice(source, check);
    EXPECT_EQ(choice.stripe_unit_bytes, 4096U);
    EXPECT_EQ(choice.bsize, 65536U);
    EXPECT_FALSE(choice.fsize) << "the space has no such parameter";
    EXPECT_EQ(choice.reason,
              "by the trials: x_s 2 s (spread 0.1) against 8 s (spread 0) for the default, 3 runs each");
}

TEST(NewServer, HasTheDisksAndNothingElse) {
    const auto preset = bundled_preset("netbsd-raid5");
    ASSERT_TRUE(preset);
    const HostFacts old = facts_of(preset->machine, "p");
    const auto fresh = new_server(old, "5", 65536);
    ASSERT_TRUE(fresh) << fresh.error().message;
    EXPECT_EQ(fresh->disks, old.disks);
    EXPECT_TRUE(fresh->filesystems.empty());
    EXPECT_TRUE(fresh->mounts.empty());
    ASSERT_EQ(fresh->volumes.size(), 1U);
    EXPECT_TRUE(fresh->volumes[0].stripe_unit_bytes.is(65536));
    EXPECT_FALSE(new_server(old, "6", std::nullopt)) << "RAIDframe has no level 6 to make";
}

TEST(PointOf, FindsThePlanInTheSpace) {
    const auto preset = bundled_preset("netbsd-raid5");
    const auto server = new_server(facts_of(preset->machine, "p"), "5", 16384);
    Intent intent;
    intent.new_set = true;
    intent.bsize = 65536;
    intent.measured = "as asked";
    const auto plan = plan_filesystem(*server, intent);
    ASSERT_TRUE(plan) << plan.error().message;
    const Landscape space = landscape();
    EXPECT_EQ(point_of(*plan, space.space, std::nullopt), (Point{1, 1, 1}));
    const auto other = new_server(facts_of(preset->machine, "p"), "5", 32768);
    const auto other_plan = plan_filesystem(*other, intent);
    ASSERT_TRUE(other_plan);
    EXPECT_EQ(point_of(*other_plan, space.space, std::nullopt), std::nullopt)
        << "sectPerSU 64 is not in the space";
}

}  // namespace
}  // namespace diskwright
