// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ffs_geometry.hpp"

#include <gtest/gtest.h>

namespace diskwright {
namespace {

struct Row {
    std::uint64_t size_bytes;
    std::optional<std::uint64_t> bsize, fsize;
    bool ufs2;
    std::uint32_t groups, group_frags, group_inodes;
};

// What NetBSD's newfs wrote into superblocks; the last one as requests to a disk show it.
TEST(FfsGeometry, IsThatOfNewfs) {
    const Row rows[] = {
        {8589934592, {}, {}, false, 45, 93208, 23040},
        {137438952960, {}, {}, true, 709, 94656, 22976},
        {1099511627776, {}, {}, true, 1413, 189976, 46848},
        {1099511627776, 65536, 8192, true, 321, 418128, 103936},
        {429496729600, 65536, 65536, true, 16, 409600, 102400},
        {2147483648, 16384, 4096, false, 7, 74904, 18688},
        {2147483648, 4096, 4096, false, 39, 13448, 3360},
        {17179869184, 16384, 2048, true, 89, 94256, 22912},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.size_bytes);
        const auto fs = netbsd_ffs_geometry({row.size_bytes, row.bsize, row.fsize, row.ufs2});
        ASSERT_TRUE(fs);
        EXPECT_EQ(fs->groups, row.groups);
        EXPECT_EQ(fs->group_frags, row.group_frags);
        EXPECT_EQ(fs->group_inodes, row.group_inodes);
    }
}

TEST(FfsGeometry, RefusesWhatNewfsRefuses) {
    EXPECT_FALSE(netbsd_ffs_geometry({1 << 20, 2048, 512, true}));
    EXPECT_FALSE(netbsd_ffs_geometry({1 << 30, 16384, 1024, true}));
    EXPECT_FALSE(netbsd_ffs_geometry({65536, 4096, 512, true}));
    EXPECT_FALSE(netbsd_ffs_geometry({std::uint64_t{2} << 40, 16384, 2048 / 2, false}));
}

}  // namespace
}  // namespace diskwright
