// SPDX-License-Identifier: BSD-2-Clause
// What a plan decides: block, fragment and start by the arithmetic, partitions kept or moved, protection by
// release, refusals. Golden forms are in tests/data/planning; UPDATE_GOLDEN=1 rewrites them.
#include "advisor/planning/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "advisor/commands/quoting.hpp"
#include "advisor/planning/typed_disks.hpp"
#include "advisor/reports/plan_report.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/advisor/planning/planning_hosts.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

HostFacts facts_from(std::string_view json) {
    auto facts = facts_from_text(json, "facts.json");
    if (!facts) {
        ADD_FAILURE() << facts.error().message;
        return {};
    }
    return std::move(*facts);
}

Intent intent(std::string subject = "", std::string workload = "", std::string point = "/data") {
    return {.subject = std::move(subject),
            .workload = std::move(workload),
            .mount_point = std::move(point),
            .size_bytes = {},
            .label = "",
            .new_set = false};
}

std::string lines_of(const Plan& plan) {
    std::string out;
    for (const Step& step : plan.steps)
        for (const SetupCommand& command : step.commands)
            out += shell_line(command.argv) + "\n" + command.input;
    return out;
}

std::string notes_of(const Plan& plan) {
    std::string out;
    for (const std::string& note : plan.notes) out += note + "\n";
    return out;
}

bool has_step(const Plan& plan, StepKind kind) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& s) { return s.kind == kind; });
}

// Five disks as RAID 5 unless said otherwise; sizes in bytes.
TEST(Plan, Arithmetic) {
    struct Row {
        std::string_view name;
        std::uint64_t unit, components, sector;
        std::string_view workload;
        BlockMatch match;
        std::uint64_t bsize, fsize, start;
    };
    // The table takes 17408 bytes (GPT: more than 2^31 sectors).
    const std::vector<Row> rows{
        {"sectPerSU 8: two stripes of 16 KiB", 4096, 5, 512, "", BlockMatch::full_stripe, 32768, 4096, 32768},
        {"mail, 16 KiB is one stripe", 4096, 5, 512, "mail", BlockMatch::full_stripe, 32768, 4096, 32768},
        {"sectPerSU 32: one stripe of 64 KiB", 16384, 5, 4096, "", BlockMatch::full_stripe, 65536, 8192,
         65536},
        {"sectPerSU 128: one unit", 65536, 5, 4096, "", BlockMatch::one_disk, 32768, 4096, 262144},
        {"three data disks: never a stripe", 16384, 4, 4096, "", BlockMatch::one_disk, 16384, 4096, 49152},
        {"unit of 4 KiB and three data disks", 4096, 4, 4096, "", BlockMatch::one_disk, 4096, 4096, 24576},
        {"eight data disks of 8 KiB", 8192, 9, 512, "", BlockMatch::full_stripe, 65536, 8192, 65536},
        {"eight data disks of 16 KiB: too wide", 16384, 9, 512, "", BlockMatch::one_disk, 16384, 2048,
         131072},
        {"a unit of 100 sectors: nothing fits", 51200, 5, 512, "", BlockMatch::none, 32768, 4096, 204800},
        {"a unit of 96 sectors: 16 KiB fits", 49152, 5, 512, "", BlockMatch::one_disk, 16384, 2048, 196608},
        {"unknown sector: 4096", 65536, 5, 0, "", BlockMatch::one_disk, 32768, 4096, 262144},
        {"physical 8192", 65536, 5, 8192, "", BlockMatch::one_disk, 32768, 8192, 262144},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const auto facts = test::facts_of({.release = "9.3",
                                           .unit = row.unit,
                                           .components = row.components,
                                           .data_disks = row.components - 1,
                                           .sector = row.sector});
        const auto plan = plan_filesystem(facts, intent("", std::string(row.workload)));
        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_EQ(plan->layout.match, row.match);
        EXPECT_EQ(plan->layout.bsize, row.bsize);
        EXPECT_EQ(plan->layout.fsize, row.fsize);
        EXPECT_EQ(plan->layout.start, row.start);
        EXPECT_EQ(plan->layout.physical_known, row.sector != 0);
    }
}

