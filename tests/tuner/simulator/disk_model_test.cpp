// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disk_model.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/drives.hpp"
#include "tuner/simulator/drives.hpp"

namespace diskwright {
namespace {

using test::no_limit;
using test::one_at_a_time;
using test::round_drive;

DriveRequest read_of(std::uint64_t block, std::uint32_t blocks) {
    return {0, block, blocks, DriveOperation::read, false, 0};
}
DriveRequest write_of(std::uint64_t block, std::uint32_t blocks, bool through = false) {
    return {0, block, blocks, DriveOperation::write, through, 0};
}
const DriveRequest flush_of{0, 0, 0, DriveOperation::flush, false, 0};

DriveParameters caching_drive() {
    DriveParameters drive = round_drive();
    drive.buffer.caches = true;
    drive.buffer.segments = 4;
    drive.buffer.write_segments = 16;
    drive.buffer.read_ahead = ReadAhead::segment_end;
    drive.buffer.most_read_ahead = 500;
    drive.buffer.fast_write = FastWrite::all;
    drive.buffer.write_prebuffering = drive.buffer.sneaky_full_hits = drive.buffer.almost_read_hits = true;
    drive.buffer.preseek = 2;
    drive.overheads.read_hit = drive.overheads.write_hit = {0.0001, 0.0001};
    drive.overheads.read_miss = drive.overheads.write_miss = {0.0001, 0.0001};
    drive.bus.read_block_s = drive.bus.write_block_s = 1e-6;
    drive.order = QueueOrder::shortest_positioning;
    drive.queue_depth = 32;
    return drive;
}

// A mixed load on every kind of drive that is shipped, so many outstanding.
struct Load {
    std::vector<DriveCompletion> completions;
    DriveCounters counters;
    std::uint64_t dirty = 0, blocks_written = 0, blocks_read = 0;
};

Load run_load(SimulatedDrive& drive, std::size_t count, std::size_t depth, std::uint64_t seed) {
    Load load;
    Random random(seed);
    double now_s = 0;
    std::uint64_t id = 0, last = 0;
    const auto submit = [&] {
        DriveRequest request;
        request.id = id++;
        request.arrival_s = now_s + (random.below(4) == 0 ? 0.001 * random.unit() : 0);
        const std::uint64_t unit = drive.physical_blocks() * 8, places = drive.blocks() / unit - 16;
        request.block = random.below(3) == 0 ? last : random.below(places) * unit;
        request.blocks = static_cast<std::uint32_t>((1 + random.below(8)) * unit);
        last = request.block + request.blocks <= drive.blocks() - 128 * unit ? request.block + request.blocks
                                                                             : 0;
        const std::uint64_t kind = random.below(40);
        request.operation = kind == 0   ? DriveOperation::flush
                            : kind < 20 ? DriveOperation::read
                                        : DriveOperation::write;
        request.through = kind == 39;
        if (request.operation == DriveOperation::flush) request.block = request.blocks = 0;
        (request.operation == DriveOperation::read ? load.blocks_read : load.blocks_written) +=
            request.blocks;
        now_s = request.arrival_s;
        drive.submit(request);
    };
    while (id < depth) submit();
    while (load.completions.size() < count) {
        const auto done = drive.next(no_limit);
        if (!done) break;
        load.completions.push_back(*done);
        now_s = std::max(now_s, done->done_s);
        if (id < count) submit();
    }
    load.counters = drive.counters();
    load.dirty = drive.dirty_blocks();
    return load;
}

TEST(DiskModel, ConservesBytesAndTimeNeverRunsBackAndTheSameComesOutAgain) {
    for (const auto& [name, plain] : shipped_disks())
        for (const std::size_t depth : {1U, 7U}) {
            SCOPED_TRACE(name + " at depth " + std::to_string(depth));
            constexpr std::size_t count = 3000;
            const auto first = shipped_drive(name), again = shipped_drive(name);
            ASSERT_TRUE(first) << first.error().message;
            const Load load = run_load(*first->drive, count, depth, 1);
            ASSERT_EQ(load.completions.size(), count);
            double before_s = 0;
            for (const DriveCompletion& done : load.completions) {
                EXPECT_GE(done.done_s, done.arrival_s);
                EXPECT_GE(done.done_s, before_s);
                before_s = done.done_s;
            }
            EXPECT_EQ(load.counters.blocks_read, load.blocks_read);
            EXPECT_EQ(load.counters.blocks_written, load.blocks_written);
            EXPECT_LE(load.counters.blocks_from_buffer, load.counters.blocks_read);
            if (plain.rpm.value_or(0) > 0) {
                EXPECT_EQ(load.blocks_written,
                          load.counters.media_written + load.counters.overwritten_in_buffer + load.dirty)
                    << "in = on the medium + waiting";
            }
            const Load repeated = run_load(*again->drive, count, depth, 1);
            for (std::size_t i = 0; i < count; ++i) {
                ASSERT_EQ(load.completions[i].id, repeated.completions[i].id);
                ASSERT_EQ(load.completions[i].done_s, repeated.completions[i].done_s);
            }
        }
}

TEST(DiskModel, WhatWasReadAheadComesFromTheBuffer) {
    DiskModel disk(caching_drive());
    const auto service_s = one_at_a_time(disk, {read_of(1000, 8)});
    DriveRequest next = read_of(1008, 8);
    next.arrival_s = 1;
    disk.submit(next);
    EXPECT_NEAR(disk.next(no_limit)->done_s - 1, 0.0001 + 8e-6, 1e-9);
    EXPECT_GT(service_s[0], 0.0005);
    EXPECT_EQ(disk.counters().blocks_from_buffer, 8U);
}

TEST(DiskModel, AReadAheadDoesNotHoldUpWhoComesNext) {
    DiskModel idle(caching_drive()), busy(caching_drive());
    one_at_a_time(busy, {read_of(0, 8)});
    DriveRequest far = read_of(200'000, 8);
    far.arrival_s = 0.020;
    idle.submit(far);
    busy.submit(far);
    EXPECT_LE(busy.next(no_limit)->done_s, idle.next(no_limit)->done_s + 0.0101)
        << "at most a block and a turn";
}

TEST(DiskModel, WritesAreReportedEarlyAndAFlushWaitsForThem) {
    DiskModel disk(caching_drive());
    const auto service_s = one_at_a_time(disk, {write_of(200'000, 8), write_of(100, 8), flush_of, flush_of});
    ASSERT_EQ(service_s.size(), 4U);
    EXPECT_NEAR(service_s[0], 0.0001 + 8e-6, 1e-9);
    EXPECT_NEAR(service_s[1], 0.0001 + 8e-6, 1e-9);
    EXPECT_GT(service_s[2], 0.010);
    EXPECT_NEAR(service_s[3], 0.0001, 1e-9);
    EXPECT_EQ(disk.dirty_blocks(), 0U);
    EXPECT_EQ(disk.counters().media_written, 16U);
}

TEST(DiskModel, AWriteThroughTheCacheIsOnTheMedium) {
    DiskModel disk(caching_drive());
    const auto service_s = one_at_a_time(disk, {write_of(200'000, 8, true)});
    EXPECT_GT(service_s[0], 0.002);
    EXPECT_EQ(disk.dirty_blocks(), 0U);
    EXPECT_EQ(disk.counters().media_written, 8U);
}

TEST(DiskModel, AFullBufferMakesWritesWait) {
    DriveParameters drive = caching_drive();
    drive.buffer.write_segments = 2;
    DiskModel disk(drive);
    std::vector<DriveRequest> writes;
    for (std::uint64_t i = 0; i < 6; ++i) writes.push_back(write_of((i * 61'000) % 400'000, 8));
    const auto service_s = one_at_a_time(disk, writes);
    EXPECT_LT(service_s[0], 0.001);
    EXPECT_GT(service_s[5], 0.001);
    EXPECT_LE(disk.dirty_blocks(), 24U);
}

TEST(DiskModel, WritingTheSameAgainGoesDownOnce) {
    DiskModel disk(caching_drive());
    one_at_a_time(disk, {write_of(100'000, 8), write_of(300'000, 8), write_of(300'000, 8),
                         write_of(300'000, 8), flush_of});
    EXPECT_EQ(disk.counters().media_written, 16U);
    EXPECT_EQ(disk.counters().overwritten_in_buffer, 16U);
}

TEST(DiskModel, AnUnalignedWriteCostsARevolution) {
    DriveParameters drive = round_drive();
    drive.physical_blocks = 4;  // 100 blocks to a track are 25 sectors
    double mean_s[2] = {0, 0};
    for (const std::uint64_t offset : {0U, 1U}) {
        DiskModel disk(drive);
        std::vector<DriveRequest> writes;
        for (const DriveRequest& request : test::scattered(disk, 4000, 8, DriveOperation::write))
            writes.push_back(write_of(std::min<std::uint64_t>(request.block + offset, 399'990), 8));
        for (const double seconds : one_at_a_time(disk, writes)) mean_s[offset] += seconds / 4000;
    }
    EXPECT_NEAR(mean_s[1] - mean_s[0], 0.010, 0.0006);
}

TEST(DiskModel, NothingHappensBeforeItIsAskedFor) {
    DiskModel disk(round_drive());
    EXPECT_FALSE(disk.next(no_limit));
    DriveRequest later = read_of(0, 1);
    later.arrival_s = 5;
    disk.submit(later);
    EXPECT_FALSE(disk.next(4.9));
    EXPECT_GE(disk.next(no_limit)->done_s, 5);
}

}  // namespace
}  // namespace diskwright
