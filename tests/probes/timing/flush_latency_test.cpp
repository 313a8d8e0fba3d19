// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

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
    EXPECT_TRUE(measured) << measured.error().message;
    EXPECT_TRUE(disk.well_formed);
    return *measured;
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
    wild.flush_s = [](std::uint64_t n) { return n % 2 == 0 ? 0.6 : 0.0001; };
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
