// SPDX-License-Identifier: BSD-2-Clause
// The check values of the catalogue of parametrised CRC algorithms.
#include "probes/ondisk/checksums.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace diskwright {
namespace {

TEST(Checksums, CheckValues) {
    constexpr std::string_view digits = "123456789";
    const auto bytes = std::as_bytes(std::span(digits));
    EXPECT_EQ(crc32(bytes), 0xcbf43926U);
    EXPECT_EQ(crc32c(bytes), 0xe3069283U);
    EXPECT_EQ(crc32c_update(crc32c_update(~0U, bytes.first(4)), bytes.subspan(4)), ~0xe3069283U);
    EXPECT_EQ(crc32_update(crc32_update(~0U, bytes.first(4)), bytes.subspan(4)), ~0xcbf43926U);
    EXPECT_EQ(crc32({}), 0U);
}

}  // namespace
}  // namespace diskwright
