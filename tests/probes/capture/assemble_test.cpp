// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/assemble.hpp"

#include <gtest/gtest.h>

#include <array>

#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

HostFacts facts_of(std::string_view json) {
    auto facts = facts_from_text(json, "test");
    EXPECT_TRUE(facts) << facts.error().message;
    return facts ? std::move(*facts) : HostFacts{};
}

Result<HostFacts> assembled(std::string text, const Assumptions& assumptions = {}) {
    Capture capture;
    capture.documents.push_back({"paste.txt", std::move(text), {}});
    return assemble(capture, assumptions);
}

std::vector<std::vector<TextLine>> paragraphs(std::initializer_list<std::string_view> texts) {
    std::vector<std::vector<TextLine>> out;
    std::uint32_t number = 0;
    for (const auto text : texts) out.push_back({{std::string(text), ++number}});
    return out;
}

TEST(Prose, OneReleaseInTheNearestParagraph) {
    const auto release = [](std::initializer_list<std::string_view> texts) {
        const auto found = release_in_prose(paragraphs(texts), "x");
        return found ? found->release : std::string("-");
    };
    EXPECT_EQ(release({"it runs 9.1-RC3, iostat shows"}), "9.1-RC3");
    EXPECT_EQ(release({"an 8.3-STABLE box", "now 9.1-RC3 shows"}), "9.1-RC3");
    EXPECT_EQ(release({"NetBSD 6.0 with RAIDframe"}), "6.0");
    EXPECT_EQ(release({"NetBSD-6.0.1."}), "6.0.1");
    EXPECT_EQ(release({"an old NetBSD/i386 1.6.2 server"}), "1.6.2");
    EXPECT_EQ(release({"it was 9.1-RC3 and 8.3-RELEASE"}), "-") << "two";
    EXPECT_EQ(release({"9.1-RC3 here", "took 1.5 s for 3.25 GB"}), "9.1-RC3")
        << "plain numbers are no releases";
    EXPECT_EQ(release({"version 4.2 of the paper"}), "-");
    EXPECT_EQ(release({"9.1-RC3", "8.0-RELEASE or 8.1-RELEASE"}), "-") << "the nearest decides";
    EXPECT_EQ(release_in_prose(paragraphs({"OpenBSD 7.4 here"}), "x")->os, Os::openbsd);
}

std::vector<std::string> hosts_in(std::string text) {
    std::vector<std::string> out;
    const auto facts = assembled(std::move(text));
    EXPECT_TRUE(facts);
    if (facts)
        for (const Conflict& c : facts->conflicts)
            if (c.what == "os.hostname") out.push_back(c.values[0].value + " " + c.values[1].value);
    return out;
}

TEST(Assemble, PromptsOfTwoHosts) {
    const std::string swap =
        "Filename\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/sda2 partition 1048572 0 -2\n";
    const auto pasted = [&](std::string_view first, std::string_view second) {
        return hosts_in(std::string(first) + " uname -sr\nLinux 6.1.0-18-amd64\n" + std::string(second) +
                        " cat /proc/swaps\n" + swap);
    };
    using Hosts = std::vector<std::string>;
    EXPECT_EQ(pasted("db1$", "db2$"), Hosts{"db1 db2"});
    EXPECT_EQ(pasted("root@db1:~#", "[root@db2 ~]#"), Hosts{"db1 db2"});
    EXPECT_EQ(pasted("root@db1:~#", "me@db1.example.org:/tmp$"), Hosts{});
    EXPECT_EQ(pasted("#", "db2$"), Hosts{});
    EXPECT_EQ(hosts_in("db1$ uname -sr\nLinux 6.1.0-18-amd64\ndb2$ cat notes\nnothing of a disk\n"), Hosts{})
        << "nothing was understood of the other";
    EXPECT_EQ(hosts_in("# uname -n\ndb1\n# hostname\ndb2\n# cat /proc/swaps\n" + swap), Hosts{"db1 db2"});
}

