// SPDX-License-Identifier: BSD-2-Clause
// Reports against golden files in tests/data/reports, the published schema, and hostile input. The findings
// are made here, so that a rule's wording does not matter.
#include "advisor/reports/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/filter.hpp"
#include "advisor/reports/schema.hpp"
#include "probes/capture/left_out.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/schema.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Provenance line(std::uint32_t number, std::string text) {
    return Provenance("server.txt", number, std::move(text));
}

Finding degraded() {
    Finding f;
    f.code = "RAID002", f.slug = "set-degraded", f.severity = Severity::error, f.subject = "raid0";
    f.message = "component wd1f has failed, so that the next failure loses the set";
    f.evidence = {line(9, "\t   /dev/wd1f: failed"),
                  line(12, "/dev/wd1f status is: failed.  Skipping label."),
                  line(9, "\t   /dev/wd1f: failed")};
    f.cost =
        "one more failure loses everything; until then every read of the missing component reads all others";
    f.changes = {{Setting::raid_rebuild, "raid0", std::string("wd1f")}};
    f.note = "look at the disk's own health first";
    return f;
}

Finding unaligned() {
    Finding f;
    f.code = "ALIGN001", f.slug = "partition-unaligned-to-sector", f.severity = Severity::notice,
    f.subject = "wd0f";
    f.message = "the partition begins at sector 63, which is no multiple of 4096 bytes";
    f.condition = "the physical sector of wd0 is 4096 bytes (atactl wd0 identify tells)";
    f.evidence = {line(20, " f: 7813974015        63       RAID")};
    f.cost = "every small write reads and writes two physical sectors";
    f.changes = {{Setting::partition_start, "raid0e", std::uint64_t{65536}}};
    return f;
}

Finding advice() {
    Finding f;
    f.code = "IO007", f.slug = "measurement-unreliable", f.severity = Severity::info, f.subject = "wd0";
    f.message = "the interval was one second";
    f.evidence = {Provenance("", 0, "interval 1 s", Provenance::Kind::inferred)};
    return f;
}

HostReport server() {
    HostReport host;
    host.input = "server.txt";
    auto facts =
        facts_from_text(test::read_file(test::data_folder() / "reports/server.facts.json"), "server.txt");
    if (!facts) {
        ADD_FAILURE() << facts.error().message;
        return host;
    }
    host.facts = std::move(*facts);
    host.facts.conflicts = {
        {"volumes.raid0.state", "raid0", true, {{"optimal", line(3, "")}, {"degraded", line(12, "")}}}};
    host.facts.unparsed = {{"server.txt", 50, 53, "looks like iostat, but has no header"}};
    host.judgement.findings = {degraded(), unaligned(), advice()};
    host.judgement.skips = {{"RAID011", "raid0", {"raidctl -S raid0"}},
                            {"RAID015", "raid0", {"raidctl -S raid0"}},
                            {"RAID009", "raid0", {"iostat -x 5", "--for WORKLOAD"}}};
    return host;
}

Report report_of(std::vector<HostReport> hosts) {
    Report report;
    report.version = "1.0";
    report.argv = {"diskwright", "audit", "server.txt"};
    report.hosts = std::move(hosts);
    report.exit_status = exit_status(tally_of(report.hosts), Severity::warning, false);
    return report;
}

HostReport unreadable() {
    HostReport host;
    host.input = "gone.txt";
    host.error = Error{ErrorKind::no_input, "gone.txt: No such file or directory"};
    return host;
}

// A sequence that clears the screen, one that ends a C string, quotes of shell and JSON, and broken UTF-8.
const std::string hostile =
    std::string("x\x1b[2J\x9b;\t'\"$(id)`id`\\ \xc3\x28 \xe2\x80\xae<b>\r\n") + '\0' + "end";

