// SPDX-License-Identifier: BSD-2-Clause
// Whole sessions with raidctl, from the configuration of a set to its repair, judged after every command:
// what was printed last holds, and a finding stays exactly as long as the trouble it names.
//   tests/data/raidframe/NAME.txt       "$ command" lines with what each printed and [rc=STATUS]
//   tests/data/raidframe/sessions.json  level and stripe unit of each, and from which command on what holds;
//                                       a component whose data is on a spare ("spared") reads failed
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "probes/capture/assemble.hpp"
#include "rules/rule.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

/// Each command with its output.
std::vector<std::string> commands_of(const std::string& session) {
    std::vector<std::string> out;
    std::istringstream in(session);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("$ ")) out.emplace_back();
        if (!out.empty()) out.back() += line + "\n";
    }
    return out;
}

std::string components_of(const Volume& set) {
    std::string out;
    for (const Component& c : set.components)
        out += fmt::format("{}{}:{}", out.empty() ? "" : " ", device_name(c.name),
                           c.state ? to_string(*c.state) : "unknown");
    return out;
}

void expect_moment(const HostFacts& facts, const Json& session, const Json& moment) {
    ASSERT_EQ(facts.volumes.size(), 1U);
    const Volume& set = facts.volumes.front();
    EXPECT_EQ(set.name, "raid0");
    EXPECT_TRUE(set.level && to_string(*set.level) == session.at("level").get<std::string>());
    EXPECT_TRUE(set.stripe_unit_bytes.is(session.at("stripe_unit_bytes").get<std::uint64_t>()));
    EXPECT_EQ(components_of(set), moment.at("components").get<std::string>());
    EXPECT_TRUE(set.parity_clean.is(moment.at("parity_clean").get<bool>()));

    const auto& wanted = moment.at("findings");
    const Judgement judgement = judge(facts);
    for (const auto* code : {"RAID001", "RAID002", "RAID011", "RAID014", "RAID015", "HOST001", "HOST003"}) {
        const bool fires = std::any_of(judgement.findings.begin(), judgement.findings.end(),
                                       [&](const Finding& f) { return f.code == code; });
        EXPECT_EQ(fires, std::find(wanted.begin(), wanted.end(), code) != wanted.end()) << code;
    }
}

TEST(RaidframeSessions, WhatHoldsAfterEveryCommand) {
    const auto folder = test::data_folder() / "raidframe";
    const Json sessions = Json::parse(test::read_file(folder / "sessions.json"));
    ASSERT_FALSE(sessions.empty());
    for (const auto& [name, session] : sessions.items()) {
        const auto commands = commands_of(test::read_file(folder / (name + ".txt")));
        const Json& moments = session.at("from");
        const Json* moment = nullptr;
        std::size_t next = 0;
        Capture capture;
        capture.documents.push_back({name, {}, {}});
        for (std::size_t i = 0; i < commands.size(); ++i) {
            SCOPED_TRACE(fmt::format("{}, command {}", name, i + 1));
            capture.documents.front().bytes += commands[i];
            if (next < moments.size() && moments[next].at("command") == i + 1) {
                moment = &moments[next++];
                ASSERT_TRUE(commands[i].starts_with("$ " + moment->at("is").get<std::string>() + "\n"));
            }
            if (!moment) continue;
            const auto facts = assemble(capture);
            ASSERT_TRUE(facts) << facts.error().message;
            expect_moment(*facts, session, *moment);
        }
        EXPECT_EQ(next, moments.size()) << name << " is shorter than its table";
    }
}

// A paste may end anywhere, within a listing too.
TEST(RaidframeSessions, NoFalseAlarmAtAnyLine) {
    struct Row {
        const char* name;
        const char *degraded_from, *degraded_until;  // lines; until: after raidctl -R
    };
    const Row rows[] = {
        {"raid1-degraded", "           /dev/sd1e: failed", "Component label for /dev/sd0e:"},
        {"raid1-spare", nullptr, nullptr},  // a spare stands in while one component has failed
    };
    for (const Row& row : rows) {
        std::istringstream session(
            test::read_file(test::data_folder() / "raidframe" / (std::string(row.name) + ".txt")));
        Capture capture;
        capture.documents.push_back({row.name, {}, {}});
        bool failed_seen = false, rebuilt = false, rebuilding = false;
        std::size_t number = 0;
        for (std::string line; std::getline(session, line);) {
            SCOPED_TRACE(fmt::format("{}, cut after line {}", row.name, ++number));
            capture.documents.front().bytes += line + "\n";
            failed_seen = failed_seen || (row.degraded_from && line == row.degraded_from);
            rebuilding = rebuilding || line.starts_with("$ raidctl -R ");
            rebuilt = rebuilt || (rebuilding && line == row.degraded_until);
            const auto facts = assemble(capture);
            if (!facts) continue;
            bool degraded = false;
            for (const Finding& f : judge(*facts).findings) {
                degraded = degraded || f.code == "RAID001";
                for (const auto* never : {"RAID002", "RAID011", "RAID014", "RAID015", "HOST001"})
                    EXPECT_NE(f.code, never) << f.message;
            }
            if (failed_seen && !rebuilding) {
                EXPECT_TRUE(degraded);
            }
            if (!failed_seen || rebuilt) {
                EXPECT_FALSE(degraded);
            }
        }
        EXPECT_EQ(rebuilt, row.degraded_until != nullptr);
    }
}

}  // namespace
}  // namespace diskwright
