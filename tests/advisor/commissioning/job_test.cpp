// SPDX-License-Identifier: BSD-2-Clause
// The job on devices of known behaviour, on hosts of every system.
#include "advisor/commissioning/job.hpp"

#include <gtest/gtest.h>

#include "advisor/commissioning/scratch_pattern.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

constexpr std::string_view freebsd_disk = R"({"os": {"name": "freebsd", "release": "14.0-RELEASE"},
    "disks": [{"name": "ada1", "size_bytes": 1000204886016, "physical_sector_bytes": 4096,
               "rotational": true}]})";

HostFacts facts_of_text(std::string_view text) {
    auto facts = facts_from_text(text, "typed");
    EXPECT_TRUE(facts) << facts.error().message;
    return *facts;
}

struct Progress final : ProgressMeter {
    void at(std::string_view, double, double) override {
        if (++reports == stop_at) stopped = true;
    }
    bool cancelled() const override { return stopped; }
    std::uint64_t reports = 0, stop_at = 0;
    bool stopped = false;
};

class CommissionJob : public testing::Test {
 protected:
    CommissionJob() : space(pattern_space(true)), runner(space, scratch, {}, progress) {
        scratch.size = 256 * MiB;
        setup.facts = facts_of_text(freebsd_disk);
        setup.subject = "ada1";
        setup.device = &scratch;
        setup.device_name = "ada1";
        setup.scratch = &scratch;
        setup.probe_budget.time = std::chrono::seconds(2);
        setup.tuning_limits.trials = 6;
        setup.trials.emplace(TrialSource{
            "pattern", space, {"pattern_s", true}, usual_point(space, setup.facts), &runner, false, 0});
    }
    CommissionReport report() {
        auto done = commission(setup, progress);
        EXPECT_TRUE(done) << done.error().message;
        return done ? std::move(*done) : CommissionReport{};
    }

    test::SimulatedDisk scratch;
    Progress progress;
    SearchSpace space;
    PatternRunner runner;
    CommissionSetup setup;
};

TEST_F(CommissionJob, WhereNothingDiffersTheArithmeticStands) {
    struct Indifferent final : TrialRunner {
        Result<Trial> run(const Point& point, const CommandLimits&) override {
            Trial trial;
            trial.point = point;
            trial.state = TrialState::ok;
            trial.value = 1 + 0.001 * static_cast<double>(runs++ % 7);  // noise
            return trial;
        }
        int runs = 0;
    } indifferent;
    setup.trials->runner = &indifferent;
    const auto done = report();
    EXPECT_FALSE(done.failure);
    ASSERT_TRUE(done.plan);
    EXPECT_EQ(done.plan->layout.bsize, 32768U);
    EXPECT_EQ(done.plan->layout.fsize, 4096U);
    if (done.verification) {
        EXPECT_FALSE(done.verification->differs);
    }
    EXPECT_TRUE(done.facts.disks.at(0).flush_latency_s.known()) << "the probe's figure becomes a fact";
    EXPECT_EQ(done.facts.disks.size(), 1U);
}

TEST_F(CommissionJob, AMeasuredDifferenceDecides) {
    // A runner that likes blocks of 64 KiB with fragments of 8 KiB, by far.
    struct Likes64 final : TrialRunner {
        explicit Likes64(const SearchSpace& s) : space(s) {}
        Result<Trial> run(const Point& point, const CommandLimits&) override {
            Trial trial;
            trial.point = point;
            const double b = space.value(point, 0).number, f = space.value(point, 1).number;
            trial.state = f > b || b / f > 8 ? TrialState::invalid : TrialState::ok;
            if (trial.state == TrialState::ok) trial.value = b == 65536 && f == 8192 ? 1 : 10;
            return trial;
        }
        const SearchSpace& space;
    } likes(space);
    setup.trials->runner = &likes;
    setup.tuning_limits.trials = 100;
    const auto done = report();
    ASSERT_TRUE(done.verification);
    EXPECT_TRUE(done.verification->differs);
    EXPECT_EQ(done.verification->best.values.size(), 5U);
    ASSERT_TRUE(done.plan);
    EXPECT_EQ(done.plan->layout.bsize, 65536U);
    EXPECT_EQ(done.plan->layout.fsize, 8192U);
}