HostReport hostile_host() {
    HostReport host;
    host.input = hostile;
    const Provenance from(hostile, 7, hostile);
    host.facts.os.name = Known<Os>(Os::freebsd, from);
    host.facts.os.release = Text(hostile, from);
    Disk& d = disk(host.facts, hostile);
    d.model = Text(hostile, from);
    filesystem(host.facts, hostile).label = Text(hostile, from);
    mount(host.facts, "/" + hostile).device = Text(hostile, from);
    host.facts.sysctls[hostile] = Text(hostile, from);
    host.facts.events.push_back({hostile, Event::Kind::misaligned, hostile, from});
    host.facts.conflicts = {{hostile, hostile, false, {{hostile, from}, {hostile, from}}}};
    host.facts.unparsed = {{hostile, 1, 2, hostile}};
    Finding f = degraded();
    f.subject = f.message = f.condition = f.cost = f.note = hostile;
    f.evidence = {from};
    f.changes = {{Setting::ffs_bsize, hostile, std::uint64_t{65536}}, {Setting::sysctl, hostile, hostile}};
    host.judgement.findings = {f};
    host.judgement.skips = {{"FFS001", hostile, {hostile}}};
    return host;
}

HostReport hostile_failure() {
    HostReport host;
    host.input = hostile;
    host.error = Error{ErrorKind::bad_data, hostile};
    return host;
}

std::filesystem::path golden(std::string_view name) {
    return test::data_folder() / "reports" / name;
}

TEST(Report, Json) {
    test::expect_golden(golden("server.audit.json"), render_json(report_of({server()}), ReportKind::audit));
    test::expect_golden(golden("server.show.json"), render_json(report_of({server()}), ReportKind::show));
    test::expect_golden(golden("fleet.jsonl"),
                        render_jsonl(report_of({server(), unreadable()}), ReportKind::audit));
}

TEST(Report, Text) {
    test::expect_golden(golden("server.audit.txt"),
                        render_text(report_of({server()}), ReportKind::audit, {}));
    test::expect_golden(golden("server.audit-60.txt"),
                        render_text(report_of({server()}), ReportKind::audit, {.colour = true, .width = 60}));
    test::expect_golden(golden("server.show.txt"), render_text(report_of({server()}), ReportKind::show, {}));
    test::expect_golden(golden("fleet.txt"),
                        render_text(report_of({server(), unreadable()}), ReportKind::audit, {}));
    test::expect_golden(golden("fleet.quiet.txt"),
                        render_text(report_of({server(), unreadable()}), ReportKind::audit, {.quiet = true}));
}

// As gmirror list prints them; of other kinds there is one counter.
TEST(Report, CountersOfAMirrorAreShownAsItsToolShowsThem) {
    HostReport host;
    host.input = "ada0.img";
    Volume& mirror = volume(host.facts, "mirror/gm0");
    mirror.kind = Known<VolumeKind>(VolumeKind::gmirror, line(1, "GEOM::MIRROR"));
    component(mirror, "ada0").events =
        Number((std::uint64_t{2} << 32) + 5, line(2, "GEOM::MIRROR version 4, gm0, genid 2, syncid 5"));
    component(mirror, "ada1").events = Number(3, line(3, "SyncID: 3"));
    component(volume(host.facts, "md0"), "sda1").events = Number(77944, line(4, "Events : 77944"));
    const std::string text = render_text(host, ReportKind::show, TextStyle{});
    EXPECT_TRUE(contains(text, "genid 2, syncid 5")) << text;
    EXPECT_TRUE(contains(text, "genid 0, syncid 3")) << text;
    EXPECT_TRUE(contains(text, "events 77944")) << text;
}

