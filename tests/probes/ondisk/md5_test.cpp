// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/md5.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace diskwright {
namespace {

std::string digest(std::string_view text) {
    std::string out;
    for (const std::byte b : md5(std::as_bytes(std::span(text))))
        out += fmt::format("{:02x}", std::to_integer<unsigned>(b));
    return out;
}

// RFC 1321, appendix A.5; the lengths 55, 56 and 64 are those around the padding's cases.
TEST(Md5, KnownDigests) {
    EXPECT_EQ(digest(""), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(digest("abc"), "900150983cd24fb0d6963f7d28e17f72");
    EXPECT_EQ(digest("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    EXPECT_EQ(digest("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
              "d174ab98d277d9f5a5611c2c9f419d9f");
    EXPECT_EQ(digest("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
              "57edf4a22be3c955ac49da2e2107b67a");
    EXPECT_EQ(digest(std::string(55, 'a')), "ef1772b6dff9a122358552954ad0df65");
    EXPECT_EQ(digest(std::string(56, 'a')), "3b0c8ac703f828b04c6c197006d17218");
    EXPECT_EQ(digest(std::string(64, 'a')), "014842d480b571495a4a0363793f7367");
}

}  // namespace
}  // namespace diskwright