TEST(Assemble, DisksWithoutAName) {
    const auto identity = [](std::string_view serial, int pending) {
        return "smartctl 7.2 2020-12-30 r5155 [x86_64-linux] (local build)\nDevice Model:     SAMPLE-2000\n"
               "Serial Number:    " +
               std::string(serial) +
               "\nSMART overall-health self-assessment test result: PASSED\nID# ATTRIBUTE_NAME          FLAG "
               "    "
               "VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n197 Current_Pending_Sector  "
               "0x0012   "
               "100   100   000    Old_age   Always       -       " +
               std::to_string(pending) + "\n\n";
    };
    const auto names = [](const Result<HostFacts>& facts) {
        std::string out;
        if (facts)
            for (const Disk& d : facts->disks)
                out +=
                    (out.empty() ? "" : " ") + d.name + "=" + std::to_string(d.pending_sectors.value_or(99));
        return out;
    };
    EXPECT_EQ(names(assembled(identity("A1", 3))), "disk?=3");
    EXPECT_EQ(names(assembled(identity("A1", 3) + identity("B2", 0))), "disk?=3 disk?2=0");
    EXPECT_EQ(names(assembled(identity("A1", 3) + identity("B2", 0) + identity("A1", 4))),
              "disk?=4 disk?2=0");
    EXPECT_EQ(names(assembled(identity("A1", 3) + "# smartctl -a /dev/sdc\n" + identity("A1", 4))), "sdc=3");
    // A partition table without a name need not be of that disk.
    const std::string gpt =
        "  start        size  index  contents\n      0           1         PMBR\n      1           1         "
        "Pri "
        "GPT header\n   2048      204800      1  GPT part - NetBSD FFSv1/FFSv2\n";
    const auto both = assembled(gpt + "\n\n\n" + identity("A1", 3));
    EXPECT_EQ(names(both), "disk?2=3");
    ASSERT_TRUE(both);
    ASSERT_FALSE(both->partitions.empty());
    EXPECT_EQ(both->partitions.front().parent, "disk?");
}

TEST(Derive, AMountPointThatDfCannotPrint) {
    HostFacts facts = facts_of(R"({"mounts": [
        {"device": "/dev/sdb1", "point": "/srv/a\nb"}, {"device": "sdb1", "point": "/srv/a?b"},
        {"device": "/dev/sdc1", "point": "/srv/what?"}, {"device": "/dev/sdd1", "point": "/srv/a?b2"}]})");
    derive(facts);
    std::string points;
    for (const Mount& m : facts.mounts) points += m.point + "|";
    EXPECT_EQ(points, "/srv/a\nb|/srv/what?|/srv/a?b2|");
}

TEST(Assemble, AFailureIsToldOnce) {
    const auto reasons = [](int status, const std::string& note) {
        Capture capture;
        capture.documents.push_back(
            {"uname.txt", "Linux box 6.1.0 #1 SMP x86_64 GNU/Linux\n", {"uname", "-a"}});
        capture.documents.push_back(
            {"dumpe2fs -h /dev/sda1", "tool 1.47\n", {"dumpe2fs", "-h", "/dev/sda1"}, CommandRun{status}});
        if (!note.empty()) capture.notes.push_back(note);
        const auto facts = assemble(capture);
        return facts ? facts->unparsed.size() : 0;
    };
    EXPECT_EQ(reasons(1, "dumpe2fs -h /dev/sda1: Bad magic number"), 1U);
    EXPECT_EQ(reasons(1, ""), 1U) << "without a note the output itself is named";
    EXPECT_EQ(reasons(0, "dumpe2fs -h /dev/sda1: a warning"), 2U);
    EXPECT_EQ(reasons(1, "tune2fs: not found"), 2U);
}

// The controller's tool prints a volume under its own address; one of its listings adds the system's disk.
TEST(Derive, VolumesOfAControllerUnderTwoNames) {
    HostFacts facts = facts_of(R"({"volumes": [
        {"name": "c0/v1", "kind": "hardware", "level": "5", "state": "degraded"},
        {"name": "c1/v1", "kind": "hardware", "level": "1"},
        {"name": "sdb", "kind": "hardware", "set_name": "c0/v1", "stripe_unit_bytes": 65536}]})");
    derive(facts);
    ASSERT_EQ(facts.volumes.size(), 2U);
    EXPECT_EQ(facts.volumes[0].name, "c1/v1") << "another controller's";
    EXPECT_EQ(facts.volumes[1].name, "sdb");
    EXPECT_TRUE(facts.volumes[1].level.is(RaidLevel::raid5));
    EXPECT_TRUE(facts.volumes[1].state.is(VolumeState::degraded));
    EXPECT_TRUE(facts.volumes[1].stripe_unit_bytes.is(65536));
}

