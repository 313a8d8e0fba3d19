// SPDX-License-Identifier: BSD-2-Clause
// What tells the drivers of sets apart.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/recording_drive.hpp"

namespace diskwright {
namespace {

using test::NotedRequest;
using test::SetDescription;

using Request = std::tuple<std::uint32_t, char, std::uint64_t, std::uint64_t>;

char letter(DriveOperation operation) {
    return operation == DriveOperation::read ? 'R' : operation == DriveOperation::write ? 'W' : 'F';
}

std::vector<std::vector<Request>> steps_of(const std::vector<NotedRequest>& notes) {
    std::vector<std::vector<Request>> steps;
    double at_s = -1;
    for (const NotedRequest& note : notes) {
        if (note.request.arrival_s != at_s) steps.emplace_back();
        at_s = note.request.arrival_s;
        steps.back().emplace_back(note.component, letter(note.request.operation), note.request.block,
                                  note.request.blocks);
    }
    for (auto& step : steps) std::sort(step.begin(), step.end());
    return steps;
}

std::vector<std::vector<Request>> asked(const SetDescription& set, std::uint64_t block, std::uint32_t blocks,
                                        DriveOperation operation) {
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array(set, &notes);
    return array ? steps_of(test::asked_of_components(*array, notes, {1, block, blocks, operation, false, 0}))
                 : std::vector<std::vector<Request>>{};
}

using Steps = std::vector<std::vector<Request>>;

TEST(SetDrivers, Softraid5ReadsTheRestEvenWhenAStripeIsWrittenWhole) {
    const SetDescription set{VolumeKind::softraid, RaidLevel::raid5, 3, 64};
    const Steps one{{{1, 'R', 528, 8}}, {{0, 'W', 528, 8}, {2, 'W', 528, 8}}};
    EXPECT_EQ(asked(set, 0, 8, DriveOperation::write), one);
    const auto whole = asked(set, 0, 128, DriveOperation::write);
    ASSERT_EQ(whole.size(), 2U);
    EXPECT_EQ(whole[0].size(), 2U);
    EXPECT_EQ(whole[1].size(), 4U);
}

TEST(SetDrivers, SoftraidFlushesWaitForWhatGoesOnAndReachNoComponent) {
    const SetDescription set{VolumeKind::softraid, RaidLevel::raid1, 2, 0};
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array(set, &notes);
    array->submit({1, 0, 8, DriveOperation::write, false, 0});
    array->submit({2, 0, 0, DriveOperation::flush, false, 0.001});
    const auto write = array->next(test::no_limit), flush = array->next(test::no_limit);
    ASSERT_TRUE(write && flush);
    EXPECT_EQ(write->done_s, flush->done_s);
    EXPECT_EQ(notes.size(), 2U);
    EXPECT_EQ(array->array_counters().lost_flushes, 1U);
}

TEST(SetDrivers, MdChoosesWhateverNeedsFewerReads) {
    const SetDescription set{VolumeKind::md, RaidLevel::raid5, 5, 8};
    const std::uint64_t head = 2048;  // of a small member
    const Steps one{{{0, 'R', head, 8}, {4, 'R', head, 8}}, {{0, 'W', head, 8}, {4, 'W', head, 8}}};
    EXPECT_EQ(asked(set, 0, 8, DriveOperation::write), one);
    // Two of four units: the old would be three reads, the rest is two.
    const Steps two{{{2, 'R', head, 8}, {3, 'R', head, 8}},
                    {{0, 'W', head, 8}, {1, 'W', head, 8}, {4, 'W', head, 8}}};
    EXPECT_EQ(asked(set, 0, 16, DriveOperation::write), two);
    EXPECT_EQ(asked(set, 0, 32, DriveOperation::write).size(), 1U);
    const auto raid6 = asked({VolumeKind::md, RaidLevel::raid6, 10, 8}, 0, 8, DriveOperation::write);
    ASSERT_EQ(raid6.size(), 2U);
    EXPECT_EQ(raid6[0].size(), 3U);
    EXPECT_EQ(raid6[1].size(), 3U);
}

TEST(SetDrivers, MdGathersWritesThatComeTogetherIntoStripes) {
    const SetDescription set{VolumeKind::md, RaidLevel::raid5, 5, 8};
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array(set, &notes);
    for (std::uint64_t i = 0; i < 32; ++i) array->submit({i, i * 4, 4, DriveOperation::write, false, 0});
    std::size_t done = 0;
    while (array->next(test::no_limit)) ++done;
    EXPECT_EQ(done, 32U);
    for (const NotedRequest& note : notes) EXPECT_EQ(note.request.operation, DriveOperation::write);
    EXPECT_EQ(array->array_counters().full_stripes, 4U);
}

TEST(SetDrivers, NeighboursGoToAComponentAsOneRequestWhereTheSystemJoinsThem) {
    const Steps joined{{{0, 'R', 2048, 16}, {1, 'R', 2048, 16}}};
    EXPECT_EQ(asked({VolumeKind::md, RaidLevel::raid0, 2, 8}, 0, 32, DriveOperation::read), joined);
    EXPECT_EQ(asked({VolumeKind::gstripe, RaidLevel::raid0, 2, 8}, 0, 32, DriveOperation::read).at(0).size(),
              4U);
}

TEST(SetDrivers, Graid3AsksAllForEveryRequest) {
    const SetDescription set{VolumeKind::graid3, RaidLevel::raid3, 5, 0};
    const Steps read{{{0, 'R', 2, 1}, {1, 'R', 2, 1}, {2, 'R', 2, 1}, {3, 'R', 2, 1}}};
    EXPECT_EQ(asked(set, 8, 4, DriveOperation::read), read);
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array(set, &notes);
    EXPECT_EQ(array->logical_blocks(), 4U);
    EXPECT_EQ(array->blocks(), 4 * (set.component_blocks - 1));
    SetDescription in_turn = set;
    in_turn.balance = "round-robin";
    const auto turning = test::recorded_array(in_turn, &notes);
    std::set<std::uint32_t> left_out;
    for (std::uint64_t i = 0; i < 5; ++i) {
        std::set<std::uint32_t> all{0, 1, 2, 3, 4};
        for (const NotedRequest& note : test::asked_of_components(
                 *turning, notes, {i, i * 4, 4, DriveOperation::read, false, double(i)}))
            all.erase(note.component);
        EXPECT_EQ(all.size(), 1U);
        left_out.insert(all.begin(), all.end());
    }
    EXPECT_EQ(left_out.size(), 5U);
}

std::vector<std::uint64_t> reads_by_component(std::string_view balance, std::uint32_t blocks, bool in_order) {
    SetDescription set{VolumeKind::gmirror, RaidLevel::raid1, 2, 0};
    set.balance = balance;
    const auto array = test::recorded_array(set, nullptr);
    Random random(1);
    double now_s = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        array->submit({i, in_order ? i * blocks : random.below(set.component_blocks - blocks - 1), blocks,
                       DriveOperation::read, false, now_s});
        now_s = array->next(test::no_limit)->done_s;
    }
    return {array->component_counters(0).reads, array->component_counters(1).reads};
}

TEST(SetDrivers, GmirrorBalances) {
    using Counts = std::vector<std::uint64_t>;
    EXPECT_EQ(reads_by_component("round-robin", 8, false), (Counts{50, 50}));
    EXPECT_EQ(reads_by_component("prefer", 8, false), (Counts{100, 0}));
    EXPECT_EQ(reads_by_component("split", 8, false), (Counts{50, 50})) << "not above the slice";
    EXPECT_EQ(reads_by_component("split", 64, false), (Counts{100, 100}));
    const Counts in_order = reads_by_component("load", 64, true);
    EXPECT_GE(std::max(in_order[0], in_order[1]), 99U) << "who reads on stays with its disk";
    const Counts anywhere = reads_by_component("load", 8, false);
    EXPECT_GT(std::min(anywhere[0], anywhere[1]), 20U);
}

TEST(SetDrivers, GmirrorMarksItsDisksInTheirLastSector) {
    const SetDescription set{VolumeKind::gmirror, RaidLevel::raid1, 2, 0};
    const auto steps = asked(set, 0, 8, DriveOperation::write);
    const Steps expected{{{0, 'W', set.component_blocks - 1, 1}},
                         {{1, 'W', set.component_blocks - 1, 1}},
                         {{0, 'W', 0, 8}, {1, 'W', 0, 8}}};
    EXPECT_EQ(steps, expected);
}

TEST(SetDrivers, AControllersCacheAnswersAtOnceAndGathersStripes) {
    SetDescription set{VolumeKind::hardware, RaidLevel::raid5, 5, 8};
    set.cache_bytes = 1 << 20;
    std::vector<NotedRequest> notes;
    const auto array = test::recorded_array(set, &notes);
    double now_s = 0;
    for (std::uint64_t i = 0; i < 16; ++i) {
        array->submit({i, i * 4, 4, DriveOperation::write, false, now_s});
        const auto done = array->next(test::no_limit);
        ASSERT_TRUE(done);
        EXPECT_LT(done->done_s - now_s, 100e-6);
        now_s = done->done_s;
    }
    array->submit({100, 0, 0, DriveOperation::flush, false, now_s});
    EXPECT_LT(array->next(test::no_limit)->done_s - now_s, 100e-6);
    EXPECT_FALSE(array->next(now_s + 10));
    EXPECT_EQ(array->dirty_blocks(), 0U);
    EXPECT_EQ(array->array_counters().full_stripes, 2U);
    EXPECT_EQ(notes.size(), 10U);
    // What is still in the cache is read from there.
    array->submit({101, 4096, 8, DriveOperation::write, false, now_s + 11});
    array->submit({102, 4096, 8, DriveOperation::read, false, now_s + 11});
    EXPECT_TRUE(array->next(test::no_limit));
    EXPECT_LT(array->next(test::no_limit)->done_s, now_s + 11.001);
    EXPECT_EQ(array->dirty_blocks(), 8U);
    EXPECT_FALSE(array->next(test::no_limit));
    EXPECT_EQ(array->dirty_blocks(), 0U);
}

TEST(SetDrivers, AFullControllersCacheIsAsSlowAsTheSet) {
    const auto took_s = [](std::uint64_t cache_bytes) {
        SetDescription set{VolumeKind::hardware, RaidLevel::raid5, 5, 8};
        set.cache_bytes = cache_bytes;
        const auto array = test::recorded_array(set, nullptr);
        Random random(1);
        for (std::uint64_t i = 0; i < 500; ++i)
            array->submit({i, random.below(array->blocks() / 8) * 8, 8, DriveOperation::write, false, 0});
        double done_s = 0;
        while (const auto done = array->next(test::no_limit)) done_s = done->done_s;
        return done_s;
    };
    EXPECT_LT(took_s(64 << 20), 0.1);
    EXPECT_GT(took_s(64 << 10), 2.0);
    EXPECT_LE(took_s(64 << 10), took_s(0) * 1.2);
}

TEST(SetDrivers, DegradedParitySetsReadTheOthers) {
    SetDescription set{VolumeKind::raidframe, RaidLevel::raid5, 4, 8};
    set.state = VolumeState::degraded;  // component 0
    const Steps read{{{1, 'R', 64, 8}, {2, 'R', 64, 8}, {3, 'R', 64, 8}}};
    EXPECT_EQ(asked(set, 0, 8, DriveOperation::read), read);
    set.release = "5.1";  // without a parity map
    const Steps missing_data{{{1, 'R', 64, 8}, {2, 'R', 64, 8}}, {{3, 'W', 64, 8}}};
    EXPECT_EQ(asked(set, 0, 8, DriveOperation::write), missing_data);
    const Steps other_data{{{1, 'R', 64, 8}, {3, 'R', 64, 8}}, {{1, 'W', 64, 8}, {3, 'W', 64, 8}}};
    EXPECT_EQ(asked(set, 8, 8, DriveOperation::write), other_data);
    const Steps missing_parity{{{1, 'W', 88, 8}}};  // the fourth stripe's is on component 0
    EXPECT_EQ(asked(set, 72, 8, DriveOperation::write), missing_parity);
    // With the missing unit written in part, RAIDframe takes one unit after the other.
    EXPECT_EQ(asked(set, 4, 8, DriveOperation::write).size(), 4U);
}

}  // namespace
}  // namespace diskwright
