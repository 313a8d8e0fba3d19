// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/filler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "probes/ondisk/signatures.hpp"
#include "probes/support/text.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

// The bytes that a filler may write.
std::set<std::byte> alphabet() {
    test::VirtualClock clock;
    std::vector<std::byte> bytes(MiB);
    Filler(clock).fill(bytes);
    return {bytes.begin(), bytes.end()};
}

TEST(Filler, NoMarkConsistsOfItsBytesAlone) {
    const auto bytes = alphabet();
    EXPECT_EQ(bytes.size(), 64U);
    for (const std::string& mark : signature_marks()) {
        const bool possible = std::all_of(mark.begin(), mark.end(), [&](char c) {
            return bytes.contains(static_cast<std::byte>(static_cast<unsigned char>(c)));
        });
        EXPECT_FALSE(possible) << escaped(mark);
    }
    EXPECT_GT(signature_marks().size(), 80U);
}

TEST(Filler, NoCallAndNoRunRepeatsAnother) {
    std::set<std::array<std::byte, 512>> seen;
    test::VirtualClock clock;
    for (int run = 0; run < 50; ++run) {
        Filler filler(clock);
        for (int call = 0; call < 50; ++call) {
            std::array<std::byte, 512> block{};
            filler.fill(block);
            EXPECT_TRUE(seen.insert(block).second) << run << " " << call;
        }
        clock.advance(1e-9);
    }
}

TEST(Filler, FillsEveryLength) {
    test::VirtualClock clock;
    for (const std::size_t length : {0, 1, 7, 8, 9, 4096}) {
        std::vector<std::byte> bytes(length + 1);
        Filler(clock).fill(std::span(bytes).first(length));
        EXPECT_TRUE(
            std::none_of(bytes.begin(), bytes.end() - 1, [](std::byte b) { return b == std::byte{}; }));
        EXPECT_EQ(bytes.back(), std::byte{});
    }
}

}  // namespace
}  // namespace diskwright