TEST_F(CommissionJob, ACacheIsNotTuned) {
    scratch.cache = "on a file system in memory";
    const auto done = report();
    EXPECT_FALSE(done.trials);
    EXPECT_TRUE(contains(done.no_trials, "file system in memory")) << done.no_trials;
    EXPECT_TRUE(done.plan);
}

TEST_F(CommissionJob, WithoutAFlushNothingIsTriedAndTheReportStands) {
    scratch.flush_error = Error{ErrorKind::unavailable, "no flush for files here"};
    const auto done = report();
    EXPECT_FALSE(done.trials);
    EXPECT_TRUE(contains(done.no_trials, "no flush for files here")) << done.no_trials;
    EXPECT_TRUE(done.plan);
    EXPECT_FALSE(done.failure);
}

TEST_F(CommissionJob, AFailingDeviceLeavesTheRestOfTheReport) {
    scratch.read_error = Error{ErrorKind::io_error, "ada1: read of byte 0: broken"};
    const auto done = report();
    ASSERT_TRUE(done.failure);
    EXPECT_EQ(done.failure->kind, ErrorKind::io_error);
    EXPECT_TRUE(done.plan) << "the plan needs no measurement";
    EXPECT_FALSE(done.trials);
}

TEST_F(CommissionJob, InterruptedAnywhereItSaysSo) {
    progress.stop_at = ~std::uint64_t{0};
    report();
    const std::uint64_t all = progress.reports;
    ASSERT_GT(all, 10U);
    for (std::uint64_t stop = 1; stop <= all; stop += std::max<std::uint64_t>(1, all / 25)) {
        progress = {};
        progress.stop_at = stop;
        const auto done = report();
        EXPECT_TRUE(done.interrupted) << "at report " << stop << " of " << all;
        EXPECT_FALSE(done.failure);
    }
}

TEST_F(CommissionJob, AnUnknownWorkloadIsRefusedBeforeAnythingIsMeasured) {
    setup.intent.workload = "datbase";
    const auto plan = planned_by_arithmetic(setup);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::usage);
    EXPECT_EQ(scratch.writes, 0U);
}

TEST_F(CommissionJob, FaultsOfTheDiskAreNeverSettledByAPlan) {
    setup.facts = facts_of_text(R"({"os": {"name": "freebsd", "release": "14.0-RELEASE"},
        "disks": [{"name": "ada1", "size_bytes": 1000204886016, "physical_sector_bytes": 4096,
                   "rotational": true, "health_passed": false}],
        "partitions": [{"name": "ada1p1", "parent": "ada1", "scheme": "gpt", "start_bytes": 32256,
                        "size_bytes": 900000000000, "type": "freebsd-ufs"}],
        "filesystems": [{"device": "ada1p1", "type": "ffs2", "bsize": 16384, "fsize": 2048}]})");
    setup.trials.reset();
    setup.no_trials = "not asked for";
    setup.intent.subject = "ada1p1";
    const auto done = report();
    ASSERT_TRUE(done.plan) << done.no_plan;
    bool sick = false, unaligned = false;
    for (const Finding& finding : done.judgement.findings) {
        if (finding.code == "DISK005") {
            sick = true;
            EXPECT_FALSE(done.settles(finding));
        }
        if (finding.code == "ALIGN001") {
            unaligned = true;
            EXPECT_TRUE(done.settles(finding)) << finding.subject;
        }
    }
    EXPECT_TRUE(sick);
    EXPECT_TRUE(unaligned);
}

}  // namespace
}  // namespace diskwright
