// SPDX-License-Identifier: BSD-2-Clause
// Devices that fail, stall or go away: what could be read is told, the fault is named, and nothing hangs.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "tests/support/program.hpp"
#include "tests/vm/booted.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using List = std::vector<std::string>;

class faults : public test::Booted<faults> {
 public:
    static constexpr const char* boot = "faults";
};

// What attempt of lib.sh left.
struct Attempt {
    int status = -1;
    std::uint64_t seconds = 0;
    std::string output, errors;
    Json host;  // where the output is a report
};
Attempt attempt(const test::SnippetResult& snippet, const std::string& name) {
    Attempt out;
    const std::string table = snippet.file("attempts");
    for (const auto line : split_lines(table)) {
        const auto field = words(line);
        if (field.size() != 3 || field[0] != name) continue;
        out.status = static_cast<int>(to_unsigned(field[1]).value_or(999));
        out.seconds = to_unsigned(field[2]).value_or(999);
    }
    out.output = snippet.file(name + ".out"), out.errors = snippet.file(name + ".err");
    const auto json = Json::parse(out.output, nullptr, false);
    if (json.is_object() && json.contains("hosts")) out.host = json["hosts"][0];
    return out;
}

List file_systems(const Json& host) {
    List out;
    for (const auto& fs : host["facts"]["filesystems"]) out.push_back(fs["device"]);
    std::sort(out.begin(), out.end());
    return out;
}
// Whether that was not read, for that reason.
bool left_out(const Json& host, const std::string& source, const std::string& reason) {
    return std::any_of(host["unparsed"].begin(), host["unparsed"].end(), [&](const Json& row) {
        return row["source"] == source && row["reason"].get<std::string>().find(reason) != std::string::npos;
    });
}
Json shown(const test::SnippetResult& snippet, const std::string& capture) {
    const auto json = Json::parse(
        test::run_program({"show", "--format", "json", (snippet.folder / capture).string()}).output, nullptr,
        false);
    return json.is_object() ? json["hosts"][0] : Json();
}

TEST_F(faults, ADeviceThatCannotBeReadAtAllIsAnErrorOfTheDevice) {
    const auto& result = snippet("failing");
    for (const char* name : {"all_bad", "all_bad_show"}) {
        const Attempt tried = attempt(result, name);
        EXPECT_EQ(tried.status, 74) << name;
        EXPECT_EQ(tried.errors, "diskwright: all_bad@0x0: Input/output error\n");
    }
    const Attempt probe = attempt(result, "all_bad_probe");
    EXPECT_EQ(probe.status, 74);
    // Probes read in no fixed order.
    EXPECT_TRUE(probe.errors.starts_with("diskwright: /dev/mapper/all_bad: read at byte ") &&
                probe.errors.ends_with(": Input/output error\n"))
        << probe.errors;
}

TEST_F(faults, WhatLiesBesideABadPlaceIsTold) {
    const auto& result = snippet("failing");
    const Attempt mapped = attempt(result, "part_bad");
    EXPECT_EQ(mapped.status, 0) << mapped.errors;
    EXPECT_EQ(file_systems(mapped.host), List{"part_bad:1"});
    EXPECT_TRUE(left_out(mapped.host, "part_bad", "part_bad@0x100000: Input/output error")) << mapped.output;
    const Attempt medium = attempt(result, "medium");
    EXPECT_EQ(medium.status, 0) << medium.errors;
    EXPECT_EQ(file_systems(medium.host), List{"sda2"});
    EXPECT_TRUE(left_out(medium.host, "sda", "sda@0x100000")) << medium.output;
    const Attempt live = attempt(result, "medium_live");
    EXPECT_EQ(live.status, 0) << live.errors;
    EXPECT_EQ(file_systems(live.host), List{"sda2"});
    EXPECT_TRUE(left_out(live.host, "sda@0x100000", "medium error")) << live.output;
    EXPECT_TRUE(left_out(live.host, "sdb@0x100000", "medium error")) << live.output;
}

