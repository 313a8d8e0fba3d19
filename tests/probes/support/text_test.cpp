// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "probes/support/byte_reader.hpp"
#include "probes/support/statistics.hpp"

namespace diskwright {
namespace {

TEST(Text, Sizes) {
    struct Row {
        std::string_view text;
        bool decimal_b;
        std::optional<std::uint64_t> bytes;
    };
    const std::array rows{
        Row{"0", false, 0},
        Row{"512", false, 512},
        Row{"512B", false, 512},
        Row{"16k", false, 16384},
        Row{"16K", false, 16384},
        Row{"1.5m", false, 1572864},
        Row{"1,5M", false, 1572864},
        Row{"2 GiB", false, 2 * GiB},
        Row{"1.8T", false, 1979120929997},
        Row{"3146kB", true, 3146000},
        Row{"30.0TB", true, 30000000000000},
        Row{"30TB", false, 30 * TiB},
        Row{"16e", false, std::nullopt},
        Row{"15e", false, 15 * 1024 * 1024 * TiB},
        Row{"", false, std::nullopt},
        Row{"k", false, std::nullopt},
        Row{"12x", false, std::nullopt},
        Row{"-1", false, std::nullopt},
        Row{"99999999999999999999", false, std::nullopt},
        Row{"1.2.3", false, std::nullopt},
    };
    for (const Row& row : rows) EXPECT_EQ(to_size(row.text, row.decimal_b), row.bytes) << row.text;
}

TEST(Text, Numbers) {
    EXPECT_EQ(to_unsigned("18446744073709551615"), 18446744073709551615ULL);
    for (const auto* bad : {"", "18446744073709551616", "1 ", "+1", "-1", "0x10", "1a"})
        EXPECT_FALSE(to_unsigned(bad)) << bad;
    EXPECT_EQ(to_signed("-5"), -5);
    EXPECT_DOUBLE_EQ(to_double("1193.6").value(), 1193.6);
    EXPECT_DOUBLE_EQ(to_double("1193,6").value(), 1193.6);
    EXPECT_DOUBLE_EQ(to_double("-.5").value(), -0.5);
    for (const auto* bad : {"", ".", "-", "1.2.3", "1e3", "nan", "inf"}) EXPECT_FALSE(to_double(bad)) << bad;
    EXPECT_EQ(to_hex("0xa5"), 0xa5U);
    EXPECT_FALSE(multiply(1ULL << 63, 2));
    EXPECT_FALSE(add(~0ULL, 1));
}

TEST(Text, EscapesWhatForgesATerminal) {
    EXPECT_EQ(escaped("plain\tüñ 日本"), "plain\tüñ 日本");
    EXPECT_EQ(escaped("\x1b[31m"), "\\x1b[31m");
    EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(escaped("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
    EXPECT_EQ(escaped("\xc2\x9b"
                      "31m"),
              "\\xc2\\x9b31m")
        << "C1 control";
    EXPECT_EQ(escaped("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right-to-left override";
}

TEST(Text, HumanSizes) {
    EXPECT_EQ(human_size(512), "512 B");
    EXPECT_EQ(human_size(16384), "16 KiB");
    EXPECT_EQ(human_size(1000204886016), "932 GiB");
    EXPECT_EQ(human_size(3 * TiB / 2), "1536 GiB");
}

TEST(Text, LinesAndWords) {
    EXPECT_EQ(split_lines("a\r\nb\n\nc").size(), 4U);
    EXPECT_EQ(split_lines("a\r\nb")[0], "a");
    EXPECT_EQ(words("  a \t bc ").size(), 2U);
    EXPECT_EQ(split("a::b", ':').size(), 3U);
    EXPECT_EQ(between("x (y) z", "(", ")"), "y");
    EXPECT_FALSE(between("x (y", "(", ")"));
}

TEST(Statistics, KnownValues) {
    const std::vector<double> values{5, 1, 4, 2, 100};
    EXPECT_DOUBLE_EQ(median(values).value(), 4);
    EXPECT_DOUBLE_EQ(median_absolute_deviation(values).value(), 2);
    EXPECT_DOUBLE_EQ(percentile(values, 0).value(), 1);
    EXPECT_DOUBLE_EQ(percentile(values, 1).value(), 100);
    EXPECT_DOUBLE_EQ(median(std::vector<double>{1, 2}).value(), 1.5);
    EXPECT_FALSE(median({}));
    EXPECT_FALSE(percentile(values, 1.5));
}

TEST(ByteReader, NeverReadsPastTheEnd) {
    const std::array<std::byte, 5> bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                         std::byte{'x'}};
    const ByteReader little(bytes), big(bytes, ByteOrder::big);
    EXPECT_EQ(little.u16(0), 0x0201);
    EXPECT_EQ(big.u16(0), 0x0102);
    EXPECT_EQ(little.u32(1), 0x78040302U);
    EXPECT_FALSE(little.u32(2));
    EXPECT_FALSE(little.u64(0));
    EXPECT_FALSE(little.u8(5));
    EXPECT_FALSE(little.u32(~std::size_t{0}));
    EXPECT_EQ(little.text(4, 1), "x");
    EXPECT_FALSE(little.text(4, 2));
}

}  // namespace
}  // namespace diskwright
