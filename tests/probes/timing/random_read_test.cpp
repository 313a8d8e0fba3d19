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

Measurement measure(SimulatedDisk& disk, std::uint64_t seed = 1) {
    StopAfter progress;
    const auto measured = measure_random_read({disk, nullptr, 2s, seed, progress});
    EXPECT_FALSE(measured.failure) << measured.failure->message;
    EXPECT_TRUE(disk.well_formed);
    EXPECT_EQ(disk.reads, disk.read_at.size()) << "no place is read twice";
    return measured.measured;
}

TEST(RandomRead, RecoversTheRateAtEachDepth) {
    struct Row {
        double service_s;
        unsigned parallel;
    };
    for (const Row row : {Row{0.010, 1}, Row{0.010, 3}, Row{0.0001, 8}, Row{0.00003, 32}}) {
        SimulatedDisk disk;
        disk.seek_s = row.service_s;
        disk.parallel = row.parallel;
        disk.rate = [](std::uint64_t) { return 1e15; };
        const auto measured = measure(disk);
        const auto& curve = std::get<std::vector<Measurement::Point>>(measured.value);
        ASSERT_EQ(curve.size(), 6U);
        for (std::size_t i = 0; i < curve.size(); ++i) {
            EXPECT_EQ(curve[i].at, 1U << i);
            const double overlap = std::min(row.parallel, 1U << i);
            EXPECT_NEAR(curve[i].value, overlap / row.service_s, 0.02 * overlap / row.service_s);
        }
        EXPECT_EQ(measured.confidence, Confidence::high) << measured.reason;
    }
}

TEST(RandomRead, PlacesSpreadOverTheDevice) {
    SimulatedDisk disk;
    disk.seek_s = 0.005;
    measure(disk);
    std::array<int, 8> eighths{};
    for (const auto at : disk.read_at) ++eighths.at(at / (disk.size / 8));
    for (const int count : eighths)
        EXPECT_GT(count, static_cast<int>(disk.read_at.size() / 16)) << "an eighth is left out";
}

TEST(RandomRead, AFastSmallDeviceIsReadOnceAtMost) {
    SimulatedDisk disk;
    disk.size = 64 * MiB;
    disk.seek_s = 0.00001;
    const auto measured = measure(disk);
    EXPECT_LE(disk.reads, disk.size / (4 * KiB));
    EXPECT_EQ(measured.confidence, Confidence::high) << measured.reason;
}

TEST(RandomRead, AnErrorKeepsWhatWasMeasured) {
    struct Row {
        std::uint64_t good_reads;
        std::size_t points;
    };
    // None; within the first depth; in the warm-up of the second one; well into the second one.
    for (const Row row : {Row{0, 0}, Row{90, 1}, Row{105, 1}, Row{180, 2}}) {
        SimulatedDisk disk;
        disk.seek_s = 0.005;
        disk.parallel = 8;
        disk.read_error = Error{ErrorKind::io_error, "read at 4096: Input/output error"};
        disk.good_reads = row.good_reads;
        StopAfter progress;
        const auto outcome = measure_random_read({disk, nullptr, 2s, 1, progress});
        ASSERT_TRUE(outcome.failure) << row.good_reads;
        EXPECT_TRUE(contains(outcome.measured.reason, "read at 4096")) << outcome.measured.reason;
        const auto* curve = std::get_if<std::vector<Measurement::Point>>(&outcome.measured.value);
        EXPECT_EQ(curve ? curve->size() : 0, row.points) << row.good_reads;
        EXPECT_EQ(outcome.measured.confidence, row.points > 0 ? Confidence::low : Confidence::inconclusive);
    }
}

TEST(RandomRead, ALargeSectorIsTheRequest) {
    SimulatedDisk disk;
    disk.sector = 8 * KiB;
    disk.seek_s = 0.005;
    measure(disk);
    SimulatedDisk tiny;
    tiny.size = 2 * MiB;
    EXPECT_EQ(measure(tiny).reason, "too small: 2 MiB");
}

}  // namespace
}  // namespace diskwright
