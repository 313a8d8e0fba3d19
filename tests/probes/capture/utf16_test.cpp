// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/utf16.hpp"

#include <gtest/gtest.h>

#include <array>

#include "probes/capture/document.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

// Characters of the basic plane only.
std::string utf16_of(std::u16string_view text, bool little) {
    std::string out = little ? "\xff\xfe" : "\xfe\xff";
    for (const char16_t c : text) {
        const char low = static_cast<char>(c & 0xff), high = static_cast<char>(c >> 8);
        out += little ? low : high;
        out += little ? high : low;
    }
    return out;
}

TEST(Utf16, Recognised) {
    struct Row {
        const char* name;
        std::string head;
        bool is_text;
    };
    const std::array rows{
        Row{"little endian", utf16_of(u"/dev/wd0a on /", true), true},
        Row{"big endian", utf16_of(u"/dev/wd0a on /", false), true},
        Row{"half a character at the end", utf16_of(u"mount", true) + "x", true},
        Row{"no mark", utf16_of(u"mount", true).substr(2), false},
        Row{"the mark alone", "\xff\xfe", false},
        Row{"an erased disk", std::string(4096, '\xff'), false},
        Row{"zeros behind the mark", std::string("\xff\xfe") + std::string(510, '\0'), false},
        Row{"mostly other scripts", utf16_of(u"\u30c7\u30a3\u30b9\u30af a", true), false},
    };
    for (const Row& row : rows) EXPECT_EQ(is_utf16(row.head), row.is_text) << row.name;
}

TEST(Utf16, BecomesUtf8) {
    EXPECT_EQ(utf8_of(utf16_of(u"a\u00e9\u20ac\n", true)), "a\xc3\xa9\xe2\x82\xac\n");
    EXPECT_EQ(utf8_of(utf16_of(u"a\u00e9\u20ac\n", false)), "a\xc3\xa9\xe2\x82\xac\n");
    EXPECT_EQ(utf8_of(utf16_of(std::u16string{u'x', 0xd83d, 0xdcbe}, true)), "x\xf0\x9f\x92\xbe");
    EXPECT_EQ(utf8_of(utf16_of(std::u16string{0xd83d, u'x', 0xdcbe}, true)), "\xef\xbf\xbdx\xef\xbf\xbd");
    EXPECT_EQ(utf8_of(utf16_of(u"ab", true) + "c"), "ab");
}

TEST(Utf16, AFileOfItIsText) {
    const test::TemporaryFolder folder;
    const auto capture =
        load_input(folder.file("mount.txt", utf16_of(u"/dev/wd0a on / type ffs (local)\r\n", true)));
    ASSERT_TRUE(capture) << capture.error().message;
    EXPECT_TRUE(capture->images.empty());
    ASSERT_EQ(capture->documents.size(), 1U);
    EXPECT_EQ(capture->documents.front().bytes, "/dev/wd0a on / type ffs (local)\r\n");
}

}  // namespace
}  // namespace diskwright