TEST(Plan, ComponentsOfABlock) {
    const auto facts = test::facts_of({.release = "9.3", .unit = 16384, .components = 5, .data_disks = 4});
    const Volume& set = facts.volumes.front();
    EXPECT_EQ(components_per_block(set, 65536, 16384), 1U);
    EXPECT_EQ(components_per_block(set, 65536, 65536), 4U);
    EXPECT_EQ(components_per_block(set, 65536, 32768), 2U);
    EXPECT_EQ(components_per_block(set, 63 * 512, 16384), 2U);
    EXPECT_EQ(components_per_block(set, 63 * 512, 65536), 5U);
}

TEST(Plan, ProtectionByRelease) {
    struct Row {
        Os os;
        std::string release, workload;
        std::string_view wanted, unwanted;  // parts of the command lines
    };
    const std::vector<Row> rows{
        {Os::netbsd, "9.3", "", "-o log /dev", "softdep"},
        {Os::netbsd, "", "mail", "-o log,noatime", "softdep"},
        {Os::netbsd, "6.1", "", "addwedge", "makewedges"},
        {Os::netbsd, "7.0", "", "makewedges", "addwedge"},
        {Os::freebsd, "14.0-RELEASE", "", "tunefs -j enable", "log"},
        {Os::freebsd, "9.1-RC3", "", "tunefs -j enable", "-t freebsd-ufs -t"},
        {Os::freebsd, "12.2", "backup", "newfs -U", "tunefs -j"},
        {Os::freebsd, "13.2", "backup", "tunefs -j enable", "log"},
        {Os::freebsd, "8.4", "", "newfs -U -b", "tunefs"},
        {Os::freebsd, "", "", "newfs -U -b", "tunefs"},
        {Os::openbsd, "7.3", "", "-o softdep", "log"},
        {Os::openbsd, "7.4", "", "newfs -O 2", "softdep"},
        {Os::openbsd, "", "vm", "-o noatime", "softdep"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(fmt::format("{} {} {}", to_string(row.os), row.release, row.workload));
        const VolumeKind kind = row.os == Os::netbsd    ? VolumeKind::raidframe
                                : row.os == Os::freebsd ? VolumeKind::gstripe
                                                        : VolumeKind::softraid;
        const auto plan = plan_filesystem(test::facts_of({.os = row.os,
                                                          .release = row.release,
                                                          .kind = kind,
                                                          .level = RaidLevel::raid0,
                                                          .unit = 65536,
                                                          .components = 3,
                                                          .data_disks = 3}),
                                          intent("", row.workload));
        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_TRUE(contains(lines_of(*plan), row.wanted)) << lines_of(*plan);
        EXPECT_FALSE(contains(lines_of(*plan), row.unwanted)) << lines_of(*plan);
        EXPECT_EQ(contains(notes_of(*plan), "release is not known"), row.release.empty());
    }
}

TEST(Plan, TrimOnlyWhereItArrives) {
    const auto trim = [](VolumeKind kind, RaidLevel level, bool flash, const char* release) {
        const auto plan = plan_filesystem(test::facts_of({.os = Os::freebsd,
                                                          .release = release,
                                                          .kind = kind,
                                                          .level = level,
                                                          .components = 3,
                                                          .data_disks = 2,
                                                          .flash = flash}),
                                          intent());
        return plan && contains(lines_of(*plan), "newfs -U -t");
    };
    EXPECT_TRUE(trim(VolumeKind::gmirror, RaidLevel::raid1, true, "14.0"));
    EXPECT_FALSE(trim(VolumeKind::gmirror, RaidLevel::raid1, false, "14.0"));
    EXPECT_FALSE(trim(VolumeKind::graid3, RaidLevel::raid3, true, "14.0"));
    EXPECT_FALSE(trim(VolumeKind::hardware, RaidLevel::raid5, true, "14.0"));
    EXPECT_FALSE(trim(VolumeKind::gmirror, RaidLevel::raid1, true, "8.2"));
}

TEST(Plan, Density) {
    const auto facts = test::facts_of({.os = Os::netbsd, .release = "9.3", .unit = 65536, .sector = 4096});
    const auto general = plan_filesystem(facts, intent());
    ASSERT_TRUE(general);
    EXPECT_FALSE(general->layout.density);
    EXPECT_EQ(general->layout.inodes, general->layout.size / 16384);
    const auto media = plan_filesystem(facts, intent("", "media"));
    ASSERT_TRUE(media);
    EXPECT_TRUE(contains(lines_of(*media), "-i 262144"));
    EXPECT_EQ(media->layout.inodes, media->layout.size / 262144);
    // FreeBSD's newfs makes one for 8 KiB by itself since 9.0.
    const auto mail = plan_filesystem(test::facts_of({.os = Os::freebsd,
                                                      .release = "14.0",
                                                      .kind = VolumeKind::gmirror,
                                                      .level = RaidLevel::raid1,
                                                      .components = 2,
                                                      .data_disks = 1,
                                                      .sector = 4096}),
                                      intent("", "mail"));
    ASSERT_TRUE(mail);
    EXPECT_FALSE(contains(lines_of(*mail), "-i")) << lines_of(*mail);
}

constexpr std::string_view partitioned = R"({{"os": {{"name": "netbsd", "release": "9.3"}},
 "disks": [{{"name": "wd0", "physical_sector_bytes": 4096}}, {{"name": "wd1", "physical_sector_bytes": 4096}},
           {{"name": "wd2", "physical_sector_bytes": 4096}}],
 "partitions": [{{"name": "raid0a", "parent": "raid0", "scheme": "disklabel", "start_bytes": {0},
                  "size_bytes": 536870912000, "type": "4.2BSD"}},
                {{"name": "raid0d", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0,
                  "size_bytes": 1000000000512, "type": "unused"}}],
 "volumes": [{{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 32768, "data_disks": 2,
  "columns": 3, "size_bytes": 1000000000512,
  "components": [{{"name": "wd0e"}}, {{"name": "wd1e"}}, {{"name": "wd2e"}}]}}],
 "filesystems": [{{"device": "raid0a", "type": "ffs2", "bsize": 16384, "fsize": 2048}}],
 "mounts": [{{"device": "/dev/raid0a", "point": "{1}", "type": "ffs", "options": ["log"]}}]}})";

