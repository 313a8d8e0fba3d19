// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/seek_curve.hpp"

#include <gtest/gtest.h>

namespace diskwright {
namespace {

TEST(SeekCurve, EveryKind) {
    DriveSeek seek;
    seek.constant_s = 0.005;
    EXPECT_EQ(SeekCurve::of(seek, 1000, 0), 0);
    EXPECT_EQ(SeekCurve::of(seek, 1000, 7), 0.005);

    seek.single_s = 0.001;
    seek.average_s = 0.006;
    seek.full_s = 0.010;
    seek.kind = SeekKind::three_point_line;
    EXPECT_NEAR(SeekCurve::of(seek, 900, 1), 0.001, 1e-12);
    EXPECT_NEAR(SeekCurve::of(seek, 900, 300), 0.006, 1e-12);
    EXPECT_NEAR(SeekCurve::of(seek, 900, 900), 0.010, 1e-12);
    seek.kind = SeekKind::three_point_curve;
    EXPECT_NEAR(SeekCurve::of(seek, 900, 1), 0.001, 1e-12);
    EXPECT_NEAR(SeekCurve::of(seek, 900, 900), 0.010, 0.0001);

    seek.kind = SeekKind::hpl_first_ten;
    seek.hpl_from = 300;
    seek.hpl = {0.00381, 0.00033, 0.00775, 0.0000059};
    seek.first_ten = {0.00289, 0.00368, 0.00381, 0.00398, 0.00427,
                      0.00465, 0.00452, 0.00465, 0.00482, 0.00499};
    EXPECT_EQ(SeekCurve::of(seek, 2051, 1), 0.00289);
    EXPECT_EQ(SeekCurve::of(seek, 2051, 10), 0.00499);
    EXPECT_NEAR(SeekCurve::of(seek, 2051, 100), 0.00381 + 0.0033, 1e-12);
    EXPECT_NEAR(SeekCurve::of(seek, 2051, 300), 0.00775 + 0.00177, 1e-12);

    seek.kind = SeekKind::table;
    seek.table = {{1, 0.001}, {10, 0.0015}, {12, 0.0014}, {100, 0.003}};
    EXPECT_EQ(SeekCurve::of(seek, 200, 10), 0.0015);
    EXPECT_NEAR(SeekCurve::of(seek, 200, 11), 0.00145, 1e-12);
    EXPECT_NEAR(SeekCurve::of(seek, 200, 144), 0.003 + 0.5 * 0.0016, 1e-12) << "goes on beyond the last";
}

TEST(SeekCurve, TablesFollowTheDescriptionAndNobodyFartherIsAsFast) {
    for (const std::uint32_t cylinders : {1000U, 250'000U}) {
        DriveSeek seek;
        seek.kind = SeekKind::hpl;
        seek.hpl_from = 1e9;
        seek.hpl = {0.0006, 0.014 / std::sqrt(double(cylinders)), 0, 0};
        const SeekCurve curve(seek, cylinders);
        for (std::uint32_t d = 0; d <= cylinders; d += 1 + d / 7) {
            const double exact = SeekCurve::of(seek, cylinders, d);
            EXPECT_NEAR(curve(d), exact, 1e-6) << d;
            for (std::uint32_t farther = d; farther <= cylinders; farther += 1 + cylinders / 50)
                EXPECT_TRUE(farther <= curve.reach(exact) || curve(farther) > exact) << farther;
        }
        EXPECT_GE(curve.reach(1), cylinders);
        EXPECT_LT(curve.reach(0.002), cylinders / 20);
    }
}

}  // namespace
}  // namespace diskwright
