// SPDX-License-Identifier: BSD-2-Clause
// What the probes find of simulated drives of every kind, with and without noise, and what audit makes of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "advisor/commissioning/simulated_target.hpp"
#include "probes/model/profile_facts.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/probes.hpp"
#include "rules/rule.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view disk =
    R"("size_bytes": 1000204886016, "rpm": 7200, "seek_min_s": 0.0008, "seek_max_s": 0.0152, "transfer_bytes_per_s": 150e6,
       "transfer_inner_bytes_per_s": 71e6, "cache_bytes": 67108864, "queue_depth": 32)";
constexpr std::string_view flash =
    R"("size_bytes": 500107862016, "rpm": 0, "cache_bytes": 16777216, "command_s": 15e-6, "interface_bytes_per_s": 550e6,
       "flash": {"units": 10, "page_bytes": 8192, "read_s": 85e-6, "program_s": 500e-6)";

std::unique_ptr<SimulatedDevice> device_of(const std::string& configuration, double noise) {
    Json json = Json::parse(configuration);
    json["noise"] = noise;
    auto machine = configuration_from_json(Json::parse(json.dump()), "test");
    EXPECT_TRUE(machine) << machine.error().message;
    auto device = simulated_target(std::move(*machine), "/dev/sd0");
    EXPECT_TRUE(device) << device.error().message;
    return std::move(*device);
}

std::string of_disk(std::string_view figures, std::string_view more, std::string_view end = "") {
    return fmt::format(R"({{"disks": [{{"model": {{{}{}{}}}}}]}})", figures, end, more);
}

DeviceProfile profile_of(const std::string& configuration, double noise = 0) {
    const auto device = device_of(configuration, noise);
    test::StopAfter progress;
    return run_probes(*device, device.get(), {std::chrono::seconds(60), 1}, progress).profile;
}

std::string text_of(const Measurement& m) {
    if (m.confidence == Confidence::inconclusive) return "-";
    if (const auto* word = std::get_if<std::string>(&m.value)) return *word;
    if (const auto* number = std::get_if<double>(&m.value)) return fmt::format("{:g}", *number);
    return "curve";
}

struct Kind {
    std::string_view name;
    std::string configuration;
    std::string_view cache, sector, offset;  // "-": inconclusive; "*": not looked at
};

std::vector<Kind> kinds() {
    return {
        {"512n", of_disk(disk, R"(, "write_cache": "on")"), "volatile", "512", "0"},
        {"512n, cache off", of_disk(disk, R"(, "write_cache": "off")"), "none", "512", "0"},
        {"512e", of_disk(disk, R"(, "physical_sector_bytes": 4096)"), "volatile", "4096", "0"},
        {"512e that lies",
         of_disk(disk, R"(, "physical_sector_bytes": 4096, "reported_physical_sector_bytes": 512)"),
         "volatile", "4096", "0"},
        {"512e, offset 1", of_disk(disk, R"(, "physical_sector_bytes": 4096, "physical_offset_bytes": 3584)"),
         "volatile", "4096", "3584"},
        {"4Kn", of_disk(disk, R"(, "physical_sector_bytes": 4096, "logical_sector_bytes": 4096)"), "volatile",
         "4096", "0"},
        {"ignores flushes", of_disk(disk, R"(, "ignores_flush": true)"), "ignores-flush", "*", "*"},
        {"flash", of_disk(flash, "}"), "volatile", "*", "*"},
        {"flash 512e", of_disk(flash, R"(}, "physical_sector_bytes": 4096)"), "volatile", "4096", "0"},
        {"flash, cache off", of_disk(flash, R"(}, "write_cache": "off")"), "none", "*", "*"},
        {"flash, protected", of_disk(flash, R"(, "protected_buffer": true})"), "protected", "*", "*"},
        {"controller with a battery",
         fmt::format(R"({{"disks": [{{"model": {{{}}}}}], "controller": {{"cache_bytes": 536870912, "battery": true}}}})",
                     disk),
         "protected", "*", "*"},
        {"OpenBSD takes no flush",
         fmt::format(R"({{"os": {{"name": "openbsd", "release": "7.6"}}, "disks": [{{"model": {{{}}}}}]}})", disk),
         "-", "*", "*"},
    };
}

