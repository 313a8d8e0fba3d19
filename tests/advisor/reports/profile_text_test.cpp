// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/profile_text.hpp"

#include <gtest/gtest.h>

namespace diskwright {
namespace {

using Points = std::vector<Measurement::Point>;

TEST(ProfileText, ALineForEachQuantityInUnitsForPeople) {
    DeviceProfile profile;
    profile["flush_latency_s"] = {
        0.0083, "s", 0.0002, 4, Confidence::high, "", {{"write, then flush", {0.008, 0.0083, 0.0083, 0.03}}}};
    profile["random_read_iops"] = {Points{{1, 110.4, 2.5}, {8, 12240, std::nullopt}},
                                   "1/s",
                                   std::nullopt,
                                   900,
                                   Confidence::medium,
                                   "few samples: 6",
                                   {}};
    profile["sequential_read_bytes_per_s"] = {Points{{0, 1.5e9, 2e6}, {1048576, 99.5e6, 2e3}},
                                              "bytes/s",
                                              std::nullopt,
                                              20,
                                              Confidence::low,
                                              "noisy",
                                              {}};
    profile["logical_sector_bytes"] = {512.0, "bytes", std::nullopt, 0, Confidence::high, "", {}};
    profile["write_cache"] = {"vola\x1btile", "", std::nullopt, 3, Confidence::high, "", {}};
    profile["rotation_s"] = Measurement::inconclusive("s", "flash");
    EXPECT_EQ(render_profile_text(profile, "/dev/wd0d"),
              "/dev/wd0d\n"
              "logical sector      512 bytes; confidence high\n"
              "sequential read     20 samples, confidence low: noisy\n"
              "  from 0 B          1.50 GB/s +- 2.00 MB/s\n"
              "  from 1 MiB        99.5 MB/s +- 2.00 kB/s\n"
              "turn                inconclusive: flash\n"
              "random read, 4 KiB  900 samples, confidence medium: few samples: 6\n"
              "  1 in flight       110 a second +- 2 a second\n"
              "  8 in flight       12240 a second\n"
              "write cache         vola\\x1btile; 3 samples, confidence high\n"
              "write, then flush   8.30 ms +- 200 us; 4 samples, confidence high\n"
              "                    median 8.30 ms, 95 % 26.7 ms, 99 % 29.3 ms, worst 30.0 ms\n");
    EXPECT_EQ(render_profile_text({}, ""), "");
}

}  // namespace
}  // namespace diskwright
