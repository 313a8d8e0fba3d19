// SPDX-License-Identifier: BSD-2-Clause
// A host of real devices, looked at in every way that there is: they tell the same, and write nothing.
#include <filesystem>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"
#include "tests/vm/booted.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

class host : public test::Booted<host> {
 public:
    static constexpr const char* boot = "host";
};

void drop(Json& json, const std::string& key) {
    if (!json.is_structured()) return;
    if (json.is_object()) json.erase(key);
    for (auto& item : json) drop(item, key);
}

// What was found and what is known, without where each was read.
struct Told {
    Json facts, findings;
};
Told told(const std::string& shown, const std::string& audited) {
    const auto show = Json::parse(shown, nullptr, false), audit = Json::parse(audited, nullptr, false);
    EXPECT_FALSE(show.is_discarded() || audit.is_discarded()) << shown << audited;
    if (show.is_discarded() || audit.is_discarded()) return {};
    Told out{show["hosts"][0]["facts"], audit["hosts"][0]["findings"]};
    drop(out.facts, "provenance");
    for (auto& finding : out.findings) drop(finding, "evidence");
    return out;
}
Told told_of(const fs::path& capture) {
    return told(test::run_program({"show", "--format", "json", capture.string()}).output,
                test::run_program({"audit", "--format", "json", capture.string()}).output);
}

TEST_F(host, EachWayOfLookingTellsTheSame) {
    const auto& result = snippet("collect");
    const Told live = told(result.file("live.show"), result.file("live.audit"));
    ASSERT_FALSE(live.findings.empty());
    for (const char* capture : {"program.tar", "folder", "script.tar"}) {
        SCOPED_TRACE(capture);
        const Told other = told_of(result.folder / capture);
        for (const auto& [key, value] : live.facts.items())
            EXPECT_EQ(other.facts[key].dump(1), value.dump(1)) << key;
        EXPECT_EQ(other.findings.dump(1), live.findings.dump(1));
    }
    EXPECT_EQ(trim(result.file("live.status")), "1");
    EXPECT_EQ(result.file("live.errors"), "");
    EXPECT_EQ(result.file("script.errors"), "");
}

TEST_F(host, LookingWritesNothing) {
    const auto& result = snippet("collect");
    EXPECT_FALSE(result.file("writes_before").empty());
    EXPECT_EQ(result.file("writes_after"), result.file("writes_before"));
}

TEST_F(host, MeasuringWritesNothing) {
    const auto& result = snippet("probe");
    EXPECT_FALSE(result.file("before").empty());
    EXPECT_EQ(result.file("after"), result.file("before"));
    const std::string statuses = result.file("probes");
    ASSERT_EQ(split_lines(statuses).size(), 3U);
    for (const auto line : split_lines(statuses)) {
        EXPECT_TRUE(line.ends_with(" 0"))
            << line << result.file("probe." + std::string(words(line)[0]) + ".errors");
        const auto json = Json::parse(result.file("probe." + std::string(words(line)[0])), nullptr, false);
        EXPECT_FALSE(json.is_discarded()) << line;
    }
}

TEST_F(host, WhatIsInUseIsNoScratch) {
    const auto& result = snippet("probe");
    const std::string statuses = result.file("scratch");
    ASSERT_EQ(split_lines(statuses).size(), 3U);
    for (const auto line : split_lines(statuses))
        EXPECT_TRUE(line.ends_with(" 77")) << line << result.file("refused");
}

}  // namespace
}  // namespace diskwright
