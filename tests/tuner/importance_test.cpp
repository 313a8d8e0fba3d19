// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/importance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/spaces.hpp"
#include "tuner/optimizers/optimizers.hpp"

namespace diskwright {
namespace {

std::vector<Trial> random_trials(const SearchSpace& space, const test::ValueOf& value, std::size_t count) {
    return test::search(*make_random_search(space, {3, true, {}}), value, count);
}

TEST(Importance, SharesFollowWhatAParameterDoes) {
    const auto space = test::grid(3, 8);
    const auto trials = random_trials(
        space,
        [&](const Point& point) {
            return std::exp(2 * test::number(space, point, 0) + test::number(space, point, 2));
        },
        40);
    const auto shares = parameter_importance(space, trials, true);
    ASSERT_TRUE(shares);
    EXPECT_NEAR(std::accumulate(shares->begin(), shares->end(), 0.0), 1, 1e-9);
    EXPECT_NEAR(shares->at(0), 0.8, 0.08);  // variances 4 : 0 : 1
    EXPECT_NEAR(shares->at(1), 0, 0.02);
    EXPECT_NEAR(shares->at(2), 0.2, 0.08);
}

TEST(Importance, TooLittleToTell) {
    const auto space = test::grid(4, 4);
    const auto value = [](const Point& point) { return 1.0 + point[0]; };
    EXPECT_FALSE(parameter_importance(space, random_trials(space, value, 5), true));
    EXPECT_TRUE(parameter_importance(space, random_trials(space, value, 6), true));
    EXPECT_FALSE(parameter_importance(space,
                                      random_trials(
                                          space, [](const Point&) { return 2.0; }, 30),
                                      true));
    EXPECT_FALSE(parameter_importance(space, {}, true));
    EXPECT_FALSE(outlook(space, {}, true));
}

TEST(Outlook, KnowsWhereBetterIsLikely) {
    const auto space = test::grid(1, 20);
    std::vector<Trial> trials = random_trials(
        space,
        [](const Point& point) -> std::optional<double> {
            if (point[0] > 15) return std::nullopt;
            return 100 - 5.0 * point[0];
        },
        12);
    const auto invalid = std::erase_if(trials, [](const Trial& trial) { return !trial.value; });
    EXPECT_GT(invalid, 0U);
    const auto less = outlook(space, trials, true), more = outlook(space, trials, false);
    ASSERT_TRUE(less && more);
    EXPECT_EQ(less->untried, 21 - trials.size());
    EXPECT_GT(less->best_guess.at(0), 15U);
    EXPECT_GT(less->chance, 0.5);
    EXPECT_GT(less->chance, more->chance);
    EXPECT_GT(less->promising, more->promising);
}

TEST(Outlook, ALongSearchRemembersItsBest) {
    const auto space = test::grid(2, 30);
    // It comes first, and what is left is better than all but that.
    const auto value = [](const Point& point) { return point == Point{0, 0} ? 100.0 : 200.0 - point[0]; };
    const auto trials = test::search(*make_exhaustive(space, {}), value, 900);
    const auto view = outlook(space, trials, true);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->untried, 61U);
    EXPECT_EQ(view->promising, 0U);
    EXPECT_LT(view->chance, 0.01);
}

TEST(Outlook, NothingUntriedNoOutlook) {
    const auto space = test::grid(1, 9);
    EXPECT_FALSE(outlook(space,
                         random_trials(
                             space, [](const Point& p) { return 1.0 + p[0]; }, 10),
                         true));
}

}  // namespace
}  // namespace diskwright
