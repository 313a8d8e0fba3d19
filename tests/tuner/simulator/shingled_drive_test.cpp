// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/shingled_drive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "tests/support/drives.hpp"
#include "tuner/simulator/disk_model.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t band = 2000, cache = 8000;

ShingledDrive drive(double clean_after_s = 1) {
    return {std::make_unique<DiskModel>(test::round_drive()), {band, cache, clean_after_s}};
}

double sum(const std::vector<double>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0);
}

std::vector<DriveRequest> scattered_writes(const SimulatedDrive& on, std::size_t count,
                                           std::uint64_t seed = 1) {
    return test::scattered(on, count, 8, DriveOperation::write, seed);
}

TEST(ShingledDrive, HasTheSizeWithoutItsCache) {
    EXPECT_EQ(drive().blocks(), test::round_drive().blocks - cache);
}

// Scattered writes are appended to the cache: that takes no seek, as long as there is room.
TEST(ShingledDrive, ScatteredWritesAreFastUntilTheCacheIsFull) {
    ShingledDrive shingled = drive(1e9);
    DiskModel plain(test::round_drive());
    const auto writes = scattered_writes(shingled, 900);
    const auto in_cache = test::one_at_a_time(shingled, writes);
    const auto in_place = test::one_at_a_time(plain, writes);
    ASSERT_EQ(in_cache.size(), 900U);
    EXPECT_LT(sum(in_cache), 0.9 * sum(in_place));
    EXPECT_GT(shingled.cached_blocks(), 6000U);
    // Then each has to wait until a band is read and written anew.
    const auto full = test::one_at_a_time(shingled, scattered_writes(shingled, 300, 2), 1e4);
    ASSERT_EQ(full.size(), 300U);
    EXPECT_LE(shingled.cached_blocks(), cache);
    EXPECT_GT(*std::max_element(full.begin(), full.end()),
              3 * *std::max_element(in_cache.begin(), in_cache.end()));
    EXPECT_GT(shingled.counters().media_written, 1200U * 8 + band);
}

TEST(ShingledDrive, WritesInSequenceGoToTheirBand) {
    ShingledDrive shingled = drive();
    std::vector<DriveRequest> writes;
    for (std::uint64_t i = 0; i < 100; ++i)
        writes.push_back({i, 3 * band + i * 100, 100, DriveOperation::write, false, 0});
    EXPECT_EQ(test::one_at_a_time(shingled, writes).size(), 100U);
    EXPECT_EQ(shingled.cached_blocks(), 0U);
}

// Nobody waits for it, and then everything is in its band.
TEST(ShingledDrive, CleansWhenItIsIdle) {
    ShingledDrive shingled = drive(5);
    auto writes = scattered_writes(shingled, 50);
    const auto service_s = test::one_at_a_time(shingled, writes);
    const double end_s = sum(service_s);
    EXPECT_FALSE(shingled.next(end_s + 4.9));
    EXPECT_GT(shingled.cached_blocks(), 300U);
    EXPECT_FALSE(shingled.next(test::no_limit));
    EXPECT_EQ(shingled.cached_blocks(), 0U);
    EXPECT_EQ(shingled.counters().writes, 50U);
    EXPECT_EQ(shingled.counters().blocks_written, 400U) << "of the host's requests";
    EXPECT_EQ(shingled.counters().reads, 0U);
}

// Completions come in order of time, with the arrival that the host knows, each once.
TEST(ShingledDrive, EveryRequestIsAnsweredOnce) {
    ShingledDrive shingled = drive(0.05);
    auto requests = scattered_writes(shingled, 3000);
    const auto reads = test::scattered(shingled, 3000, 8, DriveOperation::read, 7);
    std::vector<DriveRequest> all;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        all.push_back(requests[i]), all.push_back(reads[i]);
        all[2 * i].id = 2 * i, all[2 * i + 1].id = 2 * i + 1;
        all[2 * i].arrival_s = all[2 * i + 1].arrival_s = 0.02 * double(i);
    }
    for (const DriveRequest& request : all) shingled.submit(request);
    std::vector<bool> answered(all.size());
    double now_s = 0;
    while (const auto done = shingled.next(test::no_limit)) {
        ASSERT_LT(done->id, all.size());
        EXPECT_FALSE(answered[done->id]);
        answered[done->id] = true;
        EXPECT_EQ(done->arrival_s, all[done->id].arrival_s);
        EXPECT_GE(done->done_s, now_s);
        EXPECT_GE(done->done_s, done->arrival_s);
        now_s = done->done_s;
    }
    EXPECT_EQ(std::count(answered.begin(), answered.end(), false), 0);
    EXPECT_EQ(shingled.cached_blocks(), 0U);
}

}  // namespace
}  // namespace diskwright