TEST(Derive, AnUnnamedPoolIsTheOnlyOne) {
    HostFacts one = facts_of(R"({"volumes": [{"name": "zpool?", "kind": "zfs", "ashift": 9},
        {"name": "tank", "kind": "zfs", "state": "optimal"}]})");
    derive(one);
    ASSERT_EQ(one.volumes.size(), 1U);
    EXPECT_EQ(one.volumes[0].name, "tank");
    EXPECT_TRUE(one.volumes[0].ashift.is(9));

    HostFacts two = facts_of(R"({"volumes": [{"name": "zpool?", "kind": "zfs", "ashift": 9},
        {"name": "tank", "kind": "zfs"}, {"name": "zroot", "kind": "zfs"}]})");
    derive(two);
    EXPECT_EQ(two.volumes.size(), 3U) << "whose it is cannot be told";
}

TEST(Derive, SingleReportsOneAfterTheOtherAreOneTrace) {
    const auto report = [](int writes, std::string_view device) {
        return "# gstat -b\ndT: 1.001s  w: 1.000s\n L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   "
               "%busy Name\n    3    112      2     40    1.2    " +
               std::to_string(writes) + "    900    9.2   92.2  " + std::string(device) + "\n";
    };
    const auto facts = assembled(report(110, "ada1") + report(111, "ada1") + report(112, "ada1"));
    ASSERT_TRUE(facts);
    ASSERT_EQ(facts->io_traces.size(), 1U);
    ASSERT_EQ(facts->io_traces[0].samples.size(), 3U);
    EXPECT_EQ(facts->io_traces[0].samples[0].writes_per_s, 110);
    EXPECT_EQ(facts->io_traces[0].samples[2].writes_per_s, 112);

    const auto others = assembled(report(110, "ada1") + report(111, "ada2"));
    ASSERT_TRUE(others);
    EXPECT_EQ(others->io_traces.size(), 2U) << "other devices";
}

TEST(Assume, Paths) {
    HostFacts facts = facts_of(R"({"disks": [{"name": "ada0", "physical_sector_bytes": 512}]})");
    EXPECT_TRUE(assume(facts, "disks.ada0.physical_sector_bytes=4096"));
    EXPECT_TRUE(facts.disks[0].physical_sector_bytes.is(4096));
    EXPECT_EQ(facts.disks[0].physical_sector_bytes.from().kind(), Provenance::Kind::user);
    EXPECT_TRUE(assume(facts, "volumes.raid0.level=5"));
    EXPECT_TRUE(facts.volumes.at(0).level.is(RaidLevel::raid5));
    EXPECT_TRUE(assume(facts, "sysctls.vfs.wapbl.flush_disk_cache=0"));
    EXPECT_EQ(*facts.sysctls.at("vfs.wapbl.flush_disk_cache"), "0");
    EXPECT_TRUE(assume(facts, "os.name=netbsd"));
    EXPECT_TRUE(facts.is(Os::netbsd));
    for (const auto* bad : {"disks.ada0.colour=red", "disks.ada0.rpm=fast", "discs.ada0.rpm=1", "disks",
                            "disks.ada0=1", "x=1", "disks.ada0.rpm=", "os.name=plan9", "disks.ada0.rpm=-1"}) {
        const auto done = assume(facts, bad);
        ASSERT_FALSE(done) << bad;
        EXPECT_EQ(done.error().kind, ErrorKind::usage) << bad;
    }
}

TEST(Derive, DataDisksByLevel) {
    struct Row {
        std::string_view volume;
        std::optional<std::uint64_t> data_disks;
    };
    const std::array rows{
        Row{R"("kind": "raidframe", "level": "5", "columns": 5)", 4},
        Row{R"("kind": "raidframe", "level": "1", "columns": 4)", 2},
        Row{R"("kind": "raidframe", "level": "1", "columns": 2)", 1},
        Row{R"("kind": "gmirror", "level": "1", "columns": 3)", 1},
        Row{R"("kind": "md", "level": "6", "columns": 36)", 34},
        Row{R"("kind": "md", "level": "10", "columns": 4, "layout": "near=2")", 2},
        Row{R"("kind": "md", "level": "10", "columns": 3, "layout": "near=2")", std::nullopt},
        Row{R"("kind": "md", "level": "10", "columns": 6, "layout": "far=3")", 2},
        Row{R"("kind": "md", "level": "5", "columns": 1)", std::nullopt},
        Row{R"("kind": "md", "level": "concat", "columns": 2)", std::nullopt},
        Row{R"("kind": "md", "level": "5")", std::nullopt},
    };
    for (const Row& row : rows) {
        HostFacts facts = facts_of(R"({"volumes": [{"name": "v", )" + std::string(row.volume) + "}]}");
        derive(facts);
        EXPECT_EQ(facts.volumes[0].data_disks.known(), row.data_disks.has_value()) << row.volume;
        EXPECT_EQ(facts.volumes[0].data_disks.value_or(0), row.data_disks.value_or(0)) << row.volume;
    }
}

