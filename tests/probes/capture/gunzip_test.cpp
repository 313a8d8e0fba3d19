// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/gunzip.hpp"

#include <gtest/gtest.h>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

std::string packed() {
    return test::read_file(test::data_folder() / "disksim" / "trace_barracuda.json.gz");
}

TEST(Gunzip, OneFileWhole) {
    const auto text = gunzip(packed(), "t", {});
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_TRUE(text->starts_with("{\"title\":"));
    EXPECT_TRUE(is_gzip(packed()));
    EXPECT_FALSE(is_gzip(*text));
}

TEST(Gunzip, DamagedCutOffAndTooLarge) {
    std::string damaged = packed();
    damaged.replace(100, 2000, 2000, '\xff');
    LoadLimits small;
    small.bytes = 1000;
    LoadLimits dense;
    dense.expansion_ratio = 0;
    struct Row {
        std::string bytes;
        LoadLimits limits;
        std::string_view says;
    };
    for (const Row& row :
         {Row{packed().substr(0, 3000), {}, "t: "}, Row{damaged, {}, "t: "},
          Row{packed(), small, "t: expands to more than"}, Row{packed(), dense, "t: expands"}}) {
        const auto text = gunzip(row.bytes, "t", row.limits);
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(text.error().message, row.says)) << text.error().message;
    }
}

}  // namespace
}  // namespace diskwright
