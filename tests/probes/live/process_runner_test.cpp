// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/process_runner.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

using namespace std::chrono_literals;

TEST(ProcessRunner, RunsASystemCommandInAnEnvironmentOfItsOwn) {
    ProcessRunner runner;
    const auto outcome =
        runner.run({"sh", "-c", "cat; echo \"$LC_ALL $HOME $PATH\"; echo no >&2; exit 3"}, {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->exit_status, 3);
    EXPECT_TRUE(outcome->output.starts_with("C  /sbin:/usr/sbin:")) << outcome->output;
    EXPECT_EQ(outcome->errors, "no\n");
    EXPECT_FALSE(outcome->timed_out);
}

TEST(ProcessRunner, DoesNotLookInTheUsersPath) {
    const test::TemporaryFolder folder;
    folder.file("diskwright-helper", "#!/bin/sh\necho 7\n");
    ASSERT_EQ(chmod(folder.path("diskwright-helper").c_str(), 0700), 0);
    const std::string before = std::getenv("PATH");
    setenv("PATH", (folder.path("") + ":" + before).c_str(), 1);
    ProcessRunner system;
    UserProcessRunner user;
    EXPECT_EQ(system.run({"diskwright-helper"}, {}).error().kind, ErrorKind::unavailable);
    const auto outcome = user.run({"diskwright-helper"}, {}, {});
    setenv("PATH", before.c_str(), 1);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->output, "7\n");
}

TEST(UserProcessRunner, GivesInputAndTheUsersEnvironment) {
    UserProcessRunner runner;
    setenv("DISKWRIGHT_TEST_WORD", "here", 1);
    const std::string input(200'000, 'x');  // more than a pipe holds
    const auto outcome = runner.run({"sh", "-c", "echo $DISKWRIGHT_TEST_WORD; wc -c"}, input, {});
    unsetenv("DISKWRIGHT_TEST_WORD");
    ASSERT_TRUE(outcome);
    const auto lines = split_lines(outcome->output);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "here");
    EXPECT_EQ(trim(lines[1]), "200000");
}

TEST(UserProcessRunner, ACommandThatDoesNotReadItsInputIsNoTrouble) {
    UserProcessRunner runner;
    const auto outcome = runner.run({"true"}, std::string(200'000, 'x'), {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->exit_status, 0);
}

TEST(UserProcessRunner, EndsWhatTakesTooLongWithItsChildren) {
    UserProcessRunner runner;
    CommandLimits limits;
    limits.time = 200ms;
    const auto outcome = runner.run({"sh", "-c", "echo 1; sleep 60 & sleep 60"}, "", limits);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->timed_out);
    EXPECT_EQ(outcome->output, "1\n");
}

TEST(UserProcessRunner, EndsWhenAskedToStop) {
    int asked = 0;
    UserProcessRunner runner([&] { return ++asked > 2; });
    const auto outcome = runner.run({"sleep", "60"}, "", {});
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->timed_out);
}

// Both runners on one script;
std::vector<Result<CommandOutcome>> both(const std::string& script, std::chrono::milliseconds time) {
    CommandLimits limits;
    limits.time = time;
    ProcessRunner system;
    UserProcessRunner user;
    return {system.run({"sh", "-c", script}, limits), user.run({"sh", "-c", script}, "", limits)};
}

// Those that are held while a process begins are not held in it.
TEST(BothRunners, ACommandHearsItsSignals) {
    for (const auto& outcome : both("kill -TERM $$; sleep 60", 30s)) {
        ASSERT_TRUE(outcome);
        EXPECT_FALSE(outcome->timed_out);
        EXPECT_EQ(outcome->exit_status, 128 + SIGTERM);
    }
}

TEST(BothRunners, ACommandThatClosesItsOutputStillHasATime) {
    for (const auto& outcome : both("echo 1; exec >&- 2>&-; sleep 60", 300ms)) {
        ASSERT_TRUE(outcome);
        EXPECT_TRUE(outcome->timed_out);
        EXPECT_EQ(outcome->output, "1\n");
    }
}

