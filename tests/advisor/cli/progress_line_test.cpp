// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/progress_line.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "probes/live/process_runner.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

TEST(ProgressLine, Text) {
    struct Row {
        std::string_view step;
        double done, total, seconds;
        std::string_view text;
    };
    constexpr std::array<Row, 9> rows{{
        {"trials", 0, 0, 5, "trials"},
        {"trials", 0, 40, 5, "trials: 0 %"},
        {"trials", 1, 40, 5, "trials: 2 %"},  // too early to tell
        {"trials", 10, 40, 0.5, "trials: 25 %"},
        {"trials", 10, 40, 10, "trials: 25 %, 30 s left"},
        {"trials", 10, 40, 100, "trials: 25 %, 5 min left"},
        {"trials", 10, 40, 7200, "trials: 25 %, 6.0 h left"},
        {"trials", 50, 40, 10, "trials: 100 %"},
        {"disk \x1b[31m", 0, 0, 1, "disk \\x1b[31m"},
    }};
    for (const Row& row : rows)
        EXPECT_EQ(progress_text(row.step, row.done, row.total, std::chrono::duration<double>(row.seconds)),
                  row.text);
}

// Also where the tests run in the background of a shell, which ignores some.
void do_not_ignore_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
}

TEST(ProgressLine, FirstSignalAsksSecondEnds) {
    const auto interrupted_twice = [](int first, int second) {
        do_not_ignore_signals();
        ProgressLine line(true);
        std::raise(first);
        if (!line.cancelled()) std::_Exit(1);
        std::raise(second);
        std::_Exit(2);
    };
    for (const int first : {SIGINT, SIGTERM, SIGHUP})
        for (const int second : {SIGINT, SIGTERM, SIGHUP})
            EXPECT_EXIT(interrupted_twice(first, second), testing::KilledBySignal(second), "");
}

// The command holds the other end of a named pipe as long as it lives.
TEST(ProgressLine, TheSecondSignalEndsTheCommandToo) {
    const test::TemporaryFolder folder;
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    pollfd end{open(pipe.c_str(), O_RDONLY | O_NONBLOCK), POLLIN, 0};
    ASSERT_GE(end.fd, 0);
    const auto interrupted_twice = [&] {
        do_not_ignore_signals();
        ProgressLine line(true);
        const std::string script = "exec 3>" + pipe + "; echo >&3; exec sleep 30";
        std::thread command([&] { (void)UserProcessRunner().run({"sh", "-c", script}, "", {}); });
        if (poll(&end, 1, 60'000) != 1) std::_Exit(1);
        std::raise(SIGINT);
        std::raise(SIGTERM);
        command.join();
        std::_Exit(2);
    };
    EXPECT_EXIT(interrupted_twice(), testing::KilledBySignal(SIGTERM), "");
    char line = 0;
    EXPECT_EQ(read(end.fd, &line, 1), 1);
    EXPECT_EQ(poll(&end, 1, 60'000), 1);
    EXPECT_TRUE(end.revents & POLLHUP);
    close(end.fd);
}

TEST(ProgressLine, EndsByTheSignalThatAsked) {
    const auto interrupted = [] {
        do_not_ignore_signals();
        {
            ProgressLine line(true);
            std::raise(SIGINT);
        }
        end_by_signal();
        std::_Exit(1);
    };
    EXPECT_EXIT(interrupted(), testing::KilledBySignal(SIGINT), "");
}

TEST(ProgressLine, WithoutSignalNothingEnds) {
    {
        const ProgressLine line(true);
        EXPECT_FALSE(line.cancelled());
    }
    end_by_signal();
}

}  // namespace
}  // namespace diskwright
