// SPDX-License-Identifier: BSD-2-Clause
// Every method on functions whose minimum is known, on recorded landscapes with holes, and what all promise:
// legal points, none twice, the whole of a small space, the same search for the same seed.
#include "tuner/optimizers/optimizers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "tests/support/spaces.hpp"

namespace diskwright {
namespace {

using test::number;

class EachMethod : public testing::TestWithParam<std::string> {
 protected:
    std::unique_ptr<Optimizer> make(const SearchSpace& space, std::uint64_t seed = 1,
                                    std::vector<Point> start = {}) const {
        return (*method_named(GetParam()))->make(space, {seed, true, std::move(start)});
    }
    bool is(std::string_view name) const { return GetParam() == name; }
};

std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (const Method& method : methods()) names.emplace_back(method.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Optimizers, EachMethod, testing::ValuesIn(all_names()), [](const auto& row) {
    std::string name(row.param);
    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
    return name;
});

double bowl(const SearchSpace& space, const Point& point) {
    double sum = 1;
    for (std::size_t i = 0; i < point.size(); ++i) {
        const double x = number(space, point, i) - 0.3;
        sum += 10 * x * x;
    }
    return sum;
}

// Two valleys, the deeper one narrow.
double valleys(const SearchSpace& space, const Point& point) {
    const double x = number(space, point, 0), y = number(space, point, 1);
    const auto dip = [&](double at_x, double at_y, double width) {
        return std::exp(-((x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)) / (width * width));
    };
    return 2 - dip(0.8, 0.2, 0.5) - 1.5 * dip(0.2, 0.7, 0.15);
}

std::size_t trials_until(const std::vector<Trial>& trials, double wanted) {
    std::size_t valid = 0;
    for (const Trial& trial : trials) {
        valid += trial.value ? 1 : 0;
        if (trial.value && *trial.value <= wanted) return valid;
    }
    return trials.size() + 1;
}

TEST_P(EachMethod, FindsTheMinimumOfAFunctionOnAGrid) {
    const auto space = test::grid(2, 20);  // 441 points
    struct Row {
        const char* function;
        double (*value)(const SearchSpace&, const Point&);
        double near;  // how far above the minimum is found
        double share_of_space, share_for_model;
    };
    for (const Row& row : {Row{"bowl", bowl, 0.06, 0.35, 0.05}, Row{"valleys", valleys, 0.1, 0.75, 0.1}}) {
        SCOPED_TRACE(row.function);
        double least = 1e9;
        for (std::uint64_t rank = 0; rank < *space.size(); ++rank)
            least = std::min(least, row.value(space, space.at(rank)));
        std::vector<double> counts;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto optimizer = make(space, seed);
            const auto trials = test::search(
                *optimizer, [&](const Point& point) { return row.value(space, point); }, 441);
            counts.push_back(static_cast<double>(trials_until(trials, least + row.near)));
        }
        const double share = is("default") ? row.share_for_model : row.share_of_space;
        EXPECT_LE(*median(counts), 441 * share);
    }
}

TEST_P(EachMethod, VisitsASmallSpaceWholeAndNoPointTwice) {
    for (const auto* name : {"netbsd_r1x2C_tree", "linux_raid5_write_tcq0"}) {
        SCOPED_TRACE(name);
        const auto landscape = test::recorded(name);
        const auto optimizer =
            (*method_named(GetParam()))
                ->make(landscape.space, {1, landscape.objective.minimise, {*landscape.default_point}});
        const auto trials = test::search(
            *optimizer,
            [&](const Point& point) -> std::optional<double> {
                const auto row = landscape.rows.find(point);
                return row == landscape.rows.end() ? std::nullopt : std::optional(row->second);
            },
            100'000);
        std::set<Point> seen;
        for (const Trial& trial : trials) EXPECT_TRUE(seen.insert(trial.point).second);
        EXPECT_EQ(seen.size(), *landscape.space.size());
        EXPECT_EQ(optimizer->propose(), std::nullopt);
    }
}

TEST_P(EachMethod, SameSeedSameSearch) {
    const auto space = test::grid(3, 6);
    const auto run = [&](std::uint64_t seed) {
        return test::search(
            *make(space, seed), [&](const Point& point) { return bowl(space, point); }, 40);
    };
    EXPECT_EQ(run(5), run(5));
    EXPECT_EQ(run(5) == run(6), is("exhaustive"));
}

TEST_P(EachMethod, ProposesTheSameUntilToldOfIt) {
    const auto space = test::grid(2, 3);
    const auto optimizer = make(space);
    const auto first = optimizer->propose();
    EXPECT_EQ(optimizer->propose(), first);
}

TEST_P(EachMethod, OneParameterAndOnePoint) {
    const auto line = test::grid(1, 30);
    const auto trials = test::search(
        *make(line), [&](const Point& point) { return bowl(line, point); }, 1000);
    EXPECT_EQ(trials.size(), 31U);
    const auto dot = SearchSpace::of({test::parameter("a", Parameter::Scale::choice, {1})});
    EXPECT_EQ(test::search(
                  *make(*dot), [](const Point&) { return 1.0; }, 10)
                  .size(),
              1U);
}

TEST_P(EachMethod, NothingValidAndNothingDiffersEndToo) {
    const auto space = test::grid(2, 6);
    EXPECT_EQ(test::search(
                  *make(space), [](const Point&) { return std::nullopt; }, 10)
                  .size(),
              49U);
    EXPECT_EQ(test::search(
                  *make(space), [](const Point&) { return 0.0; }, 100)
                  .size(),
              49U);
}

TEST_P(EachMethod, ExtremeValuesDoNoHarm) {
    const auto space = test::grid(2, 6);
    const auto value = [](const Point& point) {
        return (point[0] % 2 == 0 ? 1 : -1) * std::pow(10.0, 100.0 * point[1] - 300);
    };
    EXPECT_EQ(test::search(*make(space), value, 100).size(), 49U);
}

// Whatever comes first: an invalid point is no better than a valid one in any unit. The factors are powers of
// two, so that nothing is rounded.
TEST_P(EachMethod, TheUnitOfTheValuesDoesNotMatter) {
    const auto space = test::grid(2, 20);
    const auto invalid = [](const Point& point) { return (point[0] + point[1]) % 3 == 0 || point[0] > 12; };
    std::vector<Point> start;
    for (std::uint64_t rank = 0; rank < *space.size(); rank += 3)
        if (invalid(space.at(rank)) && start.size() < 60) start.push_back(space.at(rank));
    const auto points_tried = [&](double unit) {
        std::vector<Point> points;
        const auto value = [&](const Point& point) {
            return invalid(point) ? std::nullopt : std::optional(unit * bowl(space, point));
        };
        for (Trial& trial : test::search(*make(space, 1, start), value, 100))
            points.push_back(std::move(trial.point));
        return points;
    };
    EXPECT_EQ(points_tried(1024), points_tried(1.0 / 1024));
}

TEST_P(EachMethod, ASpaceTooLargeToListIsSearched) {
    const auto space = test::grid(20, 9);  // 10^20 points
    const auto trials = test::search(
        *make(space), [&](const Point& point) { return bowl(space, point); }, 30);
    EXPECT_EQ(trials.size(), 30U);
}

// The thread of a method that calls us is ended wherever it is.
TEST_P(EachMethod, CanBeLeftAtAnyMoment) {
    const auto space = test::grid(2, 6);
    for (std::size_t trials = 0; trials < 49; trials += 4) {
        const auto between = make(space, trials);
        test::search(
            *between, [&](const Point& point) { return bowl(space, point); }, trials);
        const auto asked = make(space, trials);
        test::search(
            *asked, [&](const Point& point) { return bowl(space, point); }, trials);
        EXPECT_TRUE(asked->propose());
    }
}

TEST(Optimizers, ExhaustiveGoesInOrder) {
    const auto space = test::grid(2, 3);
    const auto trials = test::search(
        *make_exhaustive(space, {}), [](const Point&) { return 1.0; }, 100);
    ASSERT_EQ(trials.size(), 16U);
    for (std::size_t i = 0; i < trials.size(); ++i) EXPECT_EQ(trials[i].point, space.at(i));
}

TEST(Optimizers, DefaultBeginsWithTheConfigurationInForceAndThenFarFromIt) {
    const auto space = test::grid(2, 4);
    const auto trials = test::search(
        *make_expected_improvement(space, {1, true, {{0, 0}}}), [](const Point&) { return 1.0; }, 3);
    EXPECT_EQ(trials[0].point, (Point{0, 0}));
    EXPECT_EQ(trials[1].point, (Point{4, 4}));
    EXPECT_TRUE(trials[2].point == (Point{0, 4}) || trials[2].point == (Point{4, 0}));
}

// The neighbours of a new best join the candidates of a large space late. The likeliest of them to be better
// lies among what was invalid.
TEST(Optimizers, DefaultRemembersWhatIsInvalidNearNewCandidates) {
    const auto space = test::grid(6, 9);
    const auto value = [&](const Point& point) -> std::optional<double> {
        if (point[0] > 4) return std::nullopt;
        double sum = 100;
        for (std::size_t i = 0; i < point.size(); ++i) {
            const double x = number(space, point, i) - (i == 0 ? 0.55 : 0.45);
            sum += 10 * x * x;
        }
        return sum;
    };
    std::vector<Point> start{{0, 0, 0, 0, 0, 0}, {1, 9, 9, 9, 9, 9}, {2, 9, 0, 9, 0, 9}};
    for (std::uint32_t x = 0; x < 10; ++x) {
        start.push_back({5, x, 4, 4, 4, 5});
        start.push_back({5, 4, 4, x, 5, 4});
        start.push_back({6, 4, x, 4, 4, 4});
    }
    start.push_back({4, 4, 4, 4, 4, 4});
    const auto trials = test::search(*make_expected_improvement(space, {1, true, start}), value, 5);
    ASSERT_GT(trials.size(), start.size());
    EXPECT_NE(trials[start.size()].point, (Point{5, 4, 4, 4, 4, 4}));
}

// The bar of the method: on measured landscapes it needs no more trials than random search.
TEST(Optimizers, DefaultBeatsRandomOnRecordedLandscapes) {
    for (const auto* name : {"netbsd_r5x3A_touchrm", "netbsd_r1x2C_tree", "netbsd_r5x5C_seqwrite"}) {
        SCOPED_TRACE(name);
        const auto landscape = test::recorded(name);
        double least = landscape.rows.begin()->second;
        for (const auto& [point, value] : landscape.rows) least = std::min(least, value);
        const auto value = [&](const Point& point) -> std::optional<double> {
            const auto row = landscape.rows.find(point);
            return row == landscape.rows.end() ? std::nullopt : std::optional(row->second);
        };
        std::map<std::string_view, std::vector<double>> counts;
        for (const auto* method : {"default", "random"})
            for (std::uint64_t seed = 1; seed <= 10; ++seed) {
                const auto optimizer =
                    (*method_named(method))->make(landscape.space, {seed, true, {*landscape.default_point}});
                const auto trials = test::search(*optimizer, value, 1000);
                counts[method].push_back(static_cast<double>(trials_until(trials, least * 1.05)));
            }
        EXPECT_LE(*median(counts["default"]), *median(counts["random"]));
    }
}

TEST(Optimizers, NearestMethodIsSuggested) {
    EXPECT_TRUE(contains(method_named("radnom").error().message, "did you mean 'random'?"));
    EXPECT_EQ(method_named("radnom").error().kind, ErrorKind::usage);
    EXPECT_FALSE(method_named(""));
}

}  // namespace
}  // namespace diskwright
