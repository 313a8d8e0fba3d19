// SPDX-License-Identifier: BSD-2-Clause
// Drives of which only a data sheet's figures are known: what the model makes of them.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "tests/support/drives.hpp"
#include "tuner/simulator/drives.hpp"

namespace diskwright {
namespace {

using test::no_limit;
using test::one_at_a_time;

constexpr double turn_s = 60.0 / 7200, media_s = 512 / 150e6, bus_s = 512 / 300e6, command_s = 0.0001;

DiskParameters described(bool write_cache) {
    DiskParameters disk;
    disk.size_bytes = 17179869184;
    disk.rpm = 7200;
    disk.seek_min_s = 0.0005;
    disk.seek_max_s = 0.016;
    disk.settle_write_s = 0.0003;
    disk.transfer_bytes_per_s = 150e6;
    disk.interface_bytes_per_s = 300e6;
    disk.command_s = command_s;
    disk.cache_bytes = 16 << 20;
    disk.read_ahead_bytes = 512 << 10;
    disk.write_cache = write_cache ? Switch::on : Switch::off;
    disk.queue_depth = 32;
    return disk;
}

std::unique_ptr<SimulatedDrive> drive(bool write_cache) {
    return std::move(drive_of(described(write_cache)).value().drive);
}

DriveRequest request(DriveOperation operation, std::uint64_t block, std::uint32_t blocks, double at_s = 0) {
    return {block, block, blocks, operation, false, at_s};
}
DriveRequest write_of(std::uint64_t block, std::uint32_t blocks, double at_s = 0) {
    return request(DriveOperation::write, block, blocks, at_s);
}
DriveRequest read_of(std::uint64_t block, std::uint32_t blocks, double at_s = 0) {
    return request(DriveOperation::read, block, blocks, at_s);
}

// All at once; by block, when each was done.
std::map<std::uint64_t, double> together(SimulatedDrive& disk, const std::vector<DriveRequest>& requests) {
    for (const DriveRequest& each : requests) disk.submit(each);
    std::map<std::uint64_t, double> done_s;
    while (const auto done = disk.next(no_limit)) done_s[done->id] = done->done_s;
    return done_s;
}

// Synchronous writes of NetBSD's touch(1) on such a drive: gap after the one before, first byte, bytes,
// service time as measured.
TEST(PlainDrive, ServesWritesOneAfterTheOtherAsMeasured) {
    struct Row {
        double gap_s;
        std::uint64_t byte;
        std::uint32_t bytes;
        double service_s;
    };
    const Row rows[] = {{0, 10810050560, 2048, 0.007487},       {0.000040, 10810163200, 16384, 0.000806},
                        {0, 10810052608, 2048, 0.007501},       {0.000040, 10810163200, 16384, 0.000793},
                        {0, 10810054656, 2048, 0.007514},       {0.000040, 10810163200, 16384, 0.000779},
                        {0, 10810056704, 2048, 0.007528},       {0.000040, 10810163200, 16384, 0.000765},
                        {0.000020, 10810179584, 2048, 0.008327}};
    const auto disk = drive(false);
    double now_s = one_at_a_time(*disk, {write_of(10810163200 / 512, 32)})[0];
    for (const Row& row : rows) {
        now_s += row.gap_s;
        disk->submit(write_of(row.byte / 512, row.bytes / 512, now_s));
        const double done_s = disk->next(no_limit)->done_s;
        EXPECT_NEAR(done_s - now_s, row.service_s, 0.000010) << row.byte;
        now_s = done_s;
    }
}

TEST(PlainDrive, WhatFollowsWithoutAGapGoesOnWhereTheArmIs) {
    const auto disk = drive(false);
    std::vector<DriveRequest> writes;
    for (std::uint64_t i = 0; i < 100; ++i) writes.push_back(write_of(1000 + 128 * i, 128));
    const auto service_s = one_at_a_time(*disk, writes);
    for (std::size_t i = 1; i < service_s.size(); ++i) EXPECT_NEAR(service_s[i], 128 * media_s, 1e-6) << i;
}

TEST(PlainDrive, QueuedWritesOfOneRowMissNoTurn) {
    const auto disk = drive(false);
    std::vector<DriveRequest> writes;
    for (std::uint64_t i = 0; i < 30; ++i) writes.push_back(write_of(1000 + 128 * i, 128));
    const auto done_s = together(*disk, writes);
    EXPECT_LT(done_s.at(1000), 2 * turn_s);
    EXPECT_NEAR(done_s.at(1000 + 128 * 29) - done_s.at(1000), 29 * 128 * media_s, 1e-5);
}

TEST(PlainDrive, CachedWritesTakeTheirCommandsOneByOne) {
    const auto disk = drive(true);
    std::vector<DriveRequest> writes;
    for (std::uint64_t i = 0; i < 20; ++i) writes.push_back(write_of(100'000 * i, 8));
    const auto done_s = together(*disk, writes);
    for (std::uint64_t i = 0; i < 20; ++i)
        EXPECT_NEAR(done_s.at(100'000 * i), double(i + 1) * (command_s + 8 * bus_s), 1e-9) << i;
}

TEST(PlainDrive, ACachedWriteWaitsForTheReadThatHasTheDrive) {
    const auto disk = drive(true);
    const auto done_s = together(*disk, {read_of(20'000'000, 8), write_of(5'000'000, 8, 0.0005)});
    EXPECT_GT(done_s.at(20'000'000), 0.005);
    EXPECT_NEAR(done_s.at(5'000'000), done_s.at(20'000'000) + command_s + 8 * bus_s, 0.00001);
}

TEST(PlainDrive, ACachedWriteIsNotTakenBeforeTheArmIsFreeForTheReadThatWaits) {
    for (const bool waits : {false, true}) {
        const auto disk = drive(true);
        // The first goes down when the read comes, and still does when the second write does.
        std::vector<DriveRequest> requests{write_of(30'000'000, 8), write_of(5'000'000, 8, 0.002)};
        if (waits) requests.insert(requests.begin() + 1, read_of(20'000'000, 8, 0.001));
        const double took_s = together(*disk, requests).at(5'000'000) - 0.002;
        if (waits) {
            EXPECT_GT(took_s, 0.002);
        } else {
            EXPECT_NEAR(took_s, command_s + 8 * bus_s, 1e-9);
        }
    }
}

TEST(PlainDrive, NothingIsReadFromTheBufferThatWasOverwrittenSince) {
    const auto disk = drive(true);
    // The drive reads on over the blocks that are written then, before the arm gets there.
    double now_s = one_at_a_time(*disk, {read_of(1000, 8)})[0];
    disk->submit(write_of(1900, 8, now_s));
    now_s = disk->next(no_limit)->done_s;
    disk->submit(request(DriveOperation::flush, 0, 0, now_s));
    now_s = disk->next(no_limit)->done_s + 1;
    const auto before = disk->counters().blocks_from_buffer;
    disk->submit(read_of(1900, 8, now_s));
    EXPECT_GT(disk->next(no_limit)->done_s - now_s, command_s + 8 * media_s);
    EXPECT_EQ(disk->counters().blocks_from_buffer, before);
}

TEST(PlainDrive, AReadOfWhatWaitsInTheBufferHasItWrittenDownFirst) {
    const auto disk = drive(true);
    const auto done_s = together(*disk, {write_of(5'000'000, 8), read_of(5'000'000, 8, 0.001)});
    ASSERT_EQ(done_s.size(), 1U);  // both have the block as their number; the read is the later one
    EXPECT_GT(done_s.at(5'000'000), 0.001 + command_s + 8 * bus_s);
    EXPECT_EQ(disk->counters().media_written, 8U);
    EXPECT_EQ(disk->counters().blocks_from_buffer, 8U);
    EXPECT_EQ(disk->dirty_blocks(), 0U);
}

TEST(PlainDrive, ReadsTheNextTrackAtTheRateItIsSaidToSustain) {
    const auto disk = drive(false);
    std::vector<DriveRequest> reads;
    for (std::uint64_t i = 0; i < 1000; ++i) reads.push_back(read_of(4096 * i, 4096));
    double took_s = 0;
    for (const double seconds : one_at_a_time(*disk, reads)) took_s += seconds;
    EXPECT_NEAR(1000 * 4096 * 512 / took_s, 150e6, 0.6e6);
}

}  // namespace
}  // namespace diskwright