TEST(Plan, KeepsAPartitionThatLiesWell) {
    const auto plan = plan_filesystem(facts_from(fmt::format(partitioned, 65536, "/old")), intent());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->device, "raid0a");
    EXPECT_EQ(plan->layout.start, 65536U);
    EXPECT_FALSE(contains(lines_of(*plan), "disklabel"));
    EXPECT_TRUE(contains(lines_of(*plan), "umount /old\n"));
    const auto kept = std::find_if(plan->steps.begin(), plan->steps.end(),
                                   [](const Step& s) { return s.kind == StepKind::partition; });
    ASSERT_NE(kept, plan->steps.end());
    EXPECT_TRUE(contains(kept->reason, "raid0a is kept"));
    const auto newfs = std::find_if(plan->steps.begin(), plan->steps.end(),
                                    [](const Step& s) { return s.kind == StepKind::newfs; });
    ASSERT_NE(newfs, plan->steps.end());
    EXPECT_EQ(newfs->risk, Risk::destroys_data);
    EXPECT_TRUE(contains(newfs->precondition, "everything on raid0a is lost"));
    const StorageGraph graph(plan->planned);
    ASSERT_TRUE(graph.filesystem("raid0a"));
    EXPECT_TRUE(graph.filesystem("raid0a")->bsize.is(65536));
    ASSERT_TRUE(graph.mount_of("raid0a"));
    EXPECT_EQ(graph.mount_of("raid0a")->point, "/data");
}

TEST(Plan, MovesAPartitionThatDoesNot) {
    const auto plan = plan_filesystem(facts_from(fmt::format(partitioned, 32256, "/old")), intent());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->layout.start, 65536U);
    EXPECT_EQ(plan->layout.size, 536870912000U - (65536U - 32256U));
    EXPECT_TRUE(contains(lines_of(*plan), "disklabel -e raid0\n"));
    EXPECT_TRUE(StorageGraph(plan->planned).partition("raid0a")->start_bytes.is(65536));
}

TEST(Plan, TheRootFileSystemIsNotTouched) {
    const auto plan = plan_filesystem(facts_from(fmt::format(partitioned, 65536, "/")), intent());
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::no_permission);
}

