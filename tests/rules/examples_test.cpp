// SPDX-License-Identifier: BSD-2-Clause
// The rule set as a whole, and every rule's own examples and table:
// tests/rules/<family>/<slug>.json  [{"name", "facts": {...}, "workload"?, "findings": [{"subject",
// "severity"?,
//   "conditional"?: bool, "message"?: part of it, "note"?: part of it}], "skips"?: [part of a missing item]}]
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

HostFacts facts_of(std::string_view json, std::string_view where) {
    auto facts = facts_from_text(json, where);
    if (!facts) {
        ADD_FAILURE() << facts.error().message;
        return {};
    }
    return std::move(*facts);
}

std::set<std::string> codes(const Judgement& judgement) {
    std::set<std::string> out;
    for (const auto& f : judgement.findings) out.insert(std::string(f.code) + " " + f.subject);
    return out;
}

bool fires(const Judgement& judgement, std::string_view code) {
    return std::any_of(judgement.findings.begin(), judgement.findings.end(),
                       [&](const Finding& f) { return f.code == code; });
}

TEST(RuleSet, SortedByCodeAndComplete) {
    std::string_view before;
    for (const Rule* rule : rule_set()) {
        SCOPED_TRACE(rule->info.code);
        EXPECT_LT(before, rule->info.code);
        before = rule->info.code;
        for (const auto text : {rule->info.slug, rule->info.summary, rule->info.why, rule->info.cost,
                                rule->info.remedy, rule->info.bad, rule->info.good, rule->info.references})
            EXPECT_FALSE(text.empty());
    }
}

TEST(RuleSet, BadExamplesFireAndGoodOnesAreSilent) {
    for (const Rule* rule : rule_set()) {
        SCOPED_TRACE(rule->info.code);
        const auto bad = judge(facts_of(rule->info.bad, "bad"));
        EXPECT_TRUE(fires(bad, rule->info.code));
        const auto good = judge(facts_of(rule->info.good, "good"));
        EXPECT_FALSE(fires(good, rule->info.code));
        for (const auto& f : bad.findings) {
            EXPECT_FALSE(f.evidence.empty()) << f.code;
            EXPECT_FALSE(f.message.empty()) << f.code;
        }
    }
}

// A fix takes its finding away and brings no other.
TEST(RuleSet, FixesAuditClean) {
    for (const Rule* rule : rule_set()) {
        SCOPED_TRACE(rule->info.code);
        const HostFacts facts = facts_of(rule->info.bad, "bad");
        const auto before = judge(facts);
        for (const auto& finding : before.findings) {
            if (finding.code != rule->info.code || finding.changes.empty()) continue;
            HostFacts fixed = facts;
            EXPECT_TRUE(apply_changes(fixed, finding.changes)) << "a change has no subject in the example";
            const auto then = judge(fixed);
            const auto left = codes(then), were = codes(before);
            EXPECT_FALSE(left.contains(std::string(finding.code) + " " + finding.subject)) << "still fires";
            for (const auto& f : left) {
                // The only pair allowed: on parity the log that JRNL001 turns on has a cost of its own.
                if (rule->info.code == "JRNL001" && f.starts_with("JRNL002")) continue;
                EXPECT_TRUE(were.contains(f)) << "the fix brings " << f;
            }
        }
    }
}

// A name of the input that a shell would take apart, or a command for an option, is in no command to type.
TEST(RuleSet, CommandsToLookWithBringNoNamesThatAreNone) {
    for (const std::string name : {"raid7", "-rf", "a'b", "da0 -rf", "da0; -rf", "da0;reboot", "$(reboot)",
                                   "a`b`", "da*", "da?", "~da0", "{a,b}", "[a]", "!1", "#x"}) {
        SCOPED_TRACE(name);
        Json facts;
        facts["os"]["name"] = "netbsd";
        facts["disks"] = Json::array({Json{{"name", name}, {"rotational", true}}});
        facts["mounts"] = Json::array({Json{{"point", name}, {"device", name}, {"type", "ffs"}}});
        facts["filesystems"] = Json::array({Json{{"device", name}, {"type", "ffs2"}}});
        facts["volumes"] = Json::array({Json{{"name", name}, {"kind", "raidframe"}, {"level", "5"}}});
        const auto judgement = judge(facts_of(facts.dump(), "names"), {}, {});
        std::string all;
        for (const Skip& skip : judgement.skips)
            for (const std::string& missing : skip.missing) all += missing + "\n";
        EXPECT_TRUE(contains(all, name == "raid7" ? "raidctl -s raid7\n" : "raidctl -s NAME\n")) << all;
        EXPECT_EQ(all.find_first_of(";$()`*?~{}[]!#'"), std::string::npos) << all;
        EXPECT_FALSE(contains(all, " -rf")) << all;
    }
}

TEST(RuleSet, Tables) {
    for (const Rule* rule : rule_set()) {
        std::filesystem::path file;
        for (const auto& family : test::entries(test::tests_folder() / "rules")) {
            const auto candidate = family / (std::string(rule->info.slug) + ".json");
            if (std::filesystem::exists(candidate)) file = candidate;
        }
        ASSERT_FALSE(file.empty()) << "tests/rules/<family>/" << rule->info.slug << ".json is missing";
        const Json rows = Json::parse(test::read_file(file), nullptr, false);
        ASSERT_TRUE(rows.is_array() && !rows.empty()) << file;
        for (const auto& row : rows) {
            SCOPED_TRACE(std::string(rule->info.code) + ": " + row.at("name").get<std::string>());
            const HostFacts facts = facts_of(row.at("facts").dump(), file.filename().string());
            const auto judgement = judge(facts, {}, row.value("workload", std::string{}));
            std::vector<const Finding*> mine;
            for (const auto& f : judgement.findings)
                if (f.code == rule->info.code) mine.push_back(&f);
            const auto& wanted = row.at("findings");
            EXPECT_EQ(mine.size(), wanted.size());
            for (const auto& want : wanted) {
                const auto subject = want.at("subject").get<std::string>();
                const auto hit = std::find_if(mine.begin(), mine.end(),
                                              [&](const Finding* f) { return f->subject == subject; });
                if (hit == mine.end()) {
                    ADD_FAILURE() << "no finding for " << subject;
                    continue;
                }
                const Finding& found = **hit;
                EXPECT_EQ(to_string(found.severity),
                          want.value("severity", std::string(to_string(found.severity))));
                EXPECT_EQ(!found.condition.empty(), want.value("conditional", !found.condition.empty()));
                EXPECT_TRUE(contains(found.message, want.value("message", std::string{}))) << found.message;
                EXPECT_TRUE(contains(found.note, want.value("note", std::string{}))) << found.note;
            }
            if (row.contains("skips"))
                for (const auto& want : row["skips"]) {
                    bool said = false;
                    for (const auto& s : judgement.skips)
                        if (s.code == rule->info.code)
                            for (const auto& m : s.missing)
                                said = said || contains(m, want.get<std::string>());
                    EXPECT_TRUE(said) << "does not say that it misses " << want;
                }
        }
    }
}

}  // namespace
}  // namespace diskwright
