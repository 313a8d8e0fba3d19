// SPDX-License-Identifier: BSD-2-Clause
// What gzip(1) writes is read back, whole and from every place where it may end; other bytes end the reading.
#include "probes/capture/inflate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

class Inflate : public ::testing::Test {
 protected:
    std::string gzip(const std::string& bytes, const std::string& flags) {
        const std::string path = folder_.file("input", bytes);
        EXPECT_EQ(std::system(("gzip -kf " + flags + " " + path).c_str()), 0);
        return test::read_file(path + ".gz");
    }

    static std::string words() {
        std::string out;
        for (std::uint32_t i = 1, n = 0; n < 20'000; ++n, i = i * 1664525 + 1013904223)
            out += i % 7 == 0 ? "the quick brown fox\n" : std::to_string(i) + " ";
        return out;
    }

 private:
    test::TemporaryFolder folder_;
};

TEST_F(Inflate, WholeFiles) {
    std::string noise;
    for (std::uint32_t i = 1; noise.size() < 100'000; i = i * 1664525 + 1013904223)
        noise.push_back(static_cast<char>(i >> 24));
    for (const std::string& bytes : {std::string(), std::string("a"), std::string("hello hello hello"),
                                     std::string(300'000, 'x'), words(), noise}) {
        for (const std::string flags : {"-1", "-6", "-9", "-9n"}) {
            SCOPED_TRACE(flags + " " + std::to_string(bytes.size()));
            const auto out = inflate_prefix(gzip(bytes, flags), std::size_t{1} << 20);
            EXPECT_FALSE(out.damaged);
            EXPECT_TRUE(out.bytes == bytes);
        }
    }
}

TEST_F(Inflate, EveryPlaceToEndAt) {
    const std::string bytes = words().substr(0, 6000), packed = gzip(bytes, "-9");
    std::size_t before = 0;
    for (std::size_t size = 0; size <= packed.size(); ++size) {
        const auto out = inflate_prefix(std::string_view(packed).substr(0, size), std::size_t{1} << 20);
        EXPECT_FALSE(out.damaged) << size;
        EXPECT_TRUE(bytes.starts_with(out.bytes)) << size;
        EXPECT_GE(out.bytes.size(), before) << size;
        before = out.bytes.size();
    }
    EXPECT_EQ(before, bytes.size());
}

TEST_F(Inflate, NoMoreThanAskedFor) {
    EXPECT_EQ(inflate_prefix(gzip(std::string(300'000, 'x'), "-9"), 1000).bytes, std::string(1000, 'x'));
}

// A flipped bit gives other bytes or damage, and always an end.
TEST_F(Inflate, FlippedBits) {
    const std::string packed = gzip(words().substr(0, 2000), "-9");
    std::size_t damaged = 0;
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
        std::string flipped = packed;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        const auto out = inflate_prefix(flipped, 100'000);
        EXPECT_LE(out.bytes.size(), 100'000U);
        damaged += out.damaged ? 1 : 0;
    }
    EXPECT_GT(damaged, 0U);
}

}  // namespace
}  // namespace diskwright