TEST(Plan, AnotherUnitInOneNote) {
    const auto note = [](std::uint64_t unit, std::uint64_t components) {
        const auto plan = plan_filesystem(
            test::facts_of(
                {.release = "9.3", .unit = unit, .components = components, .data_disks = components - 1}),
            intent());
        return plan ? notes_of(*plan) : "";
    };
    EXPECT_TRUE(contains(note(65536, 5), "with 16 KiB (sectPerSU 32)"));
    EXPECT_TRUE(contains(note(4096, 4), "with 32 KiB (sectPerSU 64)"));
    EXPECT_FALSE(contains(note(16384, 5), "sectPerSU"));
}

TEST(Plan, Refusals) {
    struct Row {
        std::string_view name, facts;
        Intent wanted;
        ErrorKind kind;
        std::string_view message;
    };
    const std::string two = R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe"},
        {"name": "raid1", "kind": "raidframe"}]})";
    const std::string one =
        R"({"os": {"name": "netbsd"}, "disks": [{"name": "wd0", "size_bytes": 1000000000}],
        "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "size_bytes": 1048576,
        "components": [{"name": "wd0"}]}]})";
    Intent large = intent(), labelled = intent();
    large.size_bytes = std::uint64_t{1} << 62, labelled.label = "a b";
    const std::vector<Row> rows{
        {"no system", R"({"volumes": [{"name": "raid0"}]})", intent(), ErrorKind::usage, "--os"},
        {"DragonFly", R"({"os": {"name": "dragonfly"}, "volumes": [{"name": "md0"}]})", intent(),
         ErrorKind::unavailable, "DragonFly"},
        {"workload", one, intent("", "mial"), ErrorKind::usage, "did you mean 'mail'"},
        {"several", two, intent(), ErrorKind::usage, "raid0, raid1"},
        {"mistyped", two, intent("riad1"), ErrorKind::usage, "did you mean 'raid1'"},
        {"component", one, intent("wd0"), ErrorKind::usage, "component of raid0"},
        {"nothing", R"({"os": {"name": "netbsd"}})", intent(), ErrorKind::bad_data, "no volume and no disk"},
        {"too small", one, intent(), ErrorKind::bad_data, "no room"},
        {"larger than all", one, large, ErrorKind::bad_data, "no room"},
        {"mount point", one, intent("", "", "home"), ErrorKind::usage, "absolute"},
        {"label", one, labelled, ErrorKind::usage, "--label"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const auto plan = plan_filesystem(facts_from(row.facts), row.wanted);
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().kind, row.kind);
        EXPECT_TRUE(contains(plan.error().message, row.message)) << plan.error().message;
    }
}

// Numbers that no device has neither crash nor loop.
TEST(Plan, AbsurdNumbers) {
    for (const std::string_view unit : {"0", "1", "511", "18446744073709551615", "9223372036854775808"})
        for (const std::string_view disks : {"0", "1", "3", "18446744073709551615"})
            for (const std::string_view size : {"0", "1", "9223372036854775808", "18446744073709551615"}) {
                const auto plan = plan_filesystem(
                    facts_from(fmt::format(R"({{"os": {{"name": "netbsd", "release": "99999999999.1"}},
                      "disks": [{{"name": "wd0", "logical_sector_bytes": {1}, "physical_sector_bytes": {0}}}],
                      "volumes": [{{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": {0},
                      "data_disks": {1}, "size_bytes": {2}, "components": [{{"name": "wd0e"}}]}}]}})",
                                           unit, disks, size)),
                    intent());
                if (!plan) continue;
                EXPECT_LE(plan->layout.bsize, 65536U);
                EXPECT_GE(plan->layout.bsize / plan->layout.fsize, 1U);
            }
}

TEST(Plan, NoCommandWithAnUnsafeName) {
    for (const std::string_view name : {"raid0;reboot", "$(id)", "-rf", "a b", "x\x1b[2J"}) {
        SCOPED_TRACE(name);
        HostFacts facts = test::facts_of({.release = "9.3", .unit = 16384});
        facts.volumes.front().name = std::string(name);
        const auto plan = plan_filesystem(facts, intent());
        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_EQ(lines_of(*plan), "");
        EXPECT_TRUE(contains(notes_of(*plan), "no command is printed"));
        for (const std::string& form : {plan_text(*plan, {}), plan_json(*plan), plan_script(*plan)})
            for (const char c : form) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
        EXPECT_FALSE(contains(plan_script(*plan), "\nnewfs"));
    }
    const auto point =
        plan_filesystem(test::facts_of({.release = "9.3", .unit = 16384}), intent("", "", "/a b"));
    ASSERT_TRUE(point);
    EXPECT_EQ(lines_of(*point), "");
}

