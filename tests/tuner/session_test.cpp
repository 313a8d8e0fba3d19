// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/session.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/spaces.hpp"
#include "tuner/optimizers/optimizers.hpp"

namespace diskwright {
namespace {

class Quiet final : public ProgressMeter {
 public:
    void at(std::string_view, double done, double total) override {
        ++steps;
        EXPECT_LE(done, total);
    }
    bool cancelled() const override { return steps >= stop_after; }
    int steps = 0, stop_after = 1'000'000;
};

// Values from a function; an unavailable program where it is told so.
class FromFunction final : public TrialRunner {
 public:
    explicit FromFunction(test::ValueOf value) : value_(std::move(value)) {}
    Result<Trial> run(const Point& point, const CommandLimits&) override {
        if (++runs == fail_at) return Error{ErrorKind::unavailable, "gone"};
        Trial trial;
        trial.point = point;
        trial.value = value_(point);
        trial.state = trial.value ? TrialState::ok : TrialState::invalid;
        return trial;
    }
    int runs = 0, fail_at = 0;

 private:
    test::ValueOf value_;
};

class Session : public testing::Test {
 protected:
    TuningResult run(FromFunction& runner, TuningLimits limits, bool minimise = true) {
        const auto optimizer = make_exhaustive(space, {});
        TuningSession session(*optimizer, runner, nullptr, {"x", minimise});
        return session.run(limits, progress);
    }
    const SearchSpace space = test::grid(1, 9);
    Quiet progress;
    FromFunction odd_only{[](const Point& point) -> std::optional<double> {
        return point[0] % 2 == 1 ? std::optional(10.0 - point[0]) : std::nullopt;
    }};
};

TEST_F(Session, CountsValidTrialsOnly) {
    const auto result = run(odd_only, {3, 100, {}});
    EXPECT_EQ(result.stop, TuningResult::Stop::trials);
    EXPECT_EQ(result.trials.size(), 6U);
    EXPECT_EQ(result.best, 5U);
    FromFunction again = odd_only;
    EXPECT_EQ(run(again, {3, 100, {}}, false).best, 1U);
}

TEST_F(Session, EndsWithTheSpace) {
    const auto result = run(odd_only, {100, 100, {}});
    EXPECT_EQ(result.stop, TuningResult::Stop::exhausted);
    EXPECT_EQ(result.trials.size(), 10U);
}

TEST_F(Session, EndsWhenNothingIsValid) {
    FromFunction none([](const Point&) { return std::nullopt; });
    const auto result = run(none, {100, 4, {}});
    EXPECT_EQ(result.stop, TuningResult::Stop::fruitless);
    EXPECT_EQ(result.trials.size(), 4U);
    EXPECT_FALSE(result.best);
}

TEST_F(Session, StopsWhenAsked) {
    progress.stop_after = 4;
    const auto result = run(odd_only, {100, 100, {}});
    EXPECT_EQ(result.stop, TuningResult::Stop::cancelled);
    EXPECT_EQ(result.trials.size(), 4U);
}

TEST_F(Session, ATrialStoppedInTheMiddleIsNotKept) {
    progress.stop_after = 3;  // during the third trial, which has no value
    const auto result = run(odd_only, {100, 100, {}});
    EXPECT_EQ(result.stop, TuningResult::Stop::cancelled);
    EXPECT_EQ(result.trials.size(), 2U);
}

TEST_F(Session, AnErrorOfTheRunnerEndsItAndKeepsTheTrials) {
    odd_only.fail_at = 5;
    const auto result = run(odd_only, {100, 100, {}});
    EXPECT_EQ(result.stop, TuningResult::Stop::failed);
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->kind, ErrorKind::unavailable);
    EXPECT_EQ(result.trials.size(), 4U);
    EXPECT_EQ(result.best, 3U);
}

// A file may not grow beyond the limit, as on a full disk.
TEST_F(Session, ATrialThatTheJournalDoesNotTakeIsKept) {
    const test::TemporaryFolder folder;
    auto journal = Journal::create(folder.path("journal"), {"exhaustive", 1, "", {"x", true}, {}}, space);
    ASSERT_TRUE(journal);
    const auto header = test::read_file(folder.path("journal")).size();
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit full{header + 200, before.rlim_max};
    const auto on_excess = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &full);
    const auto optimizer = make_exhaustive(space, {});
    TuningSession session(*optimizer, odd_only, &*journal, {"x", true});
    const auto result = session.run({100, 100, {}}, progress);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, on_excess);
    EXPECT_EQ(result.stop, TuningResult::Stop::failed);
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->kind, ErrorKind::io_error);
    EXPECT_GT(result.trials.size(), 1U);
    EXPECT_LT(result.trials.size(), 10U);
    EXPECT_EQ(static_cast<int>(result.trials.size()), odd_only.runs);
}

TEST_F(Session, ReplayIsNotRunAgainAndMustFit) {
    auto trials = run(odd_only, {2, 100, {}}).trials;
    FromFunction fresh = odd_only;
    fresh.runs = 0;
    const auto optimizer = make_exhaustive(space, {});
    TuningSession session(*optimizer, fresh, nullptr, {"x", true});
    ASSERT_TRUE(session.replay(trials));
    const auto result = session.run({3, 100, {}}, progress);
    EXPECT_EQ(result.trials.size(), 6U);
    EXPECT_EQ(fresh.runs, 2);

    std::swap(trials[1], trials[2]);
    const auto other = make_exhaustive(space, {});
    TuningSession wrong(*other, fresh, nullptr, {"x", true});
    const auto replayed = wrong.replay(trials);
    ASSERT_FALSE(replayed);
    EXPECT_EQ(replayed.error().kind, ErrorKind::bad_data);
    EXPECT_TRUE(contains(replayed.error().message, "trial 2 is not")) << replayed.error().message;
}

}  // namespace
}  // namespace diskwright
