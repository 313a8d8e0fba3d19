// SPDX-License-Identifier: BSD-2-Clause
// A recording that was not read to its end counts what was read.
#include <gtest/gtest.h>

#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

std::string saturation(const HostFacts& facts) {
    for (const Finding& finding : judge(facts).findings)
        if (finding.code == "IO001") return finding.message;
    return {};
}

TEST(SaturatedBySmallWrites, SaysWhenSamplesWereLeftOut) {
    constexpr std::string_view sample =
        R"({"reads_per_s": 0, "writes_per_s": 400, "write_kb_per_s": 1600, "busy_percent": 97})";
    std::string samples(sample);
    for (int i = 0; i < 3; ++i) samples += "," + std::string(sample);
    auto facts = facts_from_text(
        R"({"io_traces": [{"device": "ada3", "run": 0, "interval_s": 10, "samples": [)" + samples + "]}]}",
        "test");
    ASSERT_TRUE(facts) << facts.error().message;
    EXPECT_TRUE(contains(saturation(*facts), "writes: 4 samples")) << saturation(*facts);
    facts->unparsed.push_back({"iostat.txt", 1, 9, "more than 4 samples of I/O: the rest is left out"});
    EXPECT_TRUE(contains(saturation(*facts), "writes: at least 4 samples")) << saturation(*facts);
}

}  // namespace
}  // namespace diskwright