TEST(Plan, MountPointOnlyWhenGiven) {
    const auto facts = test::facts_of({.release = "9.3", .unit = 16384});
    const auto with = plan_filesystem(facts, intent()), without = plan_filesystem(facts, intent("", "", ""));
    ASSERT_TRUE(with && without);
    EXPECT_TRUE(has_step(*with, StepKind::fstab));
    EXPECT_FALSE(has_step(*without, StepKind::fstab));
    EXPECT_TRUE(contains(notes_of(*without), "--mount"));
}

// ext4 takes the whole of an md set; stride and stripe width are in blocks.
TEST(Plan, Ext4OnMdIsToldTheStripe) {
    const auto facts = facts_from_text(R"({"os": {"name": "linux", "release": "6.1"},
        "volumes": [{"name": "md0", "kind": "md", "level": "5", "stripe_unit_bytes": 65536, "columns": 4,
        "data_disks": 3, "size_bytes": 900000000000}]})",
                                       "typed");
    ASSERT_TRUE(facts);
    Intent wanted = intent("", "", "/srv");
    wanted.label = "data";
    const auto plan = plan_filesystem(*facts, wanted);
    ASSERT_TRUE(plan) << plan.error().message;
    std::vector<std::vector<std::string>> lines;
    for (const Step& step : plan->steps)
        for (const SetupCommand& command : step.commands) lines.push_back(command.argv);
    const std::vector<std::vector<std::string>> wanted_lines{
        {"mkfs.ext4", "-b", "4096", "-E", "stride=16,stripe_width=48", "-L", "data", "/dev/md0"},
        {"mkdir", "-p", "--", "/srv"},
        {"mount", "-t", "ext4", "/dev/md0", "/srv"},
        {"tee", "-a", "/etc/fstab"}};
    EXPECT_EQ(lines, wanted_lines);
    EXPECT_TRUE(plan->planned.filesystems.at(0).stride_bytes.is(65536));
    EXPECT_TRUE(plan->planned.filesystems.at(0).stripe_width_bytes.is(196608));
    for (const Finding& f : judge(plan->planned, {}, "").findings)
        EXPECT_LT(f.severity, Severity::warning) << f.message;
}

struct Golden {
    std::string_view name;
    Os os;
    std::string_view release;
    TypedDisks typed;
    std::string_view workload;
};

TEST(Plan, GoldenForms) {
    const std::vector<Golden> rows{
        {"netbsd-raid5", Os::netbsd, "6.0", {"5x3t,512n,7200", "5:4k"}, "source-control"},
        {"netbsd-raid5-small", Os::netbsd, "9.3", {"3x500g,512e,7200", "5"}, "general"},
        {"netbsd-disk", Os::netbsd, "10.0", {"1x500g,ssd", ""}, "build"},
        {"linux-disk", Os::linux_, "6.1", {"1x500g,ssd", ""}, "build"},
        {"freebsd-mirror", Os::freebsd, "14.0-RELEASE", {"2x1t,512e,ssd", "1"}, "database"},
        {"freebsd-stripe", Os::freebsd, "9.1-RC3", {"4x1t,4kn,7200", "0:128k"}, "media"},
        {"freebsd-raid3", Os::freebsd, "12.2", {"5x1t,512e,7200", "3"}, "backup"},
        {"openbsd-raid5", Os::openbsd, "7.3", {"4x2t,512e,7200", "5"}, "fileserver"},
        {"openbsd-mirror", Os::openbsd, "7.6", {"2x4t", "1"}, "mail"},
    };
    const Provenance from("--os", 0, "", Provenance::Kind::user);
    for (const Golden& row : rows) {
        SCOPED_TRACE(row.name);
        Platform os;
        os.name = Known<Os>(row.os, from), os.release = Text(std::string(row.release), from);
        const auto facts = typed_server(os, row.typed);
        ASSERT_TRUE(facts) << facts.error().message;
        Intent wanted = intent("", std::string(row.workload), "/export");
        wanted.new_set = !row.typed.raid.empty();
        wanted.label = "data";
        const auto plan = plan_filesystem(*facts, wanted);
        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_FALSE(contains(notes_of(*plan), "remains")) << notes_of(*plan);
        const auto folder = test::data_folder() / "planning";
        test::expect_golden(folder / fmt::format("{}.txt", row.name), plan_text(*plan, {}));
        test::expect_golden(folder / fmt::format("{}.json", row.name), plan_json(*plan));
        test::expect_golden(folder / fmt::format("{}.sh", row.name), plan_script(*plan));
    }
}

