// SPDX-License-Identifier: BSD-2-Clause
// Explanations, and the two files that are generated from the code and committed: UPDATE_GOLDEN=1 rewrites
// them.
#include "advisor/reports/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/reports/schema.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

constexpr Rule sample{
    {.code = "TEST001",
     .slug = "sample-fault",
     .severity = Severity::warning,
     .impact = 2,
     .summary = "a sample",
     .why = "It is slow, e.g. on disks. .Nm is no request here. A path C:\\x keeps its backslash.",
     .cost = "'Twice the time.",
     .remedy = "tunefs -o time, on the unmounted file system; this sentence is long enough to be wrapped "
               "somewhere.",
     .bad = R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd0"}, {"name": "wd1"}]})",
     .good = R"({"os": {"name": "netbsd"}, "disks": []})",
     .references = "tunefs(8)"},
    nullptr};

TEST(Explain, Text) {
    test::expect_golden(test::data_folder() / "reports/explain.txt", explain_text(sample, {}));
    const std::string coloured = explain_text(sample, {.colour = true, .width = 60});
    EXPECT_TRUE(contains(coloured, "\x1b[1mWhy\x1b[0m"));
    EXPECT_FALSE(contains(explain_text(sample, {}), "\x1b"));
}

TEST(Explain, Mdoc) {
    const Rule* const rules[] = {&sample};
    test::expect_golden(test::data_folder() / "reports/explain.mdoc", explain_mdoc(rules));
}

TEST(Explain, EveryRuleInEveryForm) {
    const auto json = nlohmann::ordered_json::parse(explain_json(rule_set()), nullptr, false);
    ASSERT_TRUE(json.is_object());
    ASSERT_EQ(json["rules"].size(), rule_set().size());
    const std::string list = explain_list(rule_set(), {}), page = explain_mdoc(rule_set());
    for (std::size_t i = 0; i < rule_set().size(); ++i) {
        const RuleInfo& info = rule_set()[i]->info;
        SCOPED_TRACE(info.code);
        EXPECT_EQ(json["rules"][i]["code"], info.code);
        EXPECT_TRUE(json["rules"][i]["bad"].is_object());
        EXPECT_TRUE(json["rules"][i]["good"].is_object());
        EXPECT_TRUE(contains(list, info.slug));
        EXPECT_TRUE(contains(page, ".Ss " + std::string(info.code)));
        EXPECT_TRUE(contains(explain_text(*rule_set()[i], {}), "Not reported"));
    }
}

TEST(Explain, RuleNames) {
    ASSERT_TRUE(rule_named("ffs008"));
    EXPECT_EQ((*rule_named("Optimization-Space"))->info.code, "FFS008");
    EXPECT_TRUE(contains(rule_named("FFS08").error().message, "'FFS008'"));
    EXPECT_EQ(rule_named("zzzzzz").error().kind, ErrorKind::usage);
    EXPECT_FALSE(contains(rule_named("\x1b[2J").error().message, "\x1b"));
}

TEST(Generated, RulesPage) {
    test::expect_golden(test::tests_folder().parent_path() / "man/diskwright-rules.7",
                        explain_mdoc(rule_set()));
}

TEST(Generated, Schema) {
    test::expect_golden(test::tests_folder().parent_path() / "advisor/reports/schema/diskwright.schema.json",
                        report_schema().dump(1) + "\n");
}

// diskwright-json(5) is written by hand; it names every key of the facts.
TEST(Generated, JsonPageIsComplete) {
    const std::string page = test::read_file(test::tests_folder().parent_path() / "man/diskwright-json.5");
    const auto described = [&](const std::string& key) { return contains(page, key); };
    const auto properties = facts_schema()["properties"];
    for (const auto& [list, schema] : properties.items()) {
        EXPECT_TRUE(described(".It Va " + list) || list == "provenance") << list;
        const auto& element = schema.contains("items") ? schema["items"] : schema;
        if (!element.contains("properties")) continue;
        for (const auto& [key, value] : element["properties"].items())
            EXPECT_TRUE(described(key)) << list << "." << key;
    }
}

}  // namespace
}  // namespace diskwright