TEST(ProbedDrives, AreToldApart) {
    for (const double noise : {0.0, 0.1})
        for (const Kind& kind : kinds()) {
            SCOPED_TRACE(fmt::format("{}, noise {}", kind.name, noise));
            const auto profile = profile_of(kind.configuration, noise);
            EXPECT_EQ(text_of(profile.at("write_cache")), kind.cache) << profile.at("write_cache").reason;
            if (kind.sector != "*") {
                EXPECT_EQ(text_of(profile.at("physical_sector_bytes")), kind.sector)
                    << profile.at("physical_sector_bytes").reason;
                EXPECT_EQ(text_of(profile.at("physical_offset_bytes")), kind.offset);
            }
        }
}

TEST(ProbedDrives, TurnAndSeeks) {
    for (const double noise : {0.0, 0.1}) {
        const auto profile = profile_of(of_disk(disk, ""), noise);
        EXPECT_NEAR(std::get<double>(profile.at("rotation_s").value), 60.0 / 7200, 60.0 / 7200 * (noise > 0 ? 0.03 : 0.003));
        const auto& seeks = std::get<std::vector<Measurement::Point>>(profile.at("seek_s").value);
        ASSERT_GE(seeks.size(), 10U);
        for (std::size_t i = 1; i < seeks.size(); ++i) EXPECT_GE(seeks[i].value, seeks[i - 1].value);
        EXPECT_NEAR(seeks.front().value, 0.0009, 0.0006);
        EXPECT_NEAR(seeks.back().value, 0.0149, 0.0010);
    }
    const auto none = profile_of(of_disk(flash, "}"));
    EXPECT_TRUE(contains(none.at("rotation_s").reason, "no rotation")) << none.at("rotation_s").reason;
    EXPECT_TRUE(contains(none.at("seek_s").reason, "no rotation")) << none.at("seek_s").reason;
}

TEST(ProbedDrives, TooSmallIsSaid) {
    const auto profile = profile_of(R"({"disks": [{"model": {"size_bytes": 524288, "rpm": 0}}]})");
    for (const auto& [quantity, m] : profile)
        if (m.confidence == Confidence::inconclusive) {
            EXPECT_TRUE(contains(m.reason, "too small") || contains(m.reason, "tell") || contains(m.reason, "no step") || quantity == "write_cache")
                << quantity << ": " << m.reason;
        }
    EXPECT_TRUE(contains(profile.at("rotation_s").reason, "too small"));
}

TEST(ProbedDrives, ConfigurationsThatCannotBe) {
    for (const auto* text : {R"({"disks": [{"model": {"size_bytes": 1024, "physical_sector_bytes": 4096, "physical_offset_bytes": 4096}}]})",
                             R"({"disks": [{"model": {"size_bytes": 1024, "reported_physical_sector_bytes": 1000}}]})"}) {
        const auto machine = configuration_from_json(Json::parse(text), "test");
        ASSERT_FALSE(machine);
        EXPECT_EQ(machine.error().kind, ErrorKind::bad_data);
    }
    auto machine = configuration_from_json(
        Json::parse(R"({"disks": [{"model": "sas-7200-3t"}], "volume": {"kind": "raidframe", "level": "5", "stripe_unit_bytes": 4096}})"), "t");
    if (machine) {
        EXPECT_FALSE(simulated_target(std::move(*machine), "t"));
    }
}

std::vector<std::string> codes_of(const HostFacts& facts) {
    std::vector<std::string> out;
    for (const auto& finding : judge(facts).findings) out.emplace_back(finding.code);
    return out;
}

