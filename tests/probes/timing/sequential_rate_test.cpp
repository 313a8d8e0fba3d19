// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "probes/timing/probes.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

using test::SimulatedDisk;
using test::StopAfter;
using namespace std::chrono_literals;

Measurement measure(SimulatedDisk& disk, std::chrono::nanoseconds time = 4s) {
    StopAfter progress;
    const auto measured = measure_sequential_rate({disk, nullptr, time, 1, progress});
    EXPECT_FALSE(measured.failure) << measured.failure->message;
    EXPECT_TRUE(disk.well_formed);
    return measured.measured;
}

TEST(SequentialRate, RecoversTheRateOfEachZone) {
    SimulatedDisk disk;
    disk.size = 1000 * GiB;
    disk.seek_s = 0.012;
    disk.rate = [&](std::uint64_t at) {
        return 200e6 - 100e6 * static_cast<double>(at) / static_cast<double>(disk.size);
    };
    const auto measured = measure(disk);
    EXPECT_EQ(measured.confidence, Confidence::high) << measured.reason;
    const auto& curve = std::get<std::vector<Measurement::Point>>(measured.value);
    ASSERT_EQ(curve.size(), 5U);
    for (const auto& point : curve)
        EXPECT_NEAR(point.value, disk.rate(static_cast<std::uint64_t>(point.at)), 0.02 * point.value)
            << point.at;
    EXPECT_EQ(measured.series.size(), 5U);
}

TEST(SequentialRate, FromASlowMemoryCardToAFastFlashDrive) {
    for (const double rate : {5e6, 100e6, 3e9, 12e9}) {
        SimulatedDisk disk;
        disk.size = 64 * GiB;
        disk.rate = [rate](std::uint64_t) { return rate; };
        const auto measured = measure(disk);
        const auto& curve = std::get<std::vector<Measurement::Point>>(measured.value);
        for (const auto& point : curve) EXPECT_NEAR(point.value, rate, 0.01 * rate);
        EXPECT_EQ(disk.reads, disk.read_at.size()) << "no place is read twice";
        EXPECT_NE(measured.confidence, Confidence::inconclusive) << measured.reason;
    }
}

TEST(SequentialRate, ASmallDeviceIsOneZoneAndATinyOneNone) {
    SimulatedDisk disk;
    disk.size = 100 * MiB + 512;
    const auto measured = measure(disk);
    EXPECT_EQ(std::get<std::vector<Measurement::Point>>(measured.value).size(), 1U);
    SimulatedDisk tiny;
    tiny.size = 8 * MiB;
    const auto none = measure(tiny);
    EXPECT_EQ(none.confidence, Confidence::inconclusive);
    EXPECT_EQ(none.reason, "too small: 8 MiB");
}

TEST(SequentialRate, PlacesCountFromTheBeginningOfTheDevice) {
    SimulatedDisk region;
    region.size = 100 * GiB;
    region.first = 3 * TiB;
    const auto measured = measure(region);
    const auto& curve = std::get<std::vector<Measurement::Point>>(measured.value);
    EXPECT_EQ(curve.front().at, static_cast<double>(3 * TiB));
    EXPECT_EQ(curve.back().at, static_cast<double>(3 * TiB + 80 * GiB));
    EXPECT_EQ(measured.series.front().label, "from 3 TiB");
}

TEST(SequentialRate, AnErrorKeepsTheZonesBeforeIt) {
    SimulatedDisk disk;
    disk.size = 100 * GiB;
    disk.read_error = Error{ErrorKind::io_error, "read at 4096: Input/output error"};
    disk.good_reads = 400;  // 160 MiB in each zone of 0.8 s
    StopAfter progress;
    const auto outcome = measure_sequential_rate({disk, nullptr, 4s, 1, progress});
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, ErrorKind::io_error);
    EXPECT_EQ(outcome.measured.confidence, Confidence::low);
    EXPECT_TRUE(contains(outcome.measured.reason, "read at 4096")) << outcome.measured.reason;
    EXPECT_GE(std::get<std::vector<Measurement::Point>>(outcome.measured.value).size(), 2U);
}

TEST(SequentialRate, NoiseLowersTheConfidence) {
    struct Row {
        double swing;
        Confidence confidence;
    };
    for (const Row row :
         {Row{0.02, Confidence::high}, Row{0.2, Confidence::medium}, Row{0.8, Confidence::low}}) {
        SimulatedDisk disk;
        disk.size = 100 * GiB;
        // Whole pieces are fast or slow in turn: the host shares the disk with somebody.
        disk.rate = [&, n = 0](std::uint64_t) mutable {
            return 100e6 * (1 + ((n++ / 8) % 2 == 0 ? row.swing : -row.swing));
        };
        const auto measured = measure(disk);
        EXPECT_EQ(measured.confidence, row.confidence) << row.swing << measured.reason;
    }
}

}  // namespace
}  // namespace diskwright
