// SPDX-License-Identifier: BSD-2-Clause
// What RAIDframe asks of its components, beside traces of it (tests/data/simulator/raidframe_requests.json).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tests/support/recording_drive.hpp"
#include "tuner/simulator/disk_model.hpp"
#include "tuner/simulator/plain_drive.hpp"

namespace diskwright {
namespace {

using test::NotedRequest;
using Json = nlohmann::json;

using Request = std::tuple<std::uint64_t, std::string, std::uint64_t, std::uint64_t>;

Json measured() {
    return Json::parse(test::read_file(test::data_folder() / "simulator/raidframe_requests.json"), nullptr,
                       false);
}

// Requests that came together are a step.
std::vector<std::vector<Request>> steps_of(const std::vector<NotedRequest>& notes) {
    std::vector<std::vector<Request>> steps;
    double at_s = -1;
    for (const NotedRequest& note : notes) {
        if (note.request.arrival_s != at_s) steps.emplace_back();
        at_s = note.request.arrival_s;
        steps.back().emplace_back(note.component, note.request.operation == DriveOperation::read ? "R" : "W",
                                  note.request.block, note.request.blocks);
    }
    for (auto& step : steps) std::sort(step.begin(), step.end());
    return steps;
}

TEST(RaidframeRequests, AreThoseOfTheTraces) {
    const Json file = measured();
    ASSERT_TRUE(file.is_object());
    for (const Json& traced : file["sets"]) {
        test::SetDescription set;
        set.columns = traced["columns"];
        set.unit_blocks = traced["sectPerSU"];
        set.component_blocks = traced["component_sectors"];
        set.release = "7.99.34";
        std::vector<NotedRequest> notes;
        double now_s = 0;
        for (const Json& row : traced["requests"]) {
            SCOPED_TRACE(traced["trace"].get<std::string>() + " " + row.dump());
            const auto array = test::recorded_array(set, &notes);
            const std::uint64_t block = row[1];
            const DriveOperation operation = row[0] == "R" ? DriveOperation::read : DriveOperation::write;
            if (operation == DriveOperation::write)  // the parity map is marked
                test::asked_of_components(*array, notes, {0, block, 1, operation, false, now_s = 0});
            std::vector<std::vector<Request>> expected;
            for (const Json& step : row[4]) {
                expected.emplace_back();
                for (const Json& one : step) expected.back().emplace_back(one[0], one[1], one[2], one[3]);
            }
            const auto asked =
                test::asked_of_components(*array, notes, {1, block, row[2], operation, false, now_s += 10});
            EXPECT_EQ(steps_of(asked), expected);
        }
    }
}

// The disks of the traces, by the figures in the file.
std::vector<std::unique_ptr<SimulatedDrive>> traced_disks(std::size_t count, std::uint64_t blocks) {
    DiskParameters disk;
    disk.size_bytes = blocks * 512;
    disk.rpm = 7200;
    disk.seek_min_s = 0.0005;
    disk.seek_max_s = 0.016;
    disk.settle_write_s = 0.0003;
    disk.transfer_bytes_per_s = 150e6;
    disk.interface_bytes_per_s = 300e6;
    disk.command_s = 0.0001;
    disk.cache_bytes = 16 << 20;
    disk.read_ahead_bytes = 512 << 10;
    disk.write_cache = Switch::off;
    disk.queue_depth = 32;
    std::vector<std::string> assumed;
    DriveParameters drive = rotating_drive(disk, assumed);
    std::vector<std::unique_ptr<SimulatedDrive>> disks;
    for (std::size_t i = 0; i < count; ++i) disks.push_back(std::make_unique<DiskModel>(drive));
    return disks;
}

TEST(RaidframeRequests, TakeAsLongAsInTheTraces) {
    const Json file = measured();
    ASSERT_TRUE(file.is_object());
    std::size_t traces = 0;
    for (const Json& traced : file["sets"]) {
        if (!traced.contains("timed")) continue;
        SCOPED_TRACE(traced["trace"].get<std::string>());
        test::SetDescription set;
        set.columns = traced["columns"];
        set.unit_blocks = traced["sectPerSU"];
        set.release = "5.1";  // the parity map was marked before
        auto array =
            make_array(test::configuration_of(set), traced_disks(set.columns, traced["component_sectors"]));
        ASSERT_TRUE(array) << array.error().message;
        double simulated_s = 0, measured_s = 0, now_s = 0, measured_done_s = 0;
        for (const Json& row : traced["timed"]) {
            // As long after the one before as it was measured; within the measured microsecond, at once.
            const double gap_s = row[0].get<double>() * 1e-6 - measured_done_s;
            if (gap_s > 1.5e-6) now_s += gap_s;
            measured_done_s = (row[0].get<double>() + row[4].get<double>()) * 1e-6;
            array->array->submit({1, row[2], row[3],
                                  row[1] == "R" ? DriveOperation::read : DriveOperation::write, false,
                                  now_s});
            const auto done = array->array->next(test::no_limit);
            ASSERT_TRUE(done);
            simulated_s += done->done_s - now_s;
            measured_s += row[4].get<double>() * 1e-6;
            now_s = done->done_s;
        }
        EXPECT_NEAR(simulated_s / measured_s, 1, 0.02);
        ++traces;
    }
    EXPECT_EQ(traces, 3U);
}

TEST(RaidframeRequests, TheParityMapIsMarkedOneComponentAfterTheOtherAndFlushed) {
    test::SetDescription set;
    set.release = "9.0";
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array(set, &notes);
    const auto asked = test::asked_of_components(*array, notes, {1, 0, 1, DriveOperation::write, false, 0});
    ASSERT_EQ(asked.size(), 14U);
    for (std::uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(asked[i].component, i);
        EXPECT_EQ(asked[i].request.block, 34U);
        EXPECT_EQ(asked[i].request.blocks, 1U);
        EXPECT_EQ(asked[5 + i].request.operation, DriveOperation::flush);
        EXPECT_EQ(asked[i].request.arrival_s, i == 0 ? 0 : asked[i - 1].done_s);
    }
    EXPECT_EQ(array->array_counters().map_writes, 5U);
    EXPECT_GT(array->array_counters().map_write_s, 0.1);
    // Nine ticks later it is clean again, and the next write marks it anew.
    EXPECT_FALSE(array->next(1000));
    EXPECT_EQ(array->array_counters().map_writes, 10U);
    EXPECT_EQ(test::asked_of_components(*array, notes, {2, 0, 1, DriveOperation::write, false, 1000}).size(),
              14U);
    // Releases before the parity map, and sets without parity.
    set.release = "5.1";
    EXPECT_EQ(test::asked_of_components(*test::recorded_array(set, &notes), notes,
                                        {1, 0, 1, DriveOperation::write, false, 0})
                  .size(),
              4U);
}

TEST(RaidframeRequests, FlushesGoToOneComponentAfterTheOther) {
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array({}, &notes);
    const auto asked = test::asked_of_components(*array, notes, {1, 0, 0, DriveOperation::flush, false, 0});
    ASSERT_EQ(asked.size(), 5U);
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(asked[i].request.arrival_s, asked[i - 1].done_s);
    EXPECT_EQ(array->array_counters().component_flushes, 5U);
    EXPECT_NEAR(array->array_counters().flush_s, 0.05, 1e-9);
}

TEST(RaidframeRequests, SmallAndFullStripeWrites) {
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array({}, &notes);
    test::asked_of_components(*array, notes, {1, 0, 1, DriveOperation::write, false, 0});
    const auto small =
        steps_of(test::asked_of_components(*array, notes, {2, 0, 8, DriveOperation::write, false, 10}));
    const std::vector<std::vector<Request>> two_and_two{{{0, "R", 64, 8}, {4, "R", 64, 8}},
                                                        {{0, "W", 64, 8}, {4, "W", 64, 8}}};
    EXPECT_EQ(small, two_and_two);
    const ArrayCounters before = array->array_counters();
    const auto whole =
        steps_of(test::asked_of_components(*array, notes, {3, 0, 32, DriveOperation::write, false, 20}));
    ASSERT_EQ(whole.size(), 1U);
    EXPECT_EQ(whole[0].size(), 5U);
    for (const Request& request : whole[0]) EXPECT_EQ(std::get<1>(request), "W");
    EXPECT_EQ(array->array_counters().full_stripes, before.full_stripes + 1);
    EXPECT_EQ(array->array_counters().parity_reads, before.parity_reads);
    // More than half of the data units: the rest is read instead of the old.
    const auto large =
        steps_of(test::asked_of_components(*array, notes, {4, 0, 24, DriveOperation::write, false, 30}));
    const std::vector<std::vector<Request>> rest{
        {{3, "R", 64, 8}}, {{0, "W", 64, 8}, {1, "W", 64, 8}, {2, "W", 64, 8}, {4, "W", 64, 8}}};
    EXPECT_EQ(large, rest);
    // Two parts of a unit each, less than a unit in all: two parts of the parity.
    const auto two =
        steps_of(test::asked_of_components(*array, notes, {5, 6, 4, DriveOperation::write, false, 40}));
    const std::vector<std::vector<Request>> parts{
        {{0, "R", 70, 2}, {1, "R", 64, 2}, {4, "R", 64, 2}, {4, "R", 70, 2}},
        {{0, "W", 70, 2}, {1, "W", 64, 2}, {4, "W", 64, 2}, {4, "W", 70, 2}}};
    EXPECT_EQ(two, parts);
}

TEST(RaidframeRequests, WritesToOneStripeWaitForEachOtherAndOthersDoNot) {
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array({}, &notes);
    test::asked_of_components(*array, notes, {1, 0, 1, DriveOperation::write, false, 0});
    const auto last_done_s = [&](std::uint64_t first, std::uint64_t second, double at_s) {
        notes.clear();
        array->submit({2, first, 4, DriveOperation::write, false, at_s});
        array->submit({3, second, 4, DriveOperation::write, false, at_s});
        double done_s = 0;
        while (const auto done = array->next(test::no_limit)) done_s = done->done_s;
        return done_s - at_s;
    };
    const double one_s = 2 * (0.010 + 4 * 10e-6);
    EXPECT_NEAR(last_done_s(0, 0, 10), 2 * one_s, 1e-6);    // the same blocks
    EXPECT_NEAR(last_done_s(0, 8, 20), 2 * one_s, 1e-6);    // the same part of the parity
    EXPECT_NEAR(last_done_s(0, 32 + 16, 40), one_s, 1e-6);  // another stripe, other components
    const double queue_s = array->array_counters().queue_s;
    EXPECT_GE(queue_s, 2 * one_s - 1e-6);
}

TEST(RaidframeRequests, NoMoreThanSixAreInTheSet) {
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array({}, &notes);
    for (std::uint64_t i = 0; i < 20; ++i) array->submit({i, i * 8, 8, DriveOperation::read, false, 0});
    EXPECT_FALSE(array->next(0));
    EXPECT_EQ(notes.size(), 6U);
    while (array->next(test::no_limit)) {
    }
    EXPECT_EQ(notes.size(), 20U);
}

}  // namespace
}  // namespace diskwright
