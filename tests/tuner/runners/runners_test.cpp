// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "probes/support/statistics.hpp"
#include "tests/support/spaces.hpp"
#include "tuner/runners/command_runner.hpp"
#include "tuner/runners/recorded_runner.hpp"

namespace diskwright {
namespace {

using namespace std::chrono_literals;

TEST(RecordedRunner, AnswersFromTheTable) {
    const auto landscape = test::recorded("netbsd_r5x3A_touchrm");
    RecordedRunner runner(landscape, 0, 1);
    std::size_t valid = 0;
    for (std::uint64_t rank = 0; rank < *landscape.space.size(); ++rank) {
        const Point point = landscape.space.at(rank);
        const auto trial = runner.run(point, {});
        ASSERT_TRUE(trial);
        EXPECT_EQ(trial->point, point);
        const auto row = landscape.rows.find(point);
        EXPECT_EQ(trial->state, row == landscape.rows.end() ? TrialState::invalid : TrialState::ok);
        if (!trial->value) continue;
        ++valid;
        EXPECT_EQ(*trial->value, row->second);
        EXPECT_NEAR(std::chrono::duration<double>(trial->cost).count(), row->second, 1e-9);
    }
    EXPECT_EQ(valid, landscape.rows.size());
}

TEST(RecordedRunner, OnlyTimesCostTime) {
    const auto landscape = test::recorded("linux_raid5_write_tcq0");
    RecordedRunner runner(landscape, 0, 1);
    EXPECT_EQ(runner.run(landscape.rows.begin()->first, {})->cost, 0ns);
}

TEST(RecordedRunner, NoiseIsOfTheSpreadAskedForAndOfTheSeed) {
    const auto landscape = test::recorded("netbsd_r5x5C_seqwrite");
    std::vector<double> logarithms;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        RecordedRunner runner(landscape, 0.1, seed), same(landscape, 0.1, seed);
        for (const auto& [point, value] : landscape.rows) {
            const auto trial = runner.run(point, {});
            EXPECT_EQ(trial->value, same.run(point, {})->value);
            logarithms.push_back(std::log(*trial->value / value));
        }
    }
    EXPECT_NEAR(*median(logarithms), 0, 0.01);
    EXPECT_NEAR(*percentile(logarithms, 0.84), 0.1, 0.01);
    EXPECT_NEAR(*percentile(logarithms, 0.16), -0.1, 0.01);
}

TEST(FirstNumber, OfWhatBenchmarksPrint) {
    struct Row {
        std::string_view text;
        std::optional<double> number;
    };
    const std::vector<Row> rows{
        {"12.5\n", 12.5},
        {"took 3.2e-1 s, 7 files", 0.32},
        {"raid5 on wd0a-2: 41 MB/s", 41},
        {"-5", -5},
        {"+.5", 0.5},
        {"12MB/s", 12},
        {"5.", 5},
        {"1e", 1},
        {"1e+x", 1},
        {"0x10", 0},
        {"x_1 v2.3 (4)", 4},
        {"1e999", std::nullopt},
        {"nan inf -", std::nullopt},
        {"", std::nullopt},
    };
    for (const Row& row : rows) EXPECT_EQ(first_number(row.text), row.number) << row.text;
    EXPECT_EQ(first_number("x" + std::string(1'000'000, '9')), std::nullopt);
}

class Scripted final : public UserCommandRunner {
 public:
    Result<CommandOutcome> run(const std::vector<std::string>& argv, std::string_view input,
                               const CommandLimits& limits) override {
        seen_argv = argv;
        seen_input = input;
        seen_time = limits.time;
        return next;
    }
    Result<CommandOutcome> next{CommandOutcome{}};
    std::vector<std::string> seen_argv;
    std::string seen_input;
    std::chrono::milliseconds seen_time{};
};

class Ticking final : public Clock {
 public:
    std::chrono::nanoseconds now() override { return now_ += 5s; }

 private:
    std::chrono::nanoseconds now_{};
};

TEST(MeasureCommandRunner, SendsThePointAndJudgesTheOutcome) {
    struct Row {
        CommandOutcome outcome;
        TrialState state;
        std::optional<double> value;
        std::string_view note;
    };
    const std::vector<Row> rows{
        {{0, false, false, "value 2.5\n", ""}, TrialState::ok, 2.5, ""},
        {{0, false, false, "none\n", ""}, TrialState::failed, std::nullopt, "printed no number"},
        {{3, false, false, "2.5\n", "newfs: too big\nbye\n"},
         TrialState::invalid,
         std::nullopt,
         "exit status 3: newfs: too big"},
        {{1, false, false, "", "a\x1b[31m"}, TrialState::invalid, std::nullopt, "exit status 1: a\\x1b[31m"},
        {{137, true, false, "2.5\n", ""}, TrialState::timeout, std::nullopt, "killed when its time was up"},
    };
    const auto space = test::grid(2, 4);
    Scripted commands;
    Ticking clock;
    MeasureCommandRunner runner(space, {"measure", "-x"}, commands, clock);
    CommandLimits limits;
    limits.time = 123ms;
    for (const Row& row : rows) {
        SCOPED_TRACE(row.note);
        commands.next = row.outcome;
        const auto trial = runner.run({1, 4}, limits);
        ASSERT_TRUE(trial);
        EXPECT_EQ(trial->state, row.state);
        EXPECT_EQ(trial->value, row.value);
        EXPECT_EQ(trial->note, row.note);
        EXPECT_EQ(trial->cost, 5s);
        EXPECT_EQ(commands.seen_input, "{\"x0\":0.25,\"x1\":1}\n");
        EXPECT_EQ(commands.seen_argv, (std::vector<std::string>{"measure", "-x"}));
        EXPECT_EQ(commands.seen_time, 123ms);
    }
    commands.next = Error{ErrorKind::unavailable, "measure: not installed"};
    EXPECT_EQ(runner.run({1, 4}, limits).error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace diskwright