TEST_F(faults, CapturesNameABadPlace) {
    const auto& result = snippet("failing");
    EXPECT_EQ(attempt(result, "medium_collect").status, 0);
    EXPECT_EQ(attempt(result, "medium_script").status, 0);
    const Json collected = shown(result, "medium.tar"), script = shown(result, "medium-script.tar");
    EXPECT_EQ(file_systems(collected), List{"sda2"});
    EXPECT_EQ(file_systems(script), List{"sda2"});
    EXPECT_TRUE(left_out(collected, "sda@0x100000", "medium error"));
    EXPECT_TRUE(left_out(script, "sda at byte 1048576", "Input/output error"));
}

TEST_F(faults, AMeasurementThatFailsKeepsWhatItHas) {
    const auto& failing = snippet("failing");
    const Attempt medium = attempt(failing, "medium_probe");
    EXPECT_EQ(medium.status, 74);
    EXPECT_NE(medium.errors.find("/dev/sda: read at byte 1048576: medium error"), std::string::npos)
        << medium.errors;
    const auto& vanishing = snippet("vanishing");
    // A read that finds the drive deleted may come to its end instead of to an error.
    for (const auto& [name, errors] : {std::pair{"deleted_probe", List{"No such device", "short read, 0 of"}},
                                       {"flaky_probe", List{"Input/output error"}}}) {
        const Attempt tried = attempt(vanishing, name);
        EXPECT_EQ(tried.status, 74) << name;
        EXPECT_TRUE(std::any_of(errors.begin(), errors.end(), [&](const std::string& error) {
            return tried.errors.find(error) != std::string::npos;
        })) << tried.errors;
        const auto json = Json::parse(tried.output, nullptr, false);
        ASSERT_TRUE(json.is_object()) << tried.output;
        EXPECT_GT(json["sequential_read_bytes_per_s"]["samples"], 0);
    }
}

TEST_F(faults, ASlowDeviceIsReadAndAStalledOneLeftOut) {
    const auto& result = snippet("stalling");
    const Attempt slow = attempt(result, "slow");
    EXPECT_EQ(slow.status, 0) << slow.errors;
    EXPECT_EQ(file_systems(slow.host), List{"slow:0"});
    // The deadline is 10 s.
    const Attempt live = attempt(result, "live");
    EXPECT_EQ(live.status, 0) << live.errors;
    EXPECT_LT(live.seconds, 40U);
    const Attempt collect = attempt(result, "collect");
    EXPECT_EQ(collect.status, 0) << collect.errors;
    EXPECT_LT(collect.seconds, 40U);
    for (const Json& host : {live.host, shown(result, "collect.tar")})
        for (const char* disk : {"sda", "sdb"})
            EXPECT_TRUE(left_out(host, disk, "gave no answer in time")) << disk << host["unparsed"].dump(1);
}

TEST_F(faults, ADriveThatIsGoneIsNamedAndTheOthersTold) {
    const auto& result = snippet("vanishing");
    const Attempt offline = attempt(result, "offline");
    EXPECT_EQ(offline.status, 66);
    EXPECT_EQ(offline.errors, "diskwright: /dev/sda: No such device or address\n");
    EXPECT_EQ(attempt(result, "offline_probe").status, 66);
    const Attempt live = attempt(result, "offline_live");
    EXPECT_EQ(live.status, 0) << live.errors;
    EXPECT_EQ(file_systems(live.host), (List{"sdb1", "sdc1", "sdd1"}));
    EXPECT_TRUE(left_out(live.host, "/dev/sda", "No such device or address")) << live.output;
    EXPECT_EQ(file_systems(shown(result, "offline.tar")), (List{"sdb1", "sdc1", "sdd1"}));
}

TEST_F(faults, ADriveThatGoesWhileItIsLookedAtHoldsNobodyUp) {
    const Attempt tried = attempt(snippet("vanishing"), "deleted_live");
    EXPECT_EQ(tried.status, 0) << tried.errors;
    EXPECT_LT(tried.seconds, 45U);
    ASSERT_TRUE(tried.host.is_object()) << tried.output;
    const auto said = tried.host["unparsed"].dump();
    EXPECT_NE(said.find("sdb"), std::string::npos) << said;
}

}  // namespace
}  // namespace diskwright
