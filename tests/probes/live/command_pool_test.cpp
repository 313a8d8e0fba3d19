// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/command_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace diskwright {
namespace {

using namespace std::chrono_literals;
using SteadyTime = std::chrono::steady_clock;

// "sleep MS" takes that long, or until its time is up; everything answers with its words.
class Sleeper final : public CommandRunner {
 public:
    Result<CommandOutcome> run(const std::vector<std::string>& argv, const CommandLimits& limits) override {
        {
            const std::lock_guard lock(mutex_);
            asked.push_back(argv.back());
        }
        CommandOutcome outcome;
        if (argv.front() == "sleep") {
            const std::chrono::milliseconds time(std::stoi(argv.back()));
            outcome.timed_out = time > limits.time;
            std::this_thread::sleep_for(std::min(time, limits.time));
        }
        if (argv.front() == "huge") throw std::bad_alloc();
        outcome.output = argv.back();
        return outcome;
    }
    bool installed(const std::string&) const override { return true; }

    std::vector<std::string> asked;

 private:
    std::mutex mutex_;
};

PoolLimits limits_of(std::size_t at_once, std::chrono::milliseconds end = 20s) {
    PoolLimits limits;
    limits.at_once = at_once;
    limits.end = SteadyTime::now() + end;
    return limits;
}

TEST(CommandPool, AnswersStandAtTheirNumbers) {
    for (const std::size_t at_once : {1U, 3U}) {
        Sleeper runner;
        CommandPool pool(runner, limits_of(at_once));
        EXPECT_EQ(pool.add({"sleep", "30"}), 0U);
        EXPECT_EQ(pool.add({"echo", "b"}), 1U);
        pool.wait_for_all();
        EXPECT_EQ(pool.add({"echo", "c"}), 2U);
        pool.wait_for_all();
        for (std::size_t i = 0; i < 3; ++i) {
            ASSERT_TRUE(pool.done(i));
            EXPECT_TRUE(pool.done(i)->begun);
            EXPECT_EQ(pool.take(i).outcome->output, (std::vector<std::string>{"30", "b", "c"})[i]);
        }
    }
}

TEST(CommandPool, TheFirstOnesComeFirstInTheirOrder) {
    Sleeper runner;
    CommandPool pool(runner, limits_of(1));
    pool.add({"echo", "tool"});
    pool.add({"echo", "file1"}, CommandPool::Kind::file);
    pool.add({"echo", "tool2"});
    pool.add({"echo", "file2"}, CommandPool::Kind::file);
    pool.wait_for_all();
    EXPECT_EQ(runner.asked, (std::vector<std::string>{"file1", "file2", "tool", "tool2"}));
}

TEST(CommandPool, OneThatHangsCostsItsOwnAnswerOnly) {
    Sleeper runner;
    auto limits = limits_of(2);
    limits.command_time = 600ms;
    CommandPool pool(runner, limits);
    const auto hung = pool.add({"sleep", "60000"});
    std::vector<std::size_t> others;
    for (int i = 0; i < 20; ++i) others.push_back(pool.add({"echo", std::to_string(i)}));
    pool.wait_for(200ms);
    EXPECT_FALSE(pool.done(hung));
    for (const auto number : others) EXPECT_TRUE(pool.done(number));
    pool.wait_for_all();
    ASSERT_TRUE(pool.done(hung));
    EXPECT_TRUE(pool.done(hung)->outcome->timed_out);
}

TEST(CommandPool, AProgramThatHangsIsNotAskedOverAndOver) {
    for (const std::size_t at_once : {1U, 2U}) {
        Sleeper runner;
        auto limits = limits_of(at_once);
        limits.command_time = 50ms;
        CommandPool pool(runner, limits);
        for (int i = 0; i < 8; ++i) pool.add({"sleep", "60000"}, CommandPool::Kind::of_device);
        const auto other = pool.add({"echo", "x"});
        pool.wait_for_all();
        EXPECT_LE(runner.asked.size(), 2 + at_once);
        EXPECT_TRUE(pool.done(7)->program_hangs);
        EXPECT_FALSE(pool.done(7)->begun);
        EXPECT_TRUE(pool.done(other)->begun);
    }
}

TEST(CommandPool, NothingBeginsAfterTheEnd) {
    for (const std::size_t at_once : {1U, 2U}) {
        Sleeper runner;
        CommandPool pool(runner, limits_of(at_once, 0ms));
        const auto number = pool.add({"echo", "late"});
        pool.wait_for_all();
        EXPECT_TRUE(runner.asked.empty());
        ASSERT_TRUE(pool.done(number));
        EXPECT_FALSE(pool.done(number)->begun);
    }
}

TEST(CommandPool, AnswersTooLargeForTheMemoryAreAnError) {
    for (const std::size_t at_once : {1U, 2U}) {
        Sleeper runner;
        CommandPool pool(runner, limits_of(at_once));
        pool.add({"huge", "x"});
        pool.wait_for_all();
        ASSERT_FALSE(pool.done(0)->outcome);
        EXPECT_EQ(pool.done(0)->outcome.error().kind, ErrorKind::os_error);
    }
}

}  // namespace
}  // namespace diskwright
