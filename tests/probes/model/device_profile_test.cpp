// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/device_profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

DeviceProfile sample() {
    DeviceProfile profile;
    Measurement& flush = profile["flush_latency_s"];
    flush = {
        0.008, "s", 0.0005, 4, Confidence::high, "", {{"write, then flush", {0.008, 0.007, 0.008, 0.03}}}};
    profile["random_read_iops"] = {std::vector<Measurement::Point>{{1, 110, 2.5}, {8, 240, std::nullopt}},
                                   "1/s",
                                   std::nullopt,
                                   0,
                                   Confidence::medium,
                                   "few samples",
                                   {}};
    profile["write_cache"] = {"volatile", "", std::nullopt, 12, Confidence::low, "noisy", {}};
    profile["stripe_unit_bytes"] = Measurement::inconclusive("bytes", "cached");
    return profile;
}

TEST(DeviceProfile, GoesThroughJsonUnchanged) {
    const auto json = profile_to_json(sample());
    EXPECT_EQ(json["flush_latency_s"]["percentiles"]["max"], 0.03);
    EXPECT_EQ(json["random_read_iops"]["value"][1]["at"], 8);
    EXPECT_FALSE(json["stripe_unit_bytes"].contains("value")) << "unknown is absent";
    const auto back = profile_from_json(json, "p.json");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, sample());
}

TEST(DeviceProfile, WhatIsWrongIsNamed) {
    struct Row {
        std::string_view json, says;
    };
    constexpr std::array<Row, 9> rows{{
        {R"([])", "not an object"},
        {R"({"seek_s": 3})", "seek_s: not an object"},
        {R"({"seek_s": {"value": 3}})", "seek_s.confidence"},
        {R"({"seek_s": {"confidence": "sure", "value": 1}})", "seek_s.confidence"},
        {R"({"seek_s": {"confidence": "high"}})", "seek_s.value"},
        {R"({"seek_s": {"confidence": "high", "value": [{"at": 1}]}})", "seek_s.value[0]"},
        {R"({"seek_s": {"confidence": "high", "value": 1, "samples": -1}})", "seek_s.samples"},
        {R"({"seek_s": {"confidence": "high", "valu": 1, "value": 1}})", "did you mean 'value'"},
        {R"({"seek_s": {"confidence": "high", "value": 1, "series": [{"samples": ["a"]}]}})",
         "seek_s.series[0].samples"},
    }};
    for (const Row& row : rows) {
        const auto profile = profile_from_json(Json::parse(row.json), "p.json");
        ASSERT_FALSE(profile) << row.json;
        EXPECT_EQ(profile.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(profile.error().message, row.says)) << profile.error().message;
    }
}

}  // namespace
}  // namespace diskwright