TEST(TypedDisks, Facts) {
    const Provenance from("--os", 0, "", Provenance::Kind::user);
    Platform os;
    os.name = Known<Os>(Os::netbsd, from);
    const auto facts = typed_server(os, {"5x3t,512e,7200,sas", "5:16k"});
    ASSERT_TRUE(facts) << facts.error().message;
    ASSERT_EQ(facts->disks.size(), 5U);
    EXPECT_EQ(facts->disks[4].name, "sd4");
    EXPECT_TRUE(facts->disks[0].size_bytes.is(3'000'000'000'000));
    EXPECT_TRUE(facts->disks[0].physical_sector_bytes.is(4096));
    EXPECT_TRUE(facts->disks[0].rotational.is(true));
    ASSERT_EQ(facts->volumes.size(), 1U);
    EXPECT_TRUE(facts->volumes[0].data_disks.is(4));
    EXPECT_TRUE(facts->volumes[0].stripe_unit_bytes.is(16384));
    // The data of each component begins on a whole MiB of its disk, behind the 64 sectors of the driver.
    EXPECT_TRUE(facts->partitions[0].start_bytes.is(1048576 - 32768));
}

TEST(TypedDisks, Rejects) {
    struct Row {
        Os os;
        TypedDisks typed;
        std::string_view message;
    };
    const std::vector<Row> rows{
        {Os::netbsd, {"", "5"}, "COUNTxSIZE"},
        {Os::netbsd, {"5", "5"}, "COUNTxSIZE"},
        {Os::netbsd, {"x3t", "5"}, "COUNTxSIZE"},
        {Os::netbsd, {"0x3t", "5"}, "from 1 to"},
        {Os::netbsd, {"1000000x3t", "5"}, "from 1 to"},
        {Os::netbsd, {"5x", "5"}, "the size is"},
        {Os::netbsd, {"5x-3t", "5"}, "the size is"},
        {Os::netbsd, {"5x1k", "5"}, "no disk has that size"},
        {Os::netbsd, {"5x2000000t", "5"}, "no disk has that size"},
        {Os::netbsd, {"5x3t,512f", "5"}, "did you mean '512"},
        {Os::netbsd, {"5x3t,ssd,7200", "5"}, "does not rotate"},
        {Os::netbsd, {"5x3t", ""}, "--raid LEVEL"},
        {Os::netbsd, {"5x3t", "6"}, "the levels 0, 1, 10, 4, 5"},
        {Os::netbsd, {"5x3t", "1"}, "pairs"},
        {Os::netbsd, {"2x3t", "5"}, "at least 3"},
        {Os::netbsd, {"5x3t", "5:"}, "whole sectors"},
        {Os::netbsd, {"5x3t", "5:1000"}, "whole sectors"},
        {Os::netbsd, {"5x3t", "5:99999999999999999999"}, "whole sectors"},
        {Os::freebsd, {"5x3t", "5"}, "the levels 0, 1, 3"},
        {Os::freebsd, {"4x3t", "3"}, "3, 5, 9"},
        {Os::freebsd, {"4x3t", "0:96k"}, "powers of two"},
        {Os::freebsd, {"2x3t", "1:64k"}, "no stripe unit"},
        {Os::openbsd, {"4x3t", "5:32k"}, "always 64 KiB"},
    };
    const Provenance from("--os", 0, "", Provenance::Kind::user);
    for (const Row& row : rows) {
        SCOPED_TRACE(fmt::format("{} {}", row.typed.disks, row.typed.raid));
        Platform os;
        os.name = Known<Os>(row.os, from);
        const auto facts = typed_server(os, row.typed);
        ASSERT_FALSE(facts);
        EXPECT_EQ(facts.error().kind, ErrorKind::usage);
        EXPECT_TRUE(contains(facts.error().message, row.message)) << facts.error().message;
    }
}

}  // namespace
}  // namespace diskwright
