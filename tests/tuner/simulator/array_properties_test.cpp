// SPDX-License-Identifier: BSD-2-Clause
// What holds for every set, whoever drives it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/recording_drive.hpp"

namespace diskwright {
namespace {

using test::NotedRequest;
using test::SetDescription;

const std::vector<SetDescription>& sets() {
    static const std::vector<SetDescription> all{
        {VolumeKind::raidframe, RaidLevel::raid0, 4, 32, "", "", "9.0"},
        {VolumeKind::raidframe, RaidLevel::raid1, 2, 32, "", "", "9.0"},
        {VolumeKind::raidframe, RaidLevel::raid1, 4, 32, "", "", "9.0"},
        {VolumeKind::raidframe, RaidLevel::raid4, 4, 32, "", "", "9.0"},
        {VolumeKind::raidframe, RaidLevel::raid5, 5, 32, "", "", "9.0"},
        {VolumeKind::gmirror, RaidLevel::raid1, 2, 0, "", "load", "12.2"},
        {VolumeKind::gmirror, RaidLevel::raid1, 3, 0, "", "split", "12.2"},
        {VolumeKind::gmirror, RaidLevel::raid1, 2, 0, "", "round-robin", "12.2"},
        {VolumeKind::gmirror, RaidLevel::raid1, 2, 0, "", "prefer", "12.2"},
        {VolumeKind::gstripe, RaidLevel::raid0, 3, 128, "", "", "12.2"},
        {VolumeKind::graid3, RaidLevel::raid3, 5, 0, "", "", "12.2"},
        {VolumeKind::gconcat, RaidLevel::concat, 3, 0, "", "", "12.2"},
        {VolumeKind::softraid, RaidLevel::raid0, 3, 128, "", "", ""},
        {VolumeKind::softraid, RaidLevel::raid1, 2, 0, "", "", ""},
        {VolumeKind::softraid, RaidLevel::raid5, 4, 128, "", "", ""},
        {VolumeKind::softraid, RaidLevel::raid6, 5, 128, "", "", ""},
        {VolumeKind::softraid, RaidLevel::concat, 2, 0, "", "", ""},
        {VolumeKind::md, RaidLevel::raid0, 3, 128, "", "", ""},
        {VolumeKind::md, RaidLevel::raid1, 2, 0, "", "", ""},
        {VolumeKind::md, RaidLevel::raid5, 5, 128, "left-symmetric", "", ""},
        {VolumeKind::md, RaidLevel::raid6, 6, 128, "left-symmetric", "", ""},
        {VolumeKind::md, RaidLevel::raid10, 4, 128, "near=2", "", ""},
        {VolumeKind::md, RaidLevel::raid10, 4, 128, "far=2", "", ""},
        {VolumeKind::hardware, RaidLevel::raid5, 6, 128, "", "", ""},
        {VolumeKind::hardware, RaidLevel::raid5, 6, 128, "", "", "", VolumeState::optimal, 1 << 22},
        {VolumeKind::hardware, RaidLevel::raid10, 4, 128, "", "", "", VolumeState::optimal, 1 << 22},
    };
    return all;
}

std::string name_of(const SetDescription& set) {
    return std::string(to_string(set.kind)) + " " + std::string(to_string(set.level)) + " of " +
           std::to_string(set.columns) + " " + set.layout + set.balance;
}

bool redundant(const SetDescription& set) {
    return set.level != RaidLevel::raid0 && set.level != RaidLevel::concat;
}

struct Load {
    std::uint64_t requests = 400, depth = 8, seed = 1;
    double writes = 0.5;
    std::uint32_t most_blocks = 96;
    bool in_order = false;  // the volume's first blocks, one request after the other
};

struct Outcome {
    std::vector<DriveCompletion> completions;
    DriveCounters volume;
    std::uint64_t read = 0, written = 0;  // blocks, of the components
    double busy_s = 0;                    // the busiest component
    double end_s() const { return completions.empty() ? 0 : completions.back().done_s; }
};

// A closed loop of so many requests at a time; sizes and places are multiples of the sector.
Outcome run(SimulatedArray& array, const Load& load) {
    Outcome out;
    Random random(load.seed);
    std::uint64_t id = 0, next_block = 0;
    const std::uint64_t sector = array.logical_blocks(), sectors = array.blocks() / sector;
    const auto submit = [&](double at_s) {
        const std::uint64_t most = std::max<std::uint64_t>(load.most_blocks / sector, 1);
        const std::uint64_t count = load.in_order ? most : 1 + random.below(most);
        const std::uint64_t at = load.in_order ? next_block : random.below(sectors - count);
        next_block += count;
        const bool write = double(random.below(1000)) < load.writes * 1000;
        array.submit({id++, at * sector, static_cast<std::uint32_t>(count * sector),
                      write ? DriveOperation::write : DriveOperation::read, false, at_s});
    };
    for (std::uint64_t i = 0; i < std::min(load.depth, load.requests); ++i) submit(0);
    while (const auto done = array.next(test::no_limit)) {
        out.completions.push_back(*done);
        if (id < load.requests) submit(done->done_s);
    }
    out.volume = array.counters();
    for (std::size_t i = 0; i < array.components(); ++i) {
        out.read += array.component_counters(i).blocks_read;
        out.written += array.component_counters(i).blocks_written;
        out.busy_s = std::max(out.busy_s, array.component_counters(i).busy_s);
    }
    return out;
}

Outcome run(const SetDescription& set, const Load& load) {
    const auto array = test::recorded_array(set, nullptr);
    return array ? run(*array, load) : Outcome{};
}

TEST(ArrayProperties, EveryRequestIsDoneOnceAndTimeNeverRunsBack) {
    for (const SetDescription& set : sets()) {
        SCOPED_TRACE(name_of(set));
        const Outcome out = run(set, {});
        ASSERT_EQ(out.completions.size(), 400U);
        std::map<std::uint64_t, int> seen;
        double last_s = 0;
        for (const DriveCompletion& done : out.completions) {
            EXPECT_GE(done.done_s, last_s);
            EXPECT_GE(done.done_s, done.arrival_s);
            last_s = done.done_s;
            EXPECT_EQ(++seen[done.id], 1);
        }
        EXPECT_EQ(out.volume.reads + out.volume.writes, 400U);
    }
}

TEST(ArrayProperties, TheSameRequestsGiveTheSameTimes) {
    for (const SetDescription& set : sets()) {
        SCOPED_TRACE(name_of(set));
        const Outcome first = run(set, {}), again = run(set, {});
        ASSERT_EQ(first.completions.size(), again.completions.size());
        for (std::size_t i = 0; i < first.completions.size(); ++i) {
            EXPECT_EQ(first.completions[i].id, again.completions[i].id);
            EXPECT_EQ(first.completions[i].done_s, again.completions[i].done_s);
        }
    }
}

// Drives that don't tell when something happens in them are asked in small steps.
TEST(ArrayProperties, DrivesThatTellNothingGiveTheSameTimes) {
    for (const SetDescription& set : sets()) {
        SCOPED_TRACE(name_of(set));
        const auto array = test::recorded_array(set, nullptr, {}, false);
        ASSERT_TRUE(array);
        const double told_s = run(set, {}).end_s(), asked_s = run(*array, {}).end_s();
        EXPECT_NEAR(asked_s, told_s, 0.01 * told_s);
    }
}

TEST(ArrayProperties, ReadsReadWhatTheyAreFor) {
    for (const SetDescription& set : sets()) {
        SCOPED_TRACE(name_of(set));
        Load load;
        load.writes = 0;
        const Outcome out = run(set, load);
        EXPECT_EQ(out.read, out.volume.blocks_read);
        EXPECT_EQ(out.written, 0U);
    }
}

// Without parity each block goes down once for each copy; with parity, what is more than that is parity.
TEST(ArrayProperties, WritesWriteEveryCopyAndTheParity) {
    for (const SetDescription& set : sets()) {
        SCOPED_TRACE(name_of(set));
        Load load;
        load.writes = 1;
        load.in_order = true;
        load.depth = 1;
        load.most_blocks = 60;
        load.requests = 100;
        const auto array = test::recorded_array(set, nullptr);
        ASSERT_TRUE(array);
        const Outcome out = run(*array, load);
        const ArrayCounters& counters = array->array_counters();
        std::uint64_t copies = 1;
        if (set.level == RaidLevel::raid1) copies = set.kind == VolumeKind::raidframe ? 2 : set.columns;
        if (set.level == RaidLevel::raid10) copies = 2;
        EXPECT_EQ(out.written,
                  out.volume.blocks_written * copies + counters.parity_blocks_written + counters.map_writes);
        if (set.level == RaidLevel::raid5 || set.level == RaidLevel::raid4 || set.level == RaidLevel::raid6) {
            EXPECT_GT(counters.parity_blocks_written, 0U);
            EXPECT_EQ(out.read, counters.parity_blocks_read);
        }
    }
}

TEST(ArrayProperties, MoreSpindlesNeverSlowAParallelReadLoad) {
    for (SetDescription set : sets()) {
        if (set.level == RaidLevel::concat || set.balance == "prefer") continue;  // nothing is spread there
        SCOPED_TRACE(name_of(set));
        Load load;
        load.writes = 0;
        load.depth = 32;
        load.requests = 2000;
        load.most_blocks = set.level == RaidLevel::raid3 ? 96 : 8;
        double before_s = test::no_limit;
        const std::size_t step = set.level == RaidLevel::raid10 || set.columns == 4 ? 2 : 1;
        for (std::size_t columns = set.columns; columns <= set.columns + 4; columns += step) {
            SetDescription larger = set;
            larger.columns = columns;
            const double took_s = run(larger, load).end_s();
            EXPECT_LE(took_s, before_s * 1.02) << columns;
            before_s = took_s;
        }
    }
}

// Reads of a degraded set. Its writes can be cheaper than those of a whole one: what is missing is not
// written.
TEST(ArrayProperties, ADegradedSetNeverReadsFaster) {
    for (const SetDescription& set : sets()) {
        if (!redundant(set)) continue;
        SCOPED_TRACE(name_of(set));
        for (const bool in_order : {false, true}) {
            Load load;
            load.writes = 0;
            load.in_order = in_order;
            load.depth = 16;
            SetDescription degraded = set;
            degraded.state = VolumeState::degraded;
            const Outcome whole = run(set, load), less = run(degraded, load);
            ASSERT_EQ(less.completions.size(), load.requests);
            EXPECT_GE(less.end_s(), whole.end_s() * 0.999);
            EXPECT_GE(less.busy_s, whole.busy_s * 0.999);
        }
    }
}

// Elevators move less between the requests of a queue; one that holds a single request can't choose.
TEST(ArrayProperties, TheDriversQueueChoosesWhatGoesNext) {
    const auto distance = [](const ComponentLimits& limits) {
        std::vector<NotedRequest> notes;
        SetDescription set;
        set.kind = VolumeKind::hardware;
        set.level = RaidLevel::concat;
        set.columns = 1;
        set.unit_blocks = 0;
        const auto array = test::recorded_array(set, &notes, limits);
        Random random(3);
        for (std::uint64_t i = 0; i < 200; ++i)
            array->submit({i, random.below(1 << 19), 8, DriveOperation::read, false, 0});
        while (array->next(test::no_limit)) {
        }
        EXPECT_EQ(notes.size(), 200U);
        double moved = 0;
        for (std::size_t i = 1; i < notes.size(); ++i)
            moved += std::abs(double(notes[i].request.block) - double(notes[i - 1].request.block));
        return moved;
    };
    const double fifo = distance({ComponentOrder::fifo, 1});
    EXPECT_LT(distance({ComponentOrder::sstf, 1}), fifo / 20);
    EXPECT_LT(distance({ComponentOrder::scan, 1}), fifo / 20);
    EXPECT_LT(distance({ComponentOrder::cscan, 1}), fifo / 20);
    EXPECT_EQ(distance({ComponentOrder::sstf, 200}), fifo);
}

TEST(ArrayProperties, ARebuildGoesOnBesideTheLoadAndEnds) {
    for (SetDescription set : sets()) {
        if (!redundant(set)) continue;
        SCOPED_TRACE(name_of(set));
        set.state = VolumeState::rebuilding;
        set.component_blocks = set.kind == VolumeKind::md ? 4096 : 2048;
        const auto array = test::recorded_array(set, nullptr);
        ASSERT_TRUE(array);
        Load load;
        load.requests = 50;
        load.writes = 0;
        EXPECT_EQ(run(*array, load).completions.size(), 50U);
        EXPECT_FALSE(array->next(1e4));
        EXPECT_GE(array->array_counters().rebuild_blocks, 1024U);
        const std::uint64_t recovered = array->array_counters().recovery_reads;
        const std::uint64_t rebuilt = array->array_counters().rebuild_blocks;
        array->submit({1000, 0, array->logical_blocks(), DriveOperation::read, false, 1e4});
        EXPECT_TRUE(array->next(test::no_limit));
        EXPECT_FALSE(array->next(2e4));
        EXPECT_EQ(array->array_counters().recovery_reads, recovered);
        EXPECT_EQ(array->array_counters().rebuild_blocks, rebuilt);
    }
}

TEST(ArrayProperties, WhatCannotBeIsRefused) {
    const std::pair<SetDescription, std::string> rows[] = {
        {{VolumeKind::zfs, RaidLevel::raid5}, "not simulated"},
        {{VolumeKind::raidframe, RaidLevel::raid6}, "has no level 6"},
        {{VolumeKind::raidframe, RaidLevel::raid5, 5, 0}, "stripe_unit_bytes: missing"},
        {{VolumeKind::raidframe, RaidLevel::raid0, 5, 8, "", "", "", VolumeState::degraded},
         "can't be degraded"},
        {{VolumeKind::raidframe, RaidLevel::raid5, 5, 8, "", "", "", VolumeState::failed}, "does nothing"},
        {{VolumeKind::md, RaidLevel::raid5, 5, 8, "sideways"}, "layout"},
        {{VolumeKind::gmirror, RaidLevel::raid1, 2, 0, "", "heavy"}, "balance"},
        {{VolumeKind::gstripe, RaidLevel::raid0, 2, 1 << 22}, "layout"},
    };
    for (const auto& [set, why] : rows) {
        std::vector<std::unique_ptr<SimulatedDrive>> drives;
        for (std::uint32_t i = 0; i < set.columns; ++i)
            drives.push_back(std::make_unique<test::RecordingDrive>(1 << 20, i, nullptr));
        const auto array = make_array(test::configuration_of(set), std::move(drives));
        ASSERT_FALSE(array) << why;
        EXPECT_NE(array.error().message.find(why), std::string::npos) << array.error().message;
    }
}

}  // namespace
}  // namespace diskwright
