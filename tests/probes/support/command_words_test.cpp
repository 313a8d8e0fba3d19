// SPDX-License-Identifier: BSD-2-Clause
#include "probes/support/command_words.hpp"

#include <gtest/gtest.h>

namespace diskwright {
namespace {

TEST(CommandWords, Splits) {
    struct Row {
        std::string_view text;
        std::vector<std::string> words;
    };
    const std::vector<Row> rows{
        {"bonnie", {"bonnie"}},
        {"  a\t b\nc ", {"a", "b", "c"}},
        {"sh -c 'a \"b\" \\'", {"sh", "-c", "a \"b\" \\"}},
        {R"("a b" "\"\\\n")", {"a b", "\"\\\\n"}},
        {R"(a\ b \'c \\)", {"a b", "'c", "\\"}},
        {"a'b'\"c\"d", {"abcd"}},
        {"'' \"\"", {"", ""}},
        {"a|b $HOME `x` *;&", {"a|b", "$HOME", "`x`", "*;&"}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        const auto words = command_words(row.text);
        ASSERT_TRUE(words);
        EXPECT_EQ(*words, row.words);
    }
}

TEST(CommandWords, Rejects) {
    for (const std::string_view text :
         {std::string_view{""}, std::string_view{"  "}, std::string_view{"a 'b"}, std::string_view{"\"a\\\""},
          std::string_view{"a \\"}, std::string_view{"a\0b", 3}}) {
        SCOPED_TRACE(text);
        const auto words = command_words(text);
        ASSERT_FALSE(words);
        EXPECT_EQ(words.error().kind, ErrorKind::usage);
    }
}

}  // namespace
}  // namespace diskwright
