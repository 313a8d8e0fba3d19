// SPDX-License-Identifier: BSD-2-Clause
// Whole inputs and the right answers: tests/data/cases/<name>/ holds input*.txt (several: one host) and
// expect.json:
//   os        {"name"?, "release"?}
//   facts     [{"path", "equals"}]: null means absent; or {"path", "contains"}: a member of a list
//   findings  [{"code", "subjects", "certainty"?}]: each subject has a finding of that code; "a|b" offers
//   alternatives silent    "CODE", or {"code", "subject"?, "certainty"?}: no such finding allowed   codes
//   that may fire or not; any other warning or error is a failure
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/report.hpp"
#include "probes/capture/assemble.hpp"
#include "tests/support/fact_path.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using test::one_of;

Json audit_json(const std::filesystem::path& folder) {
    Capture capture;
    for (const auto& file : test::entries(folder))
        if (file.extension() == ".txt")
            capture.documents.push_back({file.filename().string(), test::read_file(file), {}});
    Report report;
    HostReport host;
    host.input = folder.filename().string();
    auto facts = assemble(capture);
    if (facts) {
        host.facts = std::move(*facts);
        host.judgement = judge(host.facts);
    } else {
        host.error = facts.error();
    }
    report.hosts.push_back(std::move(host));
    report.exit_status = exit_status(tally_of(report.hosts), Severity::warning, false);
    return Json::parse(render_json(report, ReportKind::audit));
}

void expect_facts(const Json& facts, const Json& wanted) {
    for (const Json& want : wanted) {
        const auto path = want.at("path").get<std::string>();
        const auto got = test::resolve(facts, path);
        const std::string shown = got.empty() ? "absent" : got.front().dump();
        if (want.contains("contains")) {
            const bool found = std::any_of(got.begin(), got.end(), [&](const Json& list) {
                return list.is_array() && std::any_of(list.begin(), list.end(), [&](const Json& x) {
                           return test::same_value(x, want["contains"]);
                       });
            });
            EXPECT_TRUE(found) << path << ": " << shown << " lacks " << want["contains"];
        } else if (want.at("equals").is_null()) {
            EXPECT_TRUE(got.empty()) << path << ": " << shown << ", expected absent";
        } else {
            const bool found = std::any_of(
                got.begin(), got.end(), [&](const Json& x) { return test::same_value(x, want["equals"]); });
            EXPECT_TRUE(found) << path << ": " << shown << ", expected " << want["equals"];
        }
    }
}

void expect_findings(const Json& findings, const Json& contract) {
    std::vector<std::string> named;
    for (const Json& want : contract.value("findings", Json::array())) {
        const auto code = want.at("code").get<std::string>();
        named.push_back(code);
        for (const Json& subject : want.at("subjects")) {
            const bool found = std::any_of(findings.begin(), findings.end(), [&](const Json& f) {
                return one_of(f["code"].get<std::string>(), code) &&
                       one_of(f["subject"].get<std::string>(), subject.get<std::string>()) &&
                       (!want.contains("certainty") || f["certainty"] == want["certainty"]);
            });
            EXPECT_TRUE(found) << code << " " << subject << " is missing";
        }
    }
    for (const Json& silent : contract.value("silent", Json::array())) {
        const bool plain = silent.is_string();
        const auto code = plain ? silent.get<std::string>() : silent.at("code").get<std::string>();
        named.push_back(code);
        for (const Json& f : findings) {
            if (f["code"] != code) continue;
            if (!plain && silent.contains("subject") &&
                !one_of(f["subject"].get<std::string>(), silent["subject"].get<std::string>()))
                continue;
            if (!plain && silent.contains("certainty") && silent["certainty"] != f["certainty"]) continue;
            ADD_FAILURE() << code << " fires for " << f["subject"] << ": " << f["message"];
        }
    }
    for (const Json& allowed : contract.value("allowed", Json::array()))
        named.push_back(allowed.get<std::string>());
    for (const Json& f : findings) {
        const bool grave = f["severity"] == "warning" || f["severity"] == "error";
        const bool known = std::any_of(named.begin(), named.end(), [&](const std::string& n) {
            return one_of(f["code"].get<std::string>(), n);
        });
        EXPECT_TRUE(known || !grave) << "not expected: " << f["code"] << " " << f["subject"] << ": "
                                     << f["message"];
    }
}

TEST(Cases, All) {
    const auto folders = test::entries(test::data_folder() / "cases");
    ASSERT_FALSE(folders.empty());
    for (const auto& folder : folders) {
        SCOPED_TRACE(folder.filename());
        const Json contract = Json::parse(test::read_file(folder / "expect.json"));
        const Json document = audit_json(folder);
        const Json& host = document["hosts"][0];
        const Json& facts = host["facts"];
        const Json stated_os = contract.value("os", Json::object());
        for (const auto& [key, value] : stated_os.items())
            EXPECT_EQ(facts["os"].value(key, "absent"), value) << "os." << key;
        expect_facts(facts, contract.value("facts", Json::array()));
        expect_findings(host["findings"], contract);
        for (const Json& f : host["findings"]) {
            EXPECT_FALSE(f["evidence"].empty()) << f["code"];
            if (f["certainty"] == "conditional") {
                EXPECT_TRUE(f.contains("condition")) << f["code"];
            }
        }
    }
}

}  // namespace
}  // namespace diskwright