TEST(Report, NoFindingsInWhatWasRead) {
    HostReport host;
    host.input = "this host";
    const auto headline = [&] {
        const std::string text = render_text(host, ReportKind::audit, TextStyle{});
        return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(headline(), "this host: system not shown: no findings");
    host.facts.unparsed.push_back({"zpool status", 0, 0, "gave no answer in time"});
    EXPECT_EQ(headline(), "this host: system not shown: no findings in what was read, 1 place not read");
}

// A host of which half was not looked at has not simply no findings.
TEST(Report, TheFirstLineSaysWhatWasNotLookedAt) {
    HostReport host;
    host.input = "this host";
    host.not_looked_at = {"zpool status"};
    const auto first = [&](ReportKind kind) {
        const std::string text = render_text(host, kind, {});
        return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(first(ReportKind::audit),
              "this host: system not shown: no findings; not looked at: zpool status");
    EXPECT_EQ(first(ReportKind::show), "this host: system not shown; not looked at: zpool status");
    host.not_looked_at = {"a", "b", "c", "d\x1b", "e"};
    EXPECT_TRUE(first(ReportKind::audit).ends_with("; not looked at: a, b, c and 2 more"));
    EXPECT_EQ(left_out::not_looked_at("zpool status: gave no answer in time"), "zpool status");
    EXPECT_EQ(left_out::not_looked_at("lsblk -o A: needs root"), "lsblk -o A");
    EXPECT_EQ(left_out::not_looked_at("dmesg: left out, the time for looking is up"), "dmesg");
    EXPECT_EQ(left_out::not_looked_at("dumpe2fs -h /dev/x: Bad magic number"), "");
    EXPECT_EQ(left_out::not_looked_at("zdb -C a: left out, zdb gave no answer before"), "zdb -C a");
    EXPECT_EQ(left_out::not_looked_at("needs root"), "");
}

TEST(Report, HostileGolden) {
    test::expect_golden(golden("hostile.json"),
                        render_json(report_of({hostile_host(), hostile_failure()}), ReportKind::audit));
    test::expect_golden(golden("hostile.txt"),
                        render_text(report_of({hostile_host(), hostile_failure()}), ReportKind::audit, {}));
}

TEST(Report, NothingReachesTheTerminal) {
    const Report report = report_of({hostile_host(), hostile_failure()});
    for (const ReportKind kind : {ReportKind::audit, ReportKind::show}) {
        for (const std::string& out :
             {render_json(report, kind), render_jsonl(report, kind), render_text(report, kind, {}),
              render_text(report, kind, {.width = 50}), render_text(report, kind, {.quiet = true})}) {
            for (const char c : out)
                EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
            EXPECT_EQ(out.find("\xe2\x80\xae"), std::string::npos);
            EXPECT_EQ(out.find("\xc3\x28"), std::string::npos);
        }
        EXPECT_EQ(render_jsonl(report, kind).find("newfs"), std::string::npos);
    }
    const std::string lines = render_jsonl(report, ReportKind::audit);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

TEST(Report, ValidBySchema) {
    const Json schema = report_schema();
    for (const auto& hosts : {std::vector<HostReport>{server()},
                              {server(), unreadable()},
                              {hostile_host(), hostile_failure()},
                              {}}) {
        for (const ReportKind kind : {ReportKind::audit, ReportKind::show}) {
            const Json document = Json::parse(render_json(report_of(hosts), kind), nullptr, false);
            EXPECT_EQ(test::schema_violations(schema, document), std::vector<std::string>{});
        }
    }
}

// The schema says no where it has to.
TEST(Report, SchemaRefuses) {
    const Json schema = report_schema();
    const Json good = Json::parse(render_json(report_of({server()}), ReportKind::audit), nullptr, false);
    const auto refuses = [&](const Json& document) {
        return !test::schema_violations(schema, document).empty();
    };
    Json bad = good;
    bad["surplus"] = 1;
    EXPECT_TRUE(refuses(bad));
    bad = good, bad.erase("argv");
    EXPECT_TRUE(refuses(bad));
    bad = good, bad["format_version"] = 2;
    EXPECT_TRUE(refuses(bad));
    bad = good, bad["hosts"][0]["findings"][0]["severity"] = "fatal";
    EXPECT_TRUE(refuses(bad));
    bad = good, bad["hosts"][0]["facts"]["disks"][0]["size_bytes"] = -1;
    EXPECT_TRUE(refuses(bad));
    bad = good, bad["hosts"][0]["facts"]["disks"][0]["size_bytes"] = "big";
    EXPECT_TRUE(refuses(bad));
    bad = good, bad["hosts"][0]["findings"][0]["fix"]["commands"][0] = Json::array();
    EXPECT_TRUE(refuses(bad));
}

TEST(Report, ExitStatus) {
    const std::vector<HostReport> one{server()}, mixed{server(), unreadable()},
        failed{unreadable(), hostile_failure()};
    EXPECT_EQ(exit_status(tally_of(one), Severity::warning, false), 1);
    EXPECT_EQ(exit_status(tally_of(one), Severity::error, false), 1);
    EXPECT_EQ(exit_status(tally_of(one), std::nullopt, false), 0);
    EXPECT_EQ(exit_status(tally_of(mixed), Severity::warning, false), 1);
    EXPECT_EQ(exit_status(tally_of(mixed), Severity::warning, true), 66);
    EXPECT_EQ(exit_status(tally_of(failed), Severity::warning, false), 66);
    EXPECT_EQ(exit_status(HostTally{}, Severity::info, false), 0);
    std::vector<HostReport> mild = one;
    mild[0].judgement.findings = {unaligned()};
    EXPECT_EQ(exit_status(tally_of(mild), Severity::warning, false), 0);
    EXPECT_EQ(exit_status(tally_of(mild), Severity::notice, false), 1);
}

TEST(Filter, SeverityAndIgnore) {
    const Judgement all = server().judgement;
    EXPECT_EQ(filtered(all, {}).findings.size(), 3U);
    EXPECT_EQ(filtered(all, {.min_severity = Severity::notice, .ignore = {}}).findings.size(), 2U);
    EXPECT_EQ(filtered(all, {.min_severity = Severity::error, .ignore = {}}).findings.size(), 1U);
    EXPECT_EQ(filtered(all, {.min_severity = Severity::info, .ignore = {{"RAID002", ""}}}).findings.size(),
              2U);
    EXPECT_EQ(
        filtered(all, {.min_severity = Severity::info, .ignore = {{"RAID002", "raid1"}}}).findings.size(),
        3U);
    EXPECT_EQ(filtered(all, {.min_severity = Severity::info, .ignore = {{"RAID002", "/dev/raid0"}}})
                  .findings.size(),
              2U);
    EXPECT_EQ(filtered(all, {.min_severity = Severity::info, .ignore = {{"RAID011", "raid0"}}}).skips.size(),
              2U);
}

TEST(Filter, Words) {
    ASSERT_TRUE(parse_ignore("ffs008"));
    EXPECT_EQ(*parse_ignore("ffs008"), (Ignore{"FFS008", ""}));
    EXPECT_EQ(*parse_ignore("FFS008:wd0e"), (Ignore{"FFS008", "wd0e"}));
    EXPECT_EQ(*parse_ignore("optimization-space:/x:y"), (Ignore{"FFS008", "/x:y"}));
    ASSERT_FALSE(parse_ignore("FFS08"));
    EXPECT_EQ(parse_ignore("FFS08").error().kind, ErrorKind::usage);
    EXPECT_TRUE(contains(parse_ignore("optimisation-space").error().message, "'optimization-space'"));
    EXPECT_FALSE(parse_ignore("FFS008:"));
    EXPECT_FALSE(parse_ignore(""));
    EXPECT_EQ(*parse_severity("notice"), Severity::notice);
    EXPECT_TRUE(contains(parse_severity("warnings").error().message, "'warning'"));
    EXPECT_FALSE(parse_severity("\x1b[2J"));
}

}  // namespace
}  // namespace diskwright
