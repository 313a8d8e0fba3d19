// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/timed_device_live.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

TEST(LiveDevice, ReadsAtAnyDepth) {
    const test::TemporaryFolder folder;
    const auto device = open_timed_device(folder.file("disk", std::string(4 * MiB, 'x')));
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_EQ((*device)->size_bytes(), 4 * MiB);
    EXPECT_GE((*device)->logical_sector_bytes(), 512U);
    for (const unsigned depth : {1U, 8U, 3U, 1U, 16U}) {
        std::vector<ReadRequest> requests;
        for (std::uint64_t at = 0; at < 4 * MiB; at += 64 * KiB) requests.push_back({at, 64 * KiB});
        const auto timing = (*device)->read(requests, depth);
        ASSERT_TRUE(timing) << timing.error().message;
        ASSERT_EQ(timing->service.size(), requests.size());
        std::chrono::nanoseconds sum{};
        for (const auto one : timing->service) {
            EXPECT_GT(one.count(), 0) << "depth " << depth;
            EXPECT_LE(one, timing->elapsed);
            sum += one;
        }
        EXPECT_LE(sum, timing->elapsed * depth) << "more in flight than asked for";
    }
    EXPECT_TRUE((*device)->read({}, 8));
}

TEST(LiveDevice, AnErrorNamesThePlace) {
    const test::TemporaryFolder folder;
    const auto device = open_timed_device(folder.file("disk", std::string(MiB, 'x')));
    ASSERT_TRUE(device);
    for (const unsigned depth : {1U, 8U}) {
        std::vector<ReadRequest> requests(20, ReadRequest{0, 4 * KiB});
        requests[7].offset = 8 * MiB;
        const auto timing = (*device)->read(requests, depth);
        ASSERT_FALSE(timing);
        EXPECT_EQ(timing.error().kind, ErrorKind::io_error);
        EXPECT_TRUE(contains(timing.error().message, "read at byte 8388608")) << timing.error().message;
    }
    EXPECT_TRUE((*device)->read(std::vector<ReadRequest>(20, {0, 4 * KiB}), 8)) << "usable afterwards";
}

TEST(LiveDevice, WhatCannotBeMeasured) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
    ASSERT_EQ(mkdir(folder.path("directory").c_str(), 0700), 0);
    for (const auto& path : {folder.path("missing"), folder.path("pipe"), folder.path("directory"),
                             folder.file("empty", ""), std::string("/dev/null"), std::string()}) {
        const auto device = open_timed_device(path);
        ASSERT_FALSE(device) << path;
        EXPECT_EQ(device.error().kind, ErrorKind::no_input) << device.error().message;
    }
}

}  // namespace
}  // namespace diskwright
