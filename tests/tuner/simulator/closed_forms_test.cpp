// SPDX-License-Identifier: BSD-2-Clause
// What the arithmetic of rotating disks says must come out of the model.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/drives.hpp"
#include "tuner/simulator/disk_model.hpp"
#include "tuner/simulator/drives.hpp"
#include "tuner/simulator/response_distribution.hpp"

namespace diskwright {
namespace {

using test::one_at_a_time;
using test::round_drive;
using test::scattered;

TEST(ClosedForms, MeanRotationalLatencyIsHalfARevolution) {
    DiskModel disk(round_drive());
    constexpr std::size_t count = 20'000;
    one_at_a_time(disk, scattered(disk, count, 1));
    EXPECT_NEAR(disk.counters().rotation_s / count, 0.005, 0.00005);
}

TEST(ClosedForms, MeanSeekOfUniformRandomRequests) {
    const DriveParameters drive = round_drive();
    DiskModel disk(drive);
    constexpr std::size_t count = 40'000;
    one_at_a_time(disk, scattered(disk, count, 1));
    // Of n cylinders, a distance d > 0 has the probability 2 (n - d) / n^2; within one, 3 of 4 switch heads.
    double expected = 0.75 * 0.001 / 1000;
    for (double d = 1; d < 1000; ++d)
        expected +=
            2 * (1000 - d) / 1e6 * SeekCurve::of(drive.mechanics.seek, 1000, static_cast<std::uint32_t>(d));
    EXPECT_NEAR(disk.counters().seek_s / count, expected, 0.01 * expected);
    // The continuous form: 1 ms + 8/15 of the 10 ms that the square root spans.
    EXPECT_NEAR(expected, 0.001 + 0.010 * 8 / 15, 0.0001);
}

TEST(ClosedForms, SequentialRateOfAZoneIsATrackPerRevolutionAndSkew) {
    for (const bool write : {false, true}) {
        DriveParameters drive = round_drive();
        DiskModel disk(drive);
        // 50 cylinders in one request after the other, each a whole track: a switch of heads or cylinders
        // each.
        std::vector<DriveRequest> requests;
        for (std::uint64_t track = 0; track < 200; ++track)
            requests.push_back(
                {track, track * 100, 100, write ? DriveOperation::write : DriveOperation::read, false, 0});
        double took_s = 0;
        for (const double seconds : one_at_a_time(disk, requests)) took_s += seconds;
        const double turns =
            200 * 1.0 + 200 * 0.10 + 49 * 0.05;  // tracks, track skews, what cylinder skews add
        EXPECT_NEAR(took_s, turns * 0.010, 0.012);
    }
}

TEST(ClosedForms, ZeroLatencyReadsATrackInOneRevolution) {
    DriveParameters drive = round_drive();
    std::array<double, 2> mean_s{};
    for (const bool zero_latency : {false, true}) {
        drive.buffer.zero_latency_read = zero_latency;
        DiskModel disk(drive);
        auto requests = scattered(disk, 4000, 100);
        const auto service_s = one_at_a_time(disk, requests);
        mean_s[zero_latency] = *mean(service_s) - disk.counters().seek_s / 4000;
        if (zero_latency) {
            EXPECT_LE(*std::max_element(service_s.begin(), service_s.end()), 0.011 + 0.010 + 0.0002);
        }
    }
    EXPECT_NEAR(mean_s[0], 0.015, 0.0002);  // half a revolution, and one
    EXPECT_NEAR(mean_s[1], 0.010 + 0.00005,
                0.0001);  // one, and on average half a block until the next begins
}

TEST(ClosedForms, ShortestPositioningGrowsWithTheQueueAsPublished) {
    // Worthington, Ganger and Patt, "Scheduling algorithms for modern disk drives", 1994: at long queues the
    // shortest positioning serves more than twice what first come, first served does.
    DriveParameters drive = round_drive();
    const auto rate = [&](QueueOrder order, std::uint32_t depth) {
        drive.order = order;
        drive.queue_depth = depth;
        DiskModel disk(drive);
        return test::rate_at_depth(disk, scattered(disk, 8000, 8), depth);
    };
    const double fifo = rate(QueueOrder::fifo, 1);
    EXPECT_NEAR(rate(QueueOrder::fifo, 32), fifo, 0.02 * fifo);
    double before = fifo;
    for (const std::uint32_t depth : {4U, 8U, 16U, 32U, 64U}) {
        const double now = rate(QueueOrder::shortest_positioning, depth);
        EXPECT_GT(now, 1.08 * before) << depth;
        before = now;
    }
    EXPECT_GT(rate(QueueOrder::shortest_positioning, 32), 2.0 * fifo);
    EXPECT_LT(rate(QueueOrder::shortest_positioning, 32), 3.5 * fifo);
    const double seek_only = rate(QueueOrder::shortest_seek, 32);
    EXPECT_GT(seek_only, 1.3 * fifo);
    EXPECT_LT(seek_only, rate(QueueOrder::shortest_positioning, 32));
    for (const QueueOrder sweep : {QueueOrder::elevator, QueueOrder::cyclic}) {
        EXPECT_GT(rate(sweep, 32), 1.2 * fifo);
        EXPECT_LT(rate(sweep, 32), rate(QueueOrder::shortest_positioning, 32));
    }
}

TEST(ClosedForms, SustainedRateOfADescribedDriveIsTheOneItGives) {
    DiskParameters plain;
    plain.size_bytes = 1'000'000'000'000;
    plain.rpm = 7200;
    plain.transfer_bytes_per_s = 150e6;
    plain.transfer_inner_bytes_per_s = 75e6;
    plain.interface_bytes_per_s = 600e6;
    plain.queue_depth = 1;
    const auto named = drive_of(plain);
    ASSERT_TRUE(named) << named.error().message;
    SimulatedDrive& disk = *named->drive;
    for (const bool inner : {false, true}) {
        constexpr std::uint32_t chunk = 2048;
        std::vector<DriveRequest> requests;
        const std::uint64_t start = inner ? disk.blocks() - 400 * chunk : 0;
        for (std::uint64_t i = 0; i < 400; ++i)
            requests.push_back({i, start + i * chunk, chunk, DriveOperation::read, false, 0});
        double took_s = 0;
        for (const double seconds : one_at_a_time(disk, requests, inner ? 1000 : 0)) took_s += seconds;
        const double rate = 400.0 * chunk * 512 / took_s;
        EXPECT_NEAR(rate, inner ? 75e6 : 150e6, inner ? 3e6 : 6e6);
    }
}

}  // namespace
}  // namespace diskwright
