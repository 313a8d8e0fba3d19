// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/sha256.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace diskwright {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

std::string hex(std::span<const std::byte> bytes) {
    std::string out;
    for (const std::byte b : bytes) out += fmt::format("{:02x}", std::to_integer<unsigned>(b));
    return out;
}

// FIPS 180-4 examples; lengths around the padding's two cases.
TEST(Sha256, KnownDigests) {
    EXPECT_EQ(hex(sha256(bytes_of("abc"))),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hex(sha256(bytes_of(std::string(55, 'a')))),
              "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    EXPECT_EQ(hex(sha256(bytes_of(std::string(64, 'a')))),
              "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

}  // namespace
}  // namespace diskwright