TEST(Derive, StateFromComponents) {
    struct Row {
        std::string_view level, states;
        VolumeState state;
    };
    const std::array rows{
        Row{"5", "optimal optimal optimal", VolumeState::optimal},
        Row{"5", "optimal failed optimal", VolumeState::degraded},
        Row{"5", "optimal failed optimal spare", VolumeState::degraded},
        Row{"5", "optimal failed optimal used_spare", VolumeState::optimal},
        Row{"5", "optimal failed failed", VolumeState::failed},
        Row{"6", "failed failed optimal optimal", VolumeState::degraded},
        Row{"0", "optimal failed", VolumeState::failed},
        Row{"1", "optimal failed", VolumeState::degraded},
        Row{"5", "optimal rebuilding optimal", VolumeState::rebuilding},
    };
    for (const Row& row : rows) {
        std::string components;
        int n = 0;
        for (const auto state : words(row.states))
            components += std::string(n ? "," : "") + R"({"name": "d)" + std::to_string(n) +
                          R"(", "state": ")" + std::string(state) + "\"}",
                ++n;
        HostFacts facts =
            facts_of(R"({"volumes": [{"name": "v", "kind": "raidframe", "level": ")" +
                     std::string(row.level) + R"(", "columns": 3, "components": [)" + components + "]}]}");
        derive(facts);
        EXPECT_TRUE(facts.volumes[0].state.is(row.state)) << row.level << ": " << row.states;
    }
}

TEST(Derive, MountOptionsTellOfTheFileSystem) {
    HostFacts facts = facts_of(R"({"os": {"name": "netbsd"}, "mounts": [
        {"point": "/home", "device": "/dev/raid0e", "type": "ffs", "options": ["log", "local"]},
        {"point": "/x", "device": "/dev/raid0f", "type": "ffs", "options": ["local"]}]})");
    derive(facts);
    EXPECT_TRUE(facts.filesystems.at(0).wapbl.is(true));
    EXPECT_TRUE(facts.filesystems.at(1).wapbl.is(false));
    facts = facts_of(R"({"os": {"name": "freebsd"}, "mounts": [
        {"point": "/", "device": "/dev/ada0p2", "type": "ufs", "options": ["local", "journaled soft-updates"]}]})");
    derive(facts);
    EXPECT_TRUE(facts.filesystems.at(0).softupdates.is(true));
    EXPECT_TRUE(facts.filesystems.at(0).su_journal.is(true));
}

TEST(Derive, MirrorMembersOnlyFromAgreeingTraces) {
    const auto trace = [](std::string_view device, double rate) {
        std::string samples;
        for (int i = 0; i < 12; ++i)
            samples += std::string(i ? "," : "") + R"({"writes_per_s": )" + std::to_string(rate + i) +
                       ", \"since_boot\": false}";
        return R"({"device": ")" + std::string(device) + R"(", "run": 0, "samples": [)" + samples + "]}";
    };
    const std::string mirror = R"("filesystems": [{"device": "mirror/gm0s1e", "type": "ffs2"}])";
    HostFacts facts = facts_of("{" + mirror + R"(, "io_traces": [)" + trace("ada0", 1000) + "," +
                               trace("ada1", 1010) + "]}");
    derive(facts);
    ASSERT_EQ(facts.volumes.size(), 1U);
    EXPECT_EQ(facts.volumes[0].name, "mirror/gm0");
    EXPECT_EQ(facts.volumes[0].components.size(), 2U);
    facts = facts_of("{" + mirror + R"(, "io_traces": [)" + trace("ada0", 1000) + "," + trace("ada1", 500) +
                     "]}");
    derive(facts);
    EXPECT_TRUE(facts.volumes.at(0).components.empty());
}