HostFacts mounted() {
    HostFacts facts;
    facts.os.name = Known<Os>(Os::netbsd, {});
    Mount mount;
    mount.device = Text("sd0a", {});
    mount.point = "/data";
    mount.type = Text("ffs", {});
    mount.options = {};
    facts.mounts.push_back(std::move(mount));
    return facts;
}

bool has(const std::vector<std::string>& codes, const std::string& code) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

TEST(ProbedDrives, FindingsComeFromProfiles) {
    struct Row {
        std::string_view code;
        std::string configuration;
        bool fires;
    };
    const std::string lies = R"(, "physical_sector_bytes": 4096, "reported_physical_sector_bytes": 512)";
    const std::vector<Row> table{
        {"ALIGN008", of_disk(disk, lies), true},
        {"ALIGN008", of_disk(disk, R"(, "physical_sector_bytes": 4096)"), false},
        {"ALIGN008", of_disk(disk, ""), false},
        {"CACHE001", of_disk(disk, R"(, "ignores_flush": true)"), true},
        {"CACHE001", of_disk(disk, ""), false},
    };
    for (const Row& row : table) {
        HostFacts facts = mounted();
        note_profile(facts, "sd0", profile_of(row.configuration), "probe.json", "sd0");
        const auto codes = codes_of(facts);
        EXPECT_EQ(has(codes, std::string(row.code)), row.fires) << row.code << row.configuration;
        EXPECT_FALSE(has(codes, "HOST001"));
    }
}

TEST(ProbedDrives, FlushCostFromAProfile) {
    for (const double commits : {40.0, 2.0}) {
        HostFacts facts = mounted();
        note_profile(facts, "sd0", profile_of(of_disk(disk, "")), "probe.json", "sd0");
        for (Disk& d : facts.disks) d.flushes_per_s = Real(commits, {});
        EXPECT_EQ(has(codes_of(facts), "CACHE002"), commits > 20);
    }
}

TEST(ProbedDrives, SlowComponentsAndSetsFromProfiles) {
    HostFacts facts;
    Volume volume;
    volume.name = "raid0";
    volume.kind = Known<VolumeKind>(VolumeKind::raidframe, {});
    volume.level = Known<RaidLevel>(RaidLevel::raid0, {});
    volume.state = Known<VolumeState>(VolumeState::optimal, {});
    volume.data_disks = Number(3, {});
    for (const char* name : {"wd0", "wd1", "wd2"}) {
        Component component;
        component.name = name;
        volume.components.push_back(std::move(component));
    }
    facts.volumes.push_back(std::move(volume));
    const auto good = profile_of(of_disk(disk, ""));
    HostFacts even = facts;
    for (const char* name : {"wd0", "wd1", "wd2"}) note_profile(even, name, good, "probe.json", name);
    note_profile(even, "raid0", profile_of(R"({"disks": [{"model": "sata-7200-1t", "count": 3}],
        "volume": {"kind": "raidframe", "level": "0", "stripe_unit_bytes": 65536}})"), "probe.json", "");
    EXPECT_FALSE(has(codes_of(even), "IO003"));
    EXPECT_FALSE(has(codes_of(even), "IO005"));

    HostFacts uneven = facts;
    note_profile(uneven, "wd0", good, "probe.json", "wd0");
    note_profile(uneven, "wd1", good, "probe.json", "wd1");
    const auto slow = profile_of(R"({"disks": [{"model": {"size_bytes": 1000204886016, "rpm": 3600, "seek_min_s": 0.01,
        "seek_max_s": 0.06, "transfer_bytes_per_s": 150e6}}]})");
    note_profile(uneven, "wd2", slow, "probe.json", "wd2");
    note_profile(uneven, "raid0", good, "probe.json", "");  // three disks at the rate of one
    EXPECT_TRUE(has(codes_of(uneven), "IO003"));
    EXPECT_TRUE(has(codes_of(uneven), "IO005"));
}

}  // namespace
}  // namespace diskwright
