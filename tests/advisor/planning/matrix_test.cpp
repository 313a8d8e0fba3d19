// SPDX-License-Identifier: BSD-2-Clause
// A plan's own result, audited, has nothing at warning and above; and every option printed is one that the
// newfs of that system was seen to accept (tests/data/planning/newfs_options.json), for every volume of a
// grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "advisor/commands/quoting.hpp"
#include "advisor/planning/plan.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"
#include "tests/advisor/planning/planning_hosts.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

struct Set {
    Os os;
    VolumeKind kind;
    RaidLevel level;
    bool has_unit;
    std::uint64_t redundant;  // components that hold no data of their own; 99: all but one; 50: half
};
const std::vector<Set>& sets() {
    static const std::vector<Set> list{
        {Os::netbsd, VolumeKind::raidframe, RaidLevel::raid0, true, 0},
        {Os::netbsd, VolumeKind::raidframe, RaidLevel::raid1, true, 50},
        {Os::netbsd, VolumeKind::raidframe, RaidLevel::raid4, true, 1},
        {Os::netbsd, VolumeKind::raidframe, RaidLevel::raid5, true, 1},
        {Os::freebsd, VolumeKind::gmirror, RaidLevel::raid1, false, 99},
        {Os::freebsd, VolumeKind::gstripe, RaidLevel::raid0, true, 0},
        {Os::freebsd, VolumeKind::graid3, RaidLevel::raid3, false, 1},
        {Os::freebsd, VolumeKind::hardware, RaidLevel::raid5, true, 1},
        {Os::freebsd, VolumeKind::hardware, RaidLevel::raid6, true, 2},
        {Os::openbsd, VolumeKind::softraid, RaidLevel::raid0, true, 0},
        {Os::openbsd, VolumeKind::softraid, RaidLevel::raid1, false, 99},
        {Os::openbsd, VolumeKind::softraid, RaidLevel::raid5, true, 1},
        {Os::openbsd, VolumeKind::hardware, RaidLevel::raid5, true, 1},
    };
    return list;
}

std::vector<std::string> releases(Os os) {
    if (os == Os::netbsd) return {"", "6.0", "9.3"};
    if (os == Os::freebsd) return {"", "8.4-RELEASE", "9.1-RC3", "14.0-RELEASE"};
    return {"", "7.3", "7.6"};
}

std::uint64_t data_disks(const Set& set, std::uint64_t components) {
    if (set.redundant == 99) return 1;
    if (set.redundant == 50) return components / 2;
    return components - set.redundant;
}

bool exists(const Set& set, std::uint64_t components, std::uint64_t unit) {
    if (set.redundant == 50 && components % 2 != 0) return false;
    if (set.kind == VolumeKind::graid3 && !std::has_single_bit(components - 1)) return false;
    return set.kind != VolumeKind::softraid || unit == 65536 || !set.has_unit;
}

std::vector<test::VolumeHost> hosts_of(const Set& set, const std::string& release) {
    std::vector<test::VolumeHost> out;
    for (std::uint64_t components = 3; components <= 8; ++components)
        for (std::uint64_t unit = 4096; unit <= 512 * KiB; unit *= 2) {
            if (!exists(set, components, unit) || (!set.has_unit && unit > 4096)) continue;
            for (const std::uint64_t sector : {512U, 4096U, 0U})
                for (const bool flash : {false, true})
                    if (!flash || sector != 0)
                        out.push_back({.os = set.os,
                                       .release = release,
                                       .kind = set.kind,
                                       .level = set.level,
                                       .unit = set.has_unit ? unit : 0,
                                       .components = components,
                                       .data_disks = data_disks(set, components),
                                       .sector = sector,
                                       .flash = flash});
        }
    return out;
}

std::string describe(const test::VolumeHost& h, std::string_view workload) {
    return fmt::format("{} {} {} level {} unit {} x {} sector {} {} for {}", to_string(h.os), h.release,
                       to_string(h.kind), to_string(h.level), h.unit, h.components, h.sector,
                       h.flash ? "flash" : "disks", workload);
}

void expect_silent(const Plan& plan, std::string_view workload) {
    for (const Finding& f : judge(plan.planned, {}, workload).findings)
        EXPECT_LT(f.severity, Severity::warning) << f.code << " " << f.subject << ": " << f.message;
}

bool accepted(const Json& options, const std::string& option, const std::string& value) {
    if (!options.contains(option)) return false;
    const Json& values = options[option];
    if (values.is_array()) return std::find(values.begin(), values.end(), value) != values.end();
    const auto number = to_unsigned(value);
    return number && *number >= values["least"].get<std::uint64_t>() &&
           *number <= values["most"].get<std::uint64_t>();
}

// Every option of the newfs line is in the table of the system, with its value.
void expect_accepted(const Plan& plan, const Json& table) {
    const Json& options = table[std::string(to_string(plan.os))];
    std::size_t lines = 0;
    for (const Step& step : plan.steps)
        for (const SetupCommand& command : step.commands) {
            if (command.argv[0] != "newfs") continue;
            ++lines;
            for (std::size_t i = 1; i + 1 < command.argv.size(); ++i) {
                const std::string& word = command.argv[i];
                const bool alone = options["flags"].contains(word);
                EXPECT_TRUE(alone || accepted(options, word, command.argv[i + 1]))
                    << shell_line(command.argv) << ": " << word;
                if (!alone) ++i;
            }
        }
    EXPECT_EQ(lines, 1U);
}

class Matrix : public testing::TestWithParam<std::size_t> {};

TEST_P(Matrix, ItsOwnAuditIsSilent) {
    const Set& set = sets().at(GetParam());
    const Json table = Json::parse(test::read_file(test::data_folder() / "planning/newfs_options.json"));
    std::size_t plans = 0;
    for (const std::string& release : releases(set.os))
        for (const test::VolumeHost& host : hosts_of(set, release)) {
            const HostFacts facts = test::facts_of(host);
            for (const WorkloadProfile& workload : workload_profiles()) {
                SCOPED_TRACE(describe(host, workload.word));
                const auto plan = plan_filesystem(facts, {.subject = "",
                                                          .workload = std::string(workload.word),
                                                          .mount_point = "/data",
                                                          .size_bytes = {},
                                                          .label = "",
                                                          .new_set = false});
                ASSERT_TRUE(plan) << plan.error().message;
                expect_silent(*plan, workload.word);
                expect_accepted(*plan, table);
                EXPECT_EQ(plan->layout.start % plan->layout.alignment, 0U);
                EXPECT_GE(plan->layout.start, plan->layout.room);
                EXPECT_LT(plan->layout.start, plan->layout.room + plan->layout.alignment);
                if (HasFailure()) return;
                ++plans;
            }
        }
    EXPECT_GT(plans, 50U);
}

INSTANTIATE_TEST_SUITE_P(Sets, Matrix, testing::Range<std::size_t>(0, sets().size()), [](const auto& row) {
    const Set& set = sets().at(row.param);
    return fmt::format("{}_{}_{}", to_string(set.os), to_string(set.kind), to_string(set.level));
});

}  // namespace
}  // namespace diskwright
