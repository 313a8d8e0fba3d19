// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <array>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/places.hpp"
#include "probes/timing/probes.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

using test::SimulatedDisk;
using test::StopAfter;
using namespace std::chrono_literals;

Measurement measure(SimulatedDisk& disk, std::chrono::nanoseconds time = 4s) {
    StopAfter progress;
    const auto measured = measure_flush_latency({disk, &disk, time, 1, progress});
    EXPECT_FALSE(measured.failure) << measured.failure->message;
    EXPECT_TRUE(disk.well_formed);
    return measured.measured;
}

TEST(FlushLatency, RecoversTheMedianAndKeepsTheTail) {
    SimulatedDisk disk;
    // One flush in fifty waits for a revolution more.
    disk.flush_s = [](std::uint64_t n) {
        return n % 50 == 49 ? 0.030 : 0.008 + 0.0005 * (static_cast<double>(n % 3) - 1);
    };
    const auto measured = measure(disk);
    EXPECT_NEAR(std::get<double>(measured.value), 0.008, 0.0001);
    EXPECT_NEAR(*measured.spread, 0.0005, 0.0001);
    EXPECT_EQ(measured.confidence, Confidence::high) << measured.reason;
    ASSERT_FALSE(measured.series.empty());
    EXPECT_EQ(measured.series[0].label, "write, then flush");
    EXPECT_EQ(measured.series[0].samples.size(), measured.samples);
    EXPECT_NEAR(*percentile(measured.series[0].samples, 1), 0.030, 1e-9);
    EXPECT_NEAR(*median(measured.series[1].samples), disk.write_s, 1e-9);
    EXPECT_EQ(disk.writes, disk.flushes) << "each flush has a write before it";
}

TEST(FlushLatency, EachWriteIsAtAnotherPlace) {
    SimulatedDisk disk;
    measure(disk);
    EXPECT_EQ(disk.written_at.size(), disk.writes);
}

TEST(FlushLatency, BeginsWithACheckAndKeepsTheSampleAfterOneApart) {
    SimulatedDisk disk;
    disk.check_every = 50;
    // The flush after a check has to bring the heads back.
    disk.flush_s = [](std::uint64_t n) { return n == 0 || n % 50 == 49 ? 0.100 : 0.008; };
    const auto measured = measure(disk);
    EXPECT_EQ(disk.steps, 1U);
    EXPECT_EQ(*percentile(measured.series.at(0).samples, 1), 0.008);
    const auto& apart = measured.series.at(3);
    EXPECT_TRUE(contains(apart.label, "check")) << apart.label;
    EXPECT_EQ(apart.samples.size(), 1 + disk.writes / 50);
    EXPECT_EQ(*percentile(apart.samples, 0), 0.100);

    SimulatedDisk refused;
    refused.step_error = Error{ErrorKind::no_permission, "mounted"};
    StopAfter progress;
    const auto outcome = measure_flush_latency({refused, &refused, 4s, 1, progress});
    EXPECT_EQ(outcome.failure->kind, ErrorKind::no_permission);
    EXPECT_EQ(refused.writes, 0U);
}

TEST(FlushLatency, NoTwoWritesHaveTheSameContent) {
    SimulatedDisk disk;
    measure(disk);
    EXPECT_EQ(disk.contents.size(), disk.writes);
    // Another run begins at another time.
    const auto first = disk.contents;
    disk.contents.clear();
    measure(disk);
    for (const auto& block : disk.contents) ASSERT_FALSE(first.contains(block));
}

TEST(FlushLatency, AnErrorKeepsWhatWasMeasured) {
    SimulatedDisk disk;
    disk.write_error = Error{ErrorKind::io_error, "write at 4096: Input/output error"};
    disk.good_writes = 100;
    StopAfter progress;
    const auto outcome = measure_flush_latency({disk, &disk, 4s, 1, progress});
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, ErrorKind::io_error);
    const auto& measured = outcome.measured;
    EXPECT_EQ(measured.confidence, Confidence::low);
    EXPECT_TRUE(contains(measured.reason, "write at 4096")) << measured.reason;
    EXPECT_GT(measured.samples, 90U);
    EXPECT_NEAR(std::get<double>(measured.value), 0.008, 1e-6);
}

TEST(FlushLatency, AFastFlushEndsAtEnoughSamples) {
    SimulatedDisk disk;
    disk.flush_s = [](std::uint64_t) { return 0.00002; };
    const auto measured = measure(disk, 60s);
    EXPECT_EQ(measured.samples, 20000U);
    EXPECT_LT(disk.clock().now(), 4s);
}

TEST(FlushLatency, WhyThereIsNoValue) {
    SimulatedDisk without;
    without.flush_error = Error{ErrorKind::unavailable, "OpenBSD lets no program flush a disk"};
    EXPECT_EQ(measure(without).reason, without.flush_error->message);
    SimulatedDisk tiny;
    tiny.size = 8 * KiB;
    EXPECT_EQ(measure(tiny).reason, "too small: 8 KiB");
    SimulatedDisk wild;
    wild.flush_s = [](std::uint64_t n) { return std::array{0.6, 0.2, 0.0001}.at(n % 3); };
    const auto noisy = measure(wild);
    EXPECT_EQ(noisy.confidence, Confidence::inconclusive);
    EXPECT_TRUE(contains(noisy.reason, "too noisy")) << noisy.reason;
    EXPECT_FALSE(noisy.series.at(0).samples.empty());
}

TEST(FlushLatency, ADriftIsSaid) {
    SimulatedDisk disk;
    disk.flush_s = [](std::uint64_t n) { return 0.004 + 0.000005 * static_cast<double>(n); };
    const auto measured = measure(disk);
    EXPECT_EQ(measured.confidence, Confidence::medium);
    EXPECT_TRUE(contains(measured.reason, "changed by")) << measured.reason;
}

TEST(Places, APermutationIsOneForEveryCount) {
    for (const std::uint64_t count : {1U, 2U, 3U, 16U, 17U, 1000U, 4097U}) {
        const Permutation order(count, 9);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < count; ++i) seen.insert(order[i]);
        EXPECT_EQ(seen.size(), count);
        EXPECT_LT(*seen.rbegin(), count);
    }
    // The places of a seed are a promise: a run can be repeated on another system.
    const Permutation order(1'000'000, 1);
    EXPECT_EQ((std::array{order[0], order[1], order[2]}),
              (std::array<std::uint64_t, 3>{524150, 788258, 218933}));
}

}  // namespace
}  // namespace diskwright
