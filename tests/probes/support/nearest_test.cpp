// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace diskwright {
namespace {

TEST(Nearest, Distance) {
    struct Row {
        std::string_view a, b;
        std::size_t distance;
    };
    for (const Row& row : {Row{"", "", 0}, Row{"abc", "", 3}, Row{"", "abc", 3}, Row{"audit", "audit", 0},
                           Row{"AUDIT", "audit", 0}, Row{"adit", "audit", 1}, Row{"audti", "audit", 1},
                           Row{"show", "shop", 1}, Row{"kitten", "sitting", 3}}) {
        SCOPED_TRACE(std::string(row.a) + " " + std::string(row.b));
        EXPECT_EQ(edit_distance(row.a, row.b), row.distance);
        EXPECT_EQ(edit_distance(row.b, row.a), row.distance);
    }
}

TEST(Nearest, Word) {
    constexpr std::array<std::string_view, 4> known{"RAID001", "RAID002", "FFS001", "ALIGN001"};
    EXPECT_EQ(nearest("raid02", known), "RAID002");
    EXPECT_EQ(nearest("FFS01", known), "FFS001");
    EXPECT_EQ(nearest("RAID003", known), "RAID001");
    EXPECT_EQ(nearest("zebra", known), std::nullopt);
    EXPECT_EQ(nearest("", known), std::nullopt);
    EXPECT_EQ(nearest(std::string(100000, 'x'), known), std::nullopt);
}

}  // namespace
}  // namespace diskwright
