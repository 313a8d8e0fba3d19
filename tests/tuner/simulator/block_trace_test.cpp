// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/block_trace.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "tests/support/drives.hpp"
#include "tuner/simulator/disk_model.hpp"
#include "tuner/simulator/response_distribution.hpp"
#include "tuner/simulator/trace_replay.hpp"

namespace diskwright {
namespace {

constexpr std::string_view whole = R"({"title": "t", "disk": "d",
    "columns": ["rw", "lbn_512", "blocks_512", "service_us", "to_next_us"],
    "rows": [["R", 4, 8, 1500.5, 250], ["W", 100, 1, 20, 0]]})";

TEST(BlockTrace, EveryColumnIsRead) {
    const auto trace = block_trace_from_json(whole, "t.json");
    ASSERT_TRUE(trace) << trace.error().message;
    ASSERT_EQ(trace->requests.size(), 2U);
    EXPECT_EQ(trace->disk, "d");
    EXPECT_EQ(trace->requests[0].block, 4U);
    EXPECT_EQ(trace->requests[0].blocks, 8U);
    EXPECT_EQ(trace->requests[0].operation, DriveOperation::read);
    EXPECT_DOUBLE_EQ(trace->requests[0].to_next_s, 250e-6);
    EXPECT_EQ(trace->requests[1].operation, DriveOperation::write);
    ASSERT_EQ(trace->measured_s.size(), 2U);
    EXPECT_DOUBLE_EQ(trace->measured_s[0], 1500.5e-6);
}

TEST(BlockTrace, TimesMayBeAbsentAndColumnsInAnyOrder) {
    const auto trace =
        block_trace_from_json(R"({"columns": ["blocks_512", "rw", "lbn_512"], "rows": [[8, "W", 16]]})", "t");
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->requests[0].block, 16U);
    EXPECT_TRUE(trace->measured_s.empty());
}

TEST(BlockTrace, Rejects) {
    struct Row {
        std::string_view columns, rows, says;
    };
    constexpr std::string_view three = R"(["rw", "lbn_512", "blocks_512"])";
    const std::vector<Row> rows{
        {R"(["rw", "lbn_512"])", "[]", "t: columns: 'blocks_512' is missing"},
        {R"(["rw", "rw", "lbn_512", "blocks_512"])", "[]", "'rw' is there twice"},
        {R"(["rw", "lbn", "blocks_512"])", "[]", "'lbn' is none of"},
        {R"(["rw", 7, "blocks_512"])", "[]", "is none of"},
        {R"("rw")", "[]", "columns"},
        {three, "7", "rows"},
        {three, "[[1]]", "rows[0]: not a list of 3 values"},
        {three, R"([["R", 0, 8], {"rw": "R"}])", "rows[1]: not a list"},
        {three, R"([["X", 0, 8]])", "rows[0]: rw: neither R nor W"},
        {three, R"([["R", -1, 8]])", "rows[0]: lbn_512: not a whole number"},
        {three, R"([["R", 0.5, 8]])", "rows[0]: lbn_512"},
        {three, R"([["R", 0, 0]])", "rows[0]: blocks_512: not from 1"},
        {three, R"([["R", 0, 99999999999]])", "rows[0]: blocks_512: not from 1"},
        {R"(["rw", "lbn_512", "blocks_512", "to_next_us"])", R"([["R", 0, 8, -1]])", "to_next_us: no time"},
        {R"(["rw", "lbn_512", "blocks_512", "service_us"])", R"([["R", 0, 8, 1e300]])",
         "service_us: no time"},
        {R"(["rw", "lbn_512", "blocks_512", "service_us"])", R"([["R", 0, 8, "x"]])", "service_us: no time"},
    };
    for (const Row& row : rows) {
        const std::string text =
            "{\"columns\": " + std::string(row.columns) + ", \"rows\": " + std::string(row.rows) + "}";
        const auto trace = block_trace_from_json(text, "t");
        ASSERT_FALSE(trace) << text;
        EXPECT_EQ(trace.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(trace.error().message, row.says)) << trace.error().message;
    }
    for (const std::string_view text :
         {"", "[]", "{\"rows\": []}", "{\"columns\": [\"rw\", \"lbn_512\", \"blocks_512\"]}",
          "{\"columns\": [\"rw\", \"lbn_512\", \"blocks_512\"], \"rows\": [], \"rwos\": 1}"})
        EXPECT_FALSE(block_trace_from_json(text, "t")) << text;
}

TEST(TraceReplay, KeepsThinkTimesAndNamesRowsOutsideOfTheDrive) {
    DiskModel disk(test::round_drive());
    BlockTrace trace;
    trace.requests = {{0, 1, DriveOperation::read, 3.0}, {0, 1, DriveOperation::read, 0}};
    const auto service_s = replay(trace, disk, "t");
    ASSERT_TRUE(service_s) << service_s.error().message;
    ASSERT_EQ(service_s->size(), 2U);
    EXPECT_LE((*service_s)[1], 0.0102);
    for (const TracedRequest outside : {TracedRequest{400'000, 1, DriveOperation::read, 0},
                                        TracedRequest{399'999, 2, DriveOperation::read, 0},
                                        TracedRequest{UINT64_MAX, 1, DriveOperation::write, 0}}) {
        trace.requests[1] = outside;
        const auto refused = replay(trace, disk, "t");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(refused.error().message, "t: rows[1]:")) << refused.error().message;
    }
}

TEST(ResponseDistribution, HorizontalDistanceOfTheCurves) {
    EXPECT_FALSE(rms_difference({}, {1}));
    EXPECT_DOUBLE_EQ(*rms_difference({3, 1, 2}, {2, 3, 1}), 0);
    EXPECT_DOUBLE_EQ(*rms_difference({1, 2, 3, 4}, {2, 3, 4, 5}), 1);
    EXPECT_DOUBLE_EQ(*rms_difference({0, 0}, {3, 4}), std::sqrt(12.5));
    // Of different lengths: a quarter of the curves is apart by 4.
    EXPECT_DOUBLE_EQ(*rms_difference({1, 5}, {1, 1, 1, 5}), 2);
    EXPECT_DOUBLE_EQ(*mean({1, 2, 6}), 3);
}

}  // namespace
}  // namespace diskwright
