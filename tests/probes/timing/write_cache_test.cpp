// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/write_cache.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

TEST(WriteCache, Verdicts) {
    struct Row {
        std::string_view name;
        CacheTimes ms;
        std::optional<bool> reported;
        std::string_view word;
        Confidence confidence;
    };
    using enum Confidence;
    const std::vector<Row> table{
        {"disk, cache on", {12, 0.2, 11, 0.1}, {}, "volatile", high},
        {"disk, cache off", {12, 14, 0.1, 0.1}, {}, "none", high},
        {"disk behind a battery", {12, 0.1, 0.05, 0.05}, false, "protected", medium},
        {"disk that says volatile and never flushes", {12, 0.1, 0.05, 0.05}, true, "ignores-flush", medium},
        {"disk that says nothing", {12, 0.1, 0.05, 0.05}, {}, "", inconclusive},
        {"between", {12, 4, 1, 0.1}, true, "", inconclusive},
        {"flash, cache on", {0.1, 0.03, 0.8, 0.02}, {}, "volatile", high},
        {"flash, cache off", {0.1, 0.5, 0.02, 0.02}, {}, "none", medium},
        {"flash, protected", {0.1, 0.03, 0.02, 0.02}, false, "protected", medium},
        {"flash, volatile by its word", {0.1, 0.03, 0.02, 0.02}, true, "ignores-flush", low},
        {"flash, no telling", {0.1, 0.1, 0.02, 0.02}, true, "", inconclusive},
    };
    for (const Row& row : table) {
        const CacheTimes s{row.ms.read_s / 1e3, row.ms.write_s / 1e3, row.ms.flush_s / 1e3, row.ms.empty_s / 1e3};
        const auto verdict = judge_cache(s, row.reported);
        EXPECT_EQ(verdict.word, row.word) << row.name;
        EXPECT_EQ(verdict.sure.confidence, row.confidence) << row.name;
        EXPECT_TRUE(row.confidence == high || !verdict.sure.reason.empty()) << row.name;
    }
}

TEST(WriteCache, WhatStandsInTheWayIsTheReason) {
    struct Row {
        std::string_view reason;
        std::optional<Error> flush, write;
        std::uint64_t size = std::uint64_t{1} << 40;
    };
    const std::vector<Row> table{
        {"takes no flush", Error{ErrorKind::unavailable, "the disk takes no flush"}, {}},
        {"write at 0", {}, Error{ErrorKind::io_error, "write at 0: Input/output error"}},
        {"too small", {}, {}, 64 * KiB},
    };
    for (const Row& row : table) {
        test::SimulatedDisk disk;
        disk.flush_error = row.flush;
        disk.write_error = row.write;
        disk.size = row.size;
        test::StopAfter progress;
        const auto out = measure_write_cache({disk, &disk, std::chrono::seconds(2), 1, progress});
        EXPECT_EQ(out.measured.confidence, Confidence::inconclusive);
        EXPECT_TRUE(contains(out.measured.reason, row.reason)) << out.measured.reason;
        EXPECT_EQ(out.also.at("write_cache_effect").reason, out.measured.reason);
    }
}

}  // namespace
}  // namespace diskwright