TEST(Assemble, NothingRecognised) {
    const auto facts = assembled("Just prose about # nothing at all.\n");
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().kind, ErrorKind::bad_data);
    EXPECT_TRUE(contains(facts.error().message, "no command output was recognised"));
    EXPECT_FALSE(assembled(""));
}

TEST(Assemble, OsOptionBeatsTheInput) {
    const auto facts =
        assembled("# uname -a\nLinux host1 5.10.62 #1 SMP x86_64 GNU/Linux\n", {"openbsd-7.4", {}});
    ASSERT_TRUE(facts);
    EXPECT_TRUE(facts->is(Os::openbsd));
    EXPECT_EQ(*facts->os.release, "7.4");
    EXPECT_FALSE(assembled("# uname -sr\nNetBSD 9.3\n", {"solaris", {}}));
}

TEST(Merge, LaterListingsWinAndConflictsAreKept) {
    HostFacts facts = facts_of(R"({"disks": [{"name": "wd0", "size_bytes": 1000, "model": "A"}],
        "volumes": [{"name": "raid0", "parity_clean": false, "components_complete": true,
                     "components": [{"name": "wd0e", "state": "optimal"}, {"name": "wd1e", "state": "failed"}]}]})");
    merge(facts, facts_of(R"({"disks": [{"name": "wd0", "size_bytes": 2000, "rpm": 7200}],
        "volumes": [{"name": "raid0", "parity_clean": true, "components_complete": true,
                     "components": [{"name": "wd0e", "state": "optimal"}, {"name": "wd2e", "state": "used_spare"}]}]})"));
    EXPECT_TRUE(facts.disks[0].size_bytes.is(2000));
    EXPECT_TRUE(facts.disks[0].rpm.is(7200));
    EXPECT_EQ(*facts.disks[0].model, "A");
    EXPECT_TRUE(facts.volumes[0].parity_clean.is(true));
    ASSERT_EQ(facts.volumes[0].components.size(), 2U);
    EXPECT_EQ(facts.volumes[0].components[1].name, "wd2e");
    ASSERT_EQ(facts.conflicts.size(), 2U);
    EXPECT_EQ(facts.conflicts[0].what, "disks.wd0.size_bytes");
    EXPECT_FALSE(facts.conflicts[0].superseded) << "a disk does not change its size";
    EXPECT_EQ(facts.conflicts[1].what, "volumes.raid0.parity_clean");
    EXPECT_TRUE(facts.conflicts[1].superseded);
}

TEST(Merge, ACompleteTableReplacesTheEarlierOne) {
    HostFacts facts = facts_of(R"({"tables": [{"parent": "wd1", "scheme": "gpt", "entries_shown": 2}],
        "partitions": [{"name": "wd1#1", "parent": "wd1", "scheme": "gpt", "start_bytes": 17408},
                       {"name": "wd1#2", "parent": "wd1", "scheme": "gpt", "start_bytes": 99},
                       {"name": "wd0#2", "parent": "wd0", "scheme": "gpt", "start_bytes": 99}]})");
    merge(facts, facts_of(R"({"tables": [{"parent": "wd1", "scheme": "gpt", "entries_shown": 1}],
        "partitions": [{"name": "wd1#1", "parent": "wd1", "scheme": "gpt", "start_bytes": 524288}]})"));
    ASSERT_EQ(facts.partitions.size(), 2U);
    EXPECT_TRUE(facts.partitions[0].start_bytes.is(524288));
    EXPECT_EQ(facts.partitions[1].name, "wd0#2");
    EXPECT_EQ(facts.conflicts.size(), 3U);  // the row that is gone, the start, the number of rows
}

TEST(Merge, ProseGivesWayToOutputAndUserBeatsAll) {
    HostFacts facts;
    facts.os.release = Text("9.1", Provenance("a", 1, "x", Provenance::Kind::prose));
    HostFacts later;
    later.os.release = Text("9.2", Provenance("a", 2, "y"));
    merge(facts, std::move(later));
    EXPECT_EQ(*facts.os.release, "9.2");
    EXPECT_TRUE(facts.conflicts.empty());
    HostFacts prose;
    prose.os.release = Text("1.0", Provenance("a", 3, "z", Provenance::Kind::prose));
    merge(facts, std::move(prose));
    EXPECT_EQ(*facts.os.release, "9.2");
}

}  // namespace
}  // namespace diskwright