TEST(BothRunners, AChildInTheBackgroundDoesNotHoldTheCommand) {
    const std::string in_its_group = "sleep 60 & echo 5; exit 3";
    const std::string left_its_group = "setsid sleep 5 & sleep 0.5; echo 5; exit 3";
    for (const auto& script : {in_its_group, left_its_group})
        for (const auto& outcome : both(script, 3s)) {
            ASSERT_TRUE(outcome);
            EXPECT_FALSE(outcome->timed_out);
            EXPECT_EQ(outcome->exit_status, 3);
            EXPECT_EQ(outcome->output, "5\n");
        }
}

TEST(UserProcessRunner, EndsAClosedCommandWhenAskedToStop) {
    int asked = 0;
    UserProcessRunner runner([&] { return ++asked > 2; });
    const auto outcome = runner.run({"sh", "-c", "exec >&- 2>&-; sleep 60"}, "", {});
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->timed_out);
}

TEST(UserProcessRunner, CutsLongOutput) {
    UserProcessRunner runner;
    CommandLimits limits;
    limits.output_bytes = 10;
    const auto outcome = runner.run({"sh", "-c", "echo 0123456789abcdef"}, "", limits);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->output_cut);
    EXPECT_EQ(outcome->output, "0123456789");
}

TEST(ProcessRunner, EndsAFloodWhereThatIsAskedFor) {
    ProcessRunner runner;
    CommandLimits limits;
    limits.output_bytes = 1000, limits.end_when_cut = true, limits.time = 60s;
    const auto outcome = runner.run({"sh", "-c", "while :; do echo 0123456789; done"}, limits);
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->output_cut);
    EXPECT_FALSE(outcome->timed_out);
    EXPECT_EQ(outcome->output.size(), 1000U);
    EXPECT_EQ(outcome->exit_status, 128 + SIGKILL);
}

// No command gets a descriptor of another's: it would hold the other's end open, and some tools complain.
TEST(ProcessRunner, SeveralAtOnceDoNotKnowOfEachOther) {
    if (access("/proc/self/fd", R_OK) != 0) GTEST_SKIP() << "no /proc";
    std::vector<std::thread> threads;
    std::array<std::string, 8> seen;
    for (auto& text : seen)
        threads.emplace_back([&text] {
            ProcessRunner runner;
            for (int i = 0; i < 5; ++i) {
                const auto outcome = runner.run({"sh", "-c", "sleep 0.05; echo /proc/self/fd/*"}, {});
                if (outcome) text += outcome->output;
            }
        });
    for (auto& thread : threads) thread.join();
    for (const auto& text : seen) {
        EXPECT_EQ(split_lines(text).size(), 5U);
        for (const auto line : split_lines(text)) {
            std::size_t own = 0;
            for (const auto word : words(line)) {
                const auto number = to_unsigned(word.substr(word.rfind('/') + 1));
                ASSERT_TRUE(number) << word;
                // Beside those this test was begun with.
                own += *number > 2 && fcntl(static_cast<int>(*number), F_GETFD) == -1 ? 1 : 0;
            }
            EXPECT_LE(own, 1U) << "the shell's own, to read the folder: " << line;
        }
    }
}

TEST(ProcessRunner, KnowsWhatIsInstalled) {
    const ProcessRunner runner;
    EXPECT_TRUE(runner.installed("sh"));
    EXPECT_FALSE(runner.installed("diskwright-no-such-program"));
}

TEST(UserProcessRunner, MissingProgramsAreUnavailable) {
    UserProcessRunner runner;
    for (const auto* name : {"diskwright-no-such-program", "/no/such/program", "/"}) {
        const auto outcome = runner.run({name}, "", {});
        ASSERT_FALSE(outcome) << name;
    }
    EXPECT_EQ(runner.run({"diskwright-no-such-program"}, "", {}).error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace diskwright
