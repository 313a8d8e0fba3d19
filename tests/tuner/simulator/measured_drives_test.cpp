// SPDX-License-Identifier: BSD-2-Clause
// The disk model beside drives that were measured: parameters and traces of DiskSim's validation, all by
// others.
#include <gtest/gtest.h>

#include "probes/capture/document.hpp"
#include "tests/support/files.hpp"
#include "tuner/simulator/block_trace.hpp"
#include "tuner/simulator/drives.hpp"
#include "tuner/simulator/response_distribution.hpp"
#include "tuner/simulator/trace_replay.hpp"

namespace diskwright {
namespace {

TEST(MeasuredDrives, DistributionsAreAsNearAsThePublishedOnes) {
    std::size_t at_most_published = 0;
    for (const std::string name : {"atlas10k", "barracuda", "cheetah9LP", "hp_c2490a", "hp_c3323a"}) {
        SCOPED_TRACE(name);
        const std::string path = (test::data_folder() / "disksim" / ("trace_" + name + ".json.gz")).string();
        const auto text = load_file(path, {});
        ASSERT_TRUE(text) << text.error().message;
        const auto trace = block_trace_from_json(*text, path);
        ASSERT_TRUE(trace) << trace.error().message;
        EXPECT_EQ(trace->disk, name);
        const auto drive = shipped_drive(name);
        ASSERT_TRUE(drive) << drive.error().message;
        const auto service_s = replay(*trace, *drive->drive, path);
        ASSERT_TRUE(service_s) << service_s.error().message;
        const double rms_ms = *rms_difference(trace->measured_s, *service_s) * 1e3;
        EXPECT_LE(rms_ms, 1.05 * *drive->published_rms_ms);
        at_most_published += rms_ms <= *drive->published_rms_ms ? 1 : 0;
    }
    EXPECT_GE(at_most_published, 4U);
}

TEST(MeasuredDrives, OthersRunAsTheyAreDescribed) {
    for (const std::string name : {"atlas_III", "cheetah4LP", "dec_rz26", "hp_c2247a", "ibm18es"}) {
        SCOPED_TRACE(name);
        const auto drive = shipped_drive(name);
        ASSERT_TRUE(drive) << drive.error().message;
        EXPECT_TRUE(drive->assumed.empty());
        BlockTrace trace;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            const std::uint64_t block = (i * 7919 * 4099) % (drive->drive->blocks() - 64);
            trace.requests.push_back({block, std::uint32_t(1 + i % 64),
                                      i % 3 == 0 ? DriveOperation::write : DriveOperation::read, 0.02});
        }
        const auto service_s = replay(trace, *drive->drive, name);
        ASSERT_TRUE(service_s) << service_s.error().message;
        EXPECT_GT(*mean(*service_s), 0.002);
        EXPECT_LT(*mean(*service_s), 0.040);
    }
}

}  // namespace
}  // namespace diskwright
