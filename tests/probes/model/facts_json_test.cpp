// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/facts_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

// Every member of every struct once, made from the schema, so that a new member cannot be forgotten here.
Json sample_of(const Json& schema) {
    if (schema.contains("enum")) return schema["enum"].back();
    const std::string type = schema.value("type", "object");
    if (type == "string") return "text";
    if (type == "integer") return 7;
    if (type == "number") return 1.5;
    if (type == "boolean") return true;
    if (type == "array") return Json::array({sample_of(schema["items"])});
    Json object = Json::object();
    if (schema.contains("properties"))
        for (const auto& [key, value] : schema["properties"].items())
            if (key != "provenance") object[key] = sample_of(value);
    if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
        object["some.name"] = sample_of(schema["additionalProperties"]);
    return object;
}

TEST(FactsJson, RoundTripOfEveryMember) {
    const Json json = sample_of(facts_schema());
    ASSERT_GT(json.dump().size(), 3000U);
    const auto facts = facts_from_json(json, "sample");
    ASSERT_TRUE(facts) << facts.error().message;
    EXPECT_EQ(facts_to_json(*facts, false), json);
    // With provenance nothing is lost either.
    const auto again = facts_from_json(facts_to_json(*facts, true), "again");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(facts_to_json(*again, true), facts_to_json(*facts, true));
}

TEST(FactsJson, UnknownIsAbsent) {
    HostFacts facts;
    disk(facts, "wd0").model = Text("", {});
    EXPECT_EQ(facts_to_json(facts, true)["disks"][0], (Json{{"name", "wd0"}}));
}

TEST(FactsJson, RejectsNameThePath) {
    struct Row {
        std::string_view json, part;
    };
    for (const auto& [json, part] :
         {Row{R"({"disks": [{"nmae": "x"}]})", "disks[0].nmae: unknown key"},
          Row{R"({"disks": [{"name": "x", "rpm": "fast"}]})", "disks[0].rpm: expected a whole number"},
          Row{R"({"volumes": [{"name": "x", "level": "7"}]})", "volumes[0].level: expected 0|1|3"},
          Row{R"({"disks": {}})", "disks: expected a list"},
          Row{R"({"mounts": [{"point": "/", "options": [1]}]})", "options: expected a list of strings"},
          Row{R"([])", "expected an object"}, Row{"{", "not JSON"}}) {
        const auto facts = facts_from_text(json, "f.json");
        ASSERT_FALSE(facts) << json;
        EXPECT_EQ(facts.error().kind, ErrorKind::bad_data);
        EXPECT_TRUE(contains(facts.error().message, part)) << facts.error().message;
    }
}

TEST(FactsJson, StringsAreEscaped) {
    HostFacts facts;
    disk(facts, "wd0").model = Text("\x1b[31mred\xff", {});
    EXPECT_EQ(facts_to_json(facts, false)["disks"][0]["model"], "\\x1b[31mred\\xff");
}

TEST(DeviceName, Table) {
    EXPECT_EQ(device_name("/dev/rwd0e"), "wd0e");
    EXPECT_EQ(device_name("rraid0d"), "raid0d");
    EXPECT_EQ(device_name("raid0"), "raid0");
    EXPECT_EQ(device_name("/dev/mirror/gm0s1e"), "mirror/gm0s1e");
    EXPECT_EQ(device_name("/dev/rdk2"), "dk2");
    EXPECT_EQ(device_name("rdisk"), "rdisk");
    EXPECT_EQ(device_name("/mnt/"), "/mnt/");
    EXPECT_EQ(device_name(""), "");
}

}  // namespace
}  // namespace diskwright
