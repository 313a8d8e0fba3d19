// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/search_space.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "probes/support/text.hpp"
#include "tests/support/spaces.hpp"
#include "tuner/optimizers/shuffled_points.hpp"
#include "probes/support/random.hpp"

namespace diskwright {
namespace {

using Scale = Parameter::Scale;
using test::parameter;

const Value word{Value::Kind::word, "softdep", 0};

TEST(SearchSpace, CoordinatesFollowTheScale) {
    const auto space = SearchSpace::of({parameter("bsize", Scale::log2, {8192, 16384, 65536}),
                                        parameter("minfree", Scale::linear, {0, 5, 20}),
                                        parameter("log", Scale::choice, {7, 3, 1000}),
                                        parameter("one", Scale::log2, {512})});
    ASSERT_TRUE(space);
    EXPECT_DOUBLE_EQ(space->coordinate(0, 1), 1.0 / 3);
    EXPECT_DOUBLE_EQ(space->coordinate(1, 1), 0.25);
    EXPECT_DOUBLE_EQ(space->coordinate(2, 1), 0.5);
    EXPECT_DOUBLE_EQ(space->coordinate(3, 0), 0.5);
    EXPECT_EQ(space->nearest_value(0, 0.66), 1U);
    EXPECT_EQ(space->nearest_value(0, 0.67), 2U);
    EXPECT_EQ(space->nearest_value(0, -3), 0U);
    EXPECT_EQ(space->size(), 27U);
}

TEST(SearchSpace, ValuesOutOfOrderAndHugeOnesHaveCoordinatesToo) {
    const double huge = std::numeric_limits<double>::max();
    const auto space = SearchSpace::of({parameter("a", Scale::linear, {huge, -huge, 0})});
    ASSERT_TRUE(space);
    EXPECT_DOUBLE_EQ(space->coordinate(0, 0), 1);
    EXPECT_DOUBLE_EQ(space->coordinate(0, 1), 0);
    EXPECT_DOUBLE_EQ(space->coordinate(0, 2), 0.5);
}

TEST(SearchSpace, RanksAreEveryPointOnce) {
    const auto space =
        SearchSpace::of({parameter("a", Scale::linear, {1, 2, 3}), parameter("b", Scale::linear, {1, 2})});
    std::set<Point> seen;
    for (std::uint64_t rank = 0; rank < *space->size(); ++rank) seen.insert(space->at(rank));
    EXPECT_EQ(seen.size(), 6U);
    EXPECT_EQ(space->at(1), (Point{0, 1}));
}

TEST(SearchSpace, ASizeBeyond64BitsIsNoNumber) {
    std::vector<double> values;
    for (int i = 1; i <= 1000; ++i) values.push_back(i);
    std::vector<Parameter> parameters;
    for (int i = 0; i < 7; ++i)
        parameters.push_back(parameter("p" + std::to_string(i), Scale::linear, values));
    EXPECT_FALSE(SearchSpace::of(parameters)->size());
    parameters.pop_back();
    EXPECT_EQ(SearchSpace::of(parameters)->size(), 1'000'000'000'000'000'000U);
}

TEST(SearchSpace, Rejects) {
    const double inf = std::numeric_limits<double>::infinity();
    Parameter words = parameter("j", Scale::linear, {});
    words.values = {word};
    Parameter twice = parameter("j", Scale::choice, {});
    twice.values = {word, word};
    std::vector<double> many(SearchSpace::max_values + 1);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
    struct Row {
        std::vector<Parameter> parameters;
        std::string_view message;
    };
    const std::vector<Row> rows{
        {{}, "no parameters"},
        {std::vector<Parameter>(65, parameter("a", Scale::linear, {1})), "at most 64"},
        {{parameter("", Scale::linear, {1})}, "no name"},
        {{parameter("a", Scale::linear, {1}), parameter("a", Scale::linear, {1})}, "a is there twice"},
        {{parameter("a", Scale::linear, {})}, "a: no values"},
        {{parameter("a", Scale::linear, {1, 1})}, "value 1 is there twice"},
        {{parameter("a", Scale::linear, many)}, "at most 10000"},
        {{parameter("a", Scale::linear, {1, inf})}, "not finite"},
        {{parameter("a", Scale::log2, {0, 1})}, "no logarithm"},
        {{words}, "only be choice"},
        {{twice}, "softdep is there twice"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.message);
        const auto space = SearchSpace::of(row.parameters);
        ASSERT_FALSE(space);
        EXPECT_EQ(space.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(space.error().message, row.message)) << space.error().message;
    }
}

// What makes the trial list the same on every platform.
TEST(Random, SequenceIsFixed) {
    Random random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317U);
    EXPECT_EQ(random.next(), 3203168211198807973U);
    std::vector<int> list{0, 1, 2, 3, 4, 5, 6, 7};
    Random(1).shuffle(list);
    std::vector<int> again{0, 1, 2, 3, 4, 5, 6, 7};
    Random(2).shuffle(again);
    EXPECT_NE(list, again);
    EXPECT_EQ(std::set<int>(list.begin(), list.end()).size(), 8U);
}

TEST(Random, BelowReachesAllAndNothingElse) {
    Random random(7);
    std::vector<int> counts(5);
    for (int i = 0; i < 5000; ++i) ++counts.at(random.below(5));
    for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, NormalHasMean0AndVariance1) {
    Random random(7);
    double sum = 0, square = 0;
    for (int i = 0; i < 20000; ++i) {
        const double z = random.normal();
        sum += z;
        square += z * z;
    }
    EXPECT_NEAR(sum / 20000, 0, 0.03);
    EXPECT_NEAR(square / 20000, 1, 0.05);
}

TEST(ShuffledPoints, SmallSpacesAreVisitedWholeLargeOnesWithoutRepetition) {
    const auto small = test::grid(2, 9);
    ShuffledPoints points(small, 3);
    std::set<Point> seen;
    while (auto point = points.next()) EXPECT_TRUE(seen.insert(*point).second);
    EXPECT_EQ(seen.size(), 100U);

    const auto large = test::grid(6, 99);
    ASSERT_FALSE(enumerable(large));
    ShuffledPoints sample(large, 3), same(large, 3), other(large, 4);
    seen.clear();
    bool differs = false;
    for (int i = 0; i < 1000; ++i) {
        const auto point = sample.next();
        ASSERT_TRUE(point);
        EXPECT_TRUE(seen.insert(*point).second);
        EXPECT_EQ(point, same.next());
        differs = differs || point != other.next();
    }
    EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace diskwright
