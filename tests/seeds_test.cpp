// SPDX-License-Identifier: BSD-2-Clause
// Three questions as they reach a mailing list, reduced to their figures: everything in them that is of use
// is read, and what is asked is answered.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "probes/capture/assemble.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

namespace diskwright {
namespace {

std::string seed_path(const char* name) {
    return (test::data_folder() / "seeds" / name).string();
}

HostFacts facts_of(const char* name) {
    Capture capture;
    capture.documents.push_back({name, test::read_file(seed_path(name)), {}});
    auto facts = assemble(capture);
    EXPECT_TRUE(facts) << facts.error().message;
    return facts ? std::move(*facts) : HostFacts{};
}

std::vector<Finding> findings_of(const HostFacts& facts, std::string_view code) {
    std::vector<Finding> out;
    for (Finding& f : judge(facts).findings)
        if (f.code == code) out.push_back(std::move(f));
    return out;
}

std::vector<std::string> subjects_of(const std::vector<Finding>& findings) {
    std::vector<std::string> out;
    for (const Finding& f : findings) out.push_back(f.subject);
    std::sort(out.begin(), out.end());
    return out;
}

template <class Value>
std::vector<double> column(const IoTrace& trace, Value value) {
    std::vector<double> out;
    for (const IoSample& s : trace.samples) out.push_back((s.*value).value_or(-1));
    return out;
}

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(DelayedWrites, EverythingIsRead) {
    const HostFacts facts = facts_of("delayed-writes.txt");
    EXPECT_TRUE(facts.is(Os::freebsd));
    EXPECT_TRUE(facts.os.release.is("9.1-RC3")) << "not the older release it is compared with";

    ASSERT_EQ(facts.volumes.size(), 1U);
    const Volume& mirror = facts.volumes.front();
    EXPECT_EQ(mirror.name, "mirror/gm0");
    EXPECT_TRUE(mirror.kind.is(VolumeKind::gmirror));
    ASSERT_EQ(mirror.components.size(), 2U);
    EXPECT_EQ(mirror.components[0].name, "ada0");
    EXPECT_EQ(mirror.components[1].name, "ada1");

    ASSERT_EQ(facts.filesystems.size(), 1U);
    const Filesystem& fs = facts.filesystems.front();
    EXPECT_EQ(fs.device, "mirror/gm0s1e");
    EXPECT_TRUE(fs.type.is("ffs2"));
    EXPECT_TRUE(fs.bsize.is(32768));
    EXPECT_TRUE(fs.fsize.is(4096));
    EXPECT_TRUE(fs.size_bytes.is(10737418240));
    EXPECT_TRUE(fs.minfree_percent.is(8));
    EXPECT_TRUE(fs.optimization.is(Optimization::time));
    EXPECT_TRUE(fs.softupdates.is(true));
    EXPECT_TRUE(fs.su_journal.is(false));
    EXPECT_TRUE(fs.gjournal.is(false));
    EXPECT_TRUE(fs.newfs_command.is(
        "newfs -L pool -O 2 -U -a 4 -b 32768 -d 32768 -e 4096 -f 4096 -g 16384 -h 64 -m 8 -o time "
        "-s 20971520 /dev/mirror/gm0s1e"))
        << "joined over the wrapped line: " << fs.newfs_command.value_or("absent");
}

TEST(DelayedWrites, EverySample) {
    const HostFacts facts = facts_of("delayed-writes.txt");
    struct Row {
        const char* device;
        std::vector<double> queue, busy;
        double writes, write_kb, service;
    };
    const Row rows[] = {
        {"ada0",
         {2545, 2851, 2124, 2167, 707, 2589, 2605, 0, 0, 1215, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0},
         {93, 99, 98, 98, 100, 91, 98, 39, 11, 46, 17, 22, 8, 9, 2, 3, 0, 10, 2, 0},
         11379.9,
         67061.6,
         17420.7},
        {"ada1",
         {2596, 3026, 2298, 2382, 1260, 2651, 2624, 0, 0, 1222, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0},
         {98, 93, 98, 99, 100, 97, 96, 41, 10, 46, 17, 21, 8, 8, 2, 3, 0, 10, 2, 0},
         11387.9,
         67101.6,
         18158.7},
    };
    ASSERT_EQ(facts.io_traces.size(), std::size(rows));
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        const IoTrace& trace = facts.io_traces[i];
        EXPECT_EQ(trace.device, rows[i].device);
        EXPECT_TRUE(trace.interval_s.is(10));
        EXPECT_EQ(column(trace, &IoSample::queue), rows[i].queue) << trace.device;
        EXPECT_EQ(column(trace, &IoSample::busy_percent), rows[i].busy) << trace.device;
        EXPECT_NEAR(sum(column(trace, &IoSample::writes_per_s)), rows[i].writes, 1e-6) << trace.device;
        EXPECT_NEAR(sum(column(trace, &IoSample::write_kb_per_s)), rows[i].write_kb, 1e-6) << trace.device;
        EXPECT_NEAR(sum(column(trace, &IoSample::service_ms)), rows[i].service, 1e-6) << trace.device;
    }
}

TEST(DelayedWrites, Answer) {
    const HostFacts facts = facts_of("delayed-writes.txt");
    const std::vector<std::string> both = {"ada0", "ada1"};
    EXPECT_EQ(subjects_of(findings_of(facts, "IO001")), both);
    const auto backlog = findings_of(facts, "IO002");
    EXPECT_EQ(subjects_of(backlog), both);
    for (const Finding& f : backlog) {
        EXPECT_TRUE(f.condition.empty());
        EXPECT_EQ(f.evidence.size(), 8U) << "the samples with a queue";
        const std::string text = f.message + " " + f.cost + " " + f.note;
        for (const auto* part : {
                 "Soft updates",
                 "syncer",
                 "rolled back",  // the mechanism
                 "kern.metadelay",
                 "kern.dirdelay",
                 "kern.filedelay",
                 "vfs.hirunningspace",             // the knobs
                 "queued requests x 5.8 KiB = 1",  // the backlog: 13.3 and 14.0 MiB
                 "Blocks of 32 KiB with fragments of 4 KiB",
                 "are not the cause",
             })
            EXPECT_TRUE(contains(text, part)) << part << " is missing in: " << text;
    }
    for (const Finding& f : judge(facts).findings)
        EXPECT_FALSE(f.code.starts_with("ALIGN") || f.code == "FFS001") << f.code << ": " << f.message;
}

TEST(ParallelBuild, EveryTimingAndTheRunsThatDiffer) {
    const HostFacts facts = facts_of("parallel-build.txt");
    struct Row {
        double real_s;
        std::uint64_t inputs, outputs;
        const char* command;
    };
    const char* build = "build.sh -j 16";
    const char* loop = "sh -c 'while true; do sync; sleep 1; done'";
    const Row rows[] = {
        {8359.68, 3, 688241, build},         {1319.48, 627, 44423, build},    {1451.92, 0, 48589, loop},
        {10378.37, 103, 190425, "build.sh"}, {1710.74, 11678, 562510, build}, {1268.90, 1, 46619, build},
        {1281.80, 0, 49910, loop},           {1497.93, 494, 710112, build},   {1634.19, 0, 720501, build},
    };
    ASSERT_EQ(facts.timings.size(), std::size(rows));
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        const Timing& t = facts.timings[i];
        EXPECT_NEAR(t.real_s.value_or(0), rows[i].real_s, 1e-6) << i;
        EXPECT_TRUE(t.inputs.is(rows[i].inputs)) << i;
        EXPECT_TRUE(t.outputs.is(rows[i].outputs)) << i;
        EXPECT_EQ(t.command, rows[i].command) << i;
    }
    const auto found = findings_of(facts, "IO009");
    ASSERT_EQ(found.size(), 1U) << "the loops took the same, the single job ran once";
    EXPECT_EQ(found.front().subject, build);
    for (const auto* part :
         {"took 1269 s", "8360 s", "6.59 times as long", "written 46619", "688241", "14.8 times"})
        EXPECT_TRUE(contains(found.front().message, part)) << part << ": " << found.front().message;
}

TEST(NoCommandOutput, IsSaidWithWhatToRun) {
    const auto result = test::run_program({"audit", seed_path("no-output.txt")});
    EXPECT_EQ(result.status, 65);
    EXPECT_EQ(result.output, "");
    for (const auto* part :
         {"no command output was recognised", "raidctl -s", "gmirror list", "bioctl", "/proc/mdstat"})
        EXPECT_TRUE(contains(result.errors, part)) << part << ": " << result.errors;
}

}  // namespace
}  // namespace diskwright
