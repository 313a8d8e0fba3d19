// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/simulated_device.hpp"

#include <gtest/gtest.h>

#include "probes/timing/probes.hpp"
#include "tests/support/drives.hpp"
#include "tests/support/simulated_disk.hpp"
#include "tuner/simulator/disk_model.hpp"
#include "tuner/simulator/drives.hpp"

namespace diskwright {
namespace {

SimulatedDevice device_of(std::string_view name, double noise = 0) {
    auto drive = shipped_drive(name);
    return SimulatedDevice("/dev/sim0", std::move(drive->drive), noise);
}

TEST(SimulatedDevice, ReadsTakeWhatTheModelSaysAndTimeIsVirtual) {
    SimulatedDevice device("d", std::make_unique<DiskModel>(test::round_drive()));
    EXPECT_EQ(device.size_bytes(), 400'000U * 512);
    const std::vector<ReadRequest> requests{{0, 512}, {100'000 * 512, 512}};
    const auto timing = device.read(requests, 1);
    ASSERT_TRUE(timing) << timing.error().message;
    EXPECT_EQ(timing->elapsed, timing->service[0] + timing->service[1]);
    EXPECT_EQ(device.clock().now(), timing->elapsed);
    const auto wrong = device.read(std::vector<ReadRequest>{{400'000 * 512, 512}}, 1);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, ErrorKind::io_error);
    EXPECT_FALSE(device.read(std::vector<ReadRequest>{{100, 512}}, 1));
}

TEST(SimulatedDevice, DepthIsKept) {
    SimulatedDevice device = device_of("sata-7200-1t");
    std::vector<ReadRequest> requests;
    Random random(1);
    for (int i = 0; i < 2000; ++i) requests.push_back({random.below(1'000'000'000'000 / 4096) * 4096, 4096});
    const auto one = device.read(requests, 1), many = device.read(requests, 32);
    ASSERT_TRUE(one && many);
    EXPECT_LT(many->elapsed * 2, one->elapsed);
}

TEST(SimulatedDevice, WritesAndFlushesOfAVolatileCache) {
    SimulatedDevice device = device_of("sata-7200-1t");
    const std::vector<std::byte> data(4096);
    const auto write = device.write_at(500'000'000'000, data);
    ASSERT_TRUE(write);
    const auto flush = device.flush(), again = device.flush();
    ASSERT_TRUE(flush && again);
    EXPECT_LT(write->time, std::chrono::milliseconds(1));
    EXPECT_GT(*flush, std::chrono::milliseconds(1));
    EXPECT_LT(*again, std::chrono::milliseconds(1));
}

TEST(SimulatedDevice, ProbesRecoverTheDrive) {
    SimulatedDevice device = device_of("sata-7200-1t");
    test::StopAfter progress;
    const auto results = run_probes(device, nullptr, {}, progress);
    ASSERT_FALSE(results.failure) << results.failure->message;
    const auto sequential = measure_sequential_rate({device, nullptr, std::chrono::seconds(4), 1, progress});
    const auto& rates = std::get<std::vector<Measurement::Point>>(sequential.measured.value);
    ASSERT_GE(rates.size(), 2U);
    EXPECT_NEAR(rates.front().value, 150e6, 8e6);
    // The last place is some way from the end of the drive, where it is 71 MB/s.
    EXPECT_GT(rates.back().value, 71e6);
    EXPECT_LT(rates.back().value, 100e6);
    const auto random = measure_random_read({device, nullptr, std::chrono::seconds(4), 1, progress});
    const auto& iops = std::get<std::vector<Measurement::Point>>(random.measured.value);
    ASSERT_EQ(iops.size(), 6U);
    EXPECT_NEAR(iops[0].value, 79, 8);
    EXPECT_GT(iops[5].value, 1.4 * iops[0].value);
}

TEST(SimulatedDevice, NoiseSpreadsAndIsRepeatable) {
    const auto services = [](double noise) {
        SimulatedDevice device = device_of("ssd-datacenter", noise);
        std::vector<ReadRequest> requests;
        for (std::uint64_t i = 0; i < 2000; ++i) requests.push_back({i * 1'000'000 / 4096 * 4096, 4096});
        return device.read(requests, 1)->service;
    };
    EXPECT_EQ(services(0.2), services(0.2));
    const auto still = services(0), noisy = services(0.2);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < still.size(); ++i) {
        const double factor = double(noisy[i].count()) / double(still[i].count());
        sum += factor;
        squares += factor * factor;
    }
    const double average = sum / double(still.size());
    EXPECT_NEAR(average, 1, 0.02);
    EXPECT_NEAR(std::sqrt(squares / double(still.size()) - average * average), 0.2, 0.03);
}

}  // namespace
}  // namespace diskwright
