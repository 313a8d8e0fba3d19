// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/progress_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

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

TEST(ProgressLine, FirstSignalAsksSecondEnds) {
    const auto interrupted_twice = [] {
        ProgressLine line(true);
        std::raise(SIGTERM);
        if (!line.cancelled()) std::_Exit(1);
        std::raise(SIGTERM);
        std::_Exit(2);
    };
    EXPECT_EXIT(interrupted_twice(), testing::KilledBySignal(SIGTERM), "");
}

TEST(ProgressLine, EndsByTheSignalThatAsked) {
    const auto interrupted = [] {
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
