// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/probes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "probes/support/text.hpp"
#include "tests/support/simulated_disk.hpp"

namespace diskwright {
namespace {

using test::SimulatedDisk;
using test::StopAfter;
using namespace std::chrono_literals;

std::size_t quantities() {
    std::size_t count = 0;
    for (const Probe& probe : probes()) count += 1 + probe.also.size();
    return count;
}

// Of a disk without tracks, which says nothing of itself.
const std::set<std::string> no_answer{"rotation_s", "track_bytes", "seek_s", "erase_block_bytes",
                                      "reported_physical_sector_bytes", "write_cache", "stripe_unit_bytes"};

TEST(Probes, EachQuantityHasOneRowAndAValueOrAReason) {
    SimulatedDisk disk;
    disk.seek_s = 0.008;
    StopAfter progress;
    const auto run = run_probes(disk, &disk, {}, progress);
    EXPECT_FALSE(run.failure);
    EXPECT_FALSE(run.interrupted);
    EXPECT_EQ(run.profile.size(), quantities()) << "no quantity twice";
    for (const Probe& probe : probes()) {
        const auto& measured = run.profile.at(std::string(probe.quantity));
        if (no_answer.contains(std::string(probe.quantity))) continue;
        EXPECT_NE(measured.confidence, Confidence::inconclusive) << probe.quantity << measured.reason;
        EXPECT_EQ(measured.unit, probe.unit) << probe.quantity;
    }
    for (const auto& [quantity, measured] : run.profile)
        EXPECT_TRUE(measured.confidence != Confidence::inconclusive || !measured.reason.empty()) << quantity;
    EXPECT_EQ(std::get<double>(run.profile.at("logical_sector_bytes").value), 512);
    EXPECT_TRUE(disk.well_formed);
}

TEST(Probes, TakeTheTimeThatIsGiven) {
    for (const auto time : {12s, 60s}) {
        SimulatedDisk disk;
        disk.seek_s = 0.008;
        StopAfter progress;
        const auto run = run_probes(disk, &disk, {time, 1}, progress);
        const double taken = std::chrono::duration<double>(disk.clock().now()).count();
        const double wanted = std::chrono::duration<double>(time).count();
        EXPECT_GT(taken, 0.5 * wanted) << wanted;
        EXPECT_LT(taken, 1.25 * wanted + 0.5) << wanted;
    }
}

// Each request takes longer than all probes together are given.
TEST(Probes, AStalledDeviceDoesNotHoldThemAll) {
    SimulatedDisk disk;
    disk.command_s = 12;
    disk.parallel = 64;
    StopAfter progress;
    const auto run = run_probes(disk, nullptr, {2s, 1}, progress);
    EXPECT_FALSE(run.interrupted);
    EXPECT_EQ(run.profile.at("random_read_iops").confidence, Confidence::inconclusive);
    EXPECT_TRUE(contains(run.profile.at("random_read_iops").reason, "slowly"))
        << run.profile.at("random_read_iops").reason;
    EXPECT_EQ(run.profile.size(), quantities());
}

TEST(Probes, WithoutScratchNothingIsWritten) {
    SimulatedDisk disk;
    StopAfter progress;
    const auto run = run_probes(disk, nullptr, {}, progress);
    EXPECT_EQ(disk.writes + disk.flushes, 0U);
    const auto& flush = run.profile.at("flush_latency_s");
    EXPECT_EQ(flush.confidence, Confidence::inconclusive);
    EXPECT_EQ(flush.reason, "needs a scratch area");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(flush.value));
}

TEST(Probes, ACacheOfTheHostMakesThemInconclusive) {
    SimulatedDisk disk;
    disk.cache = "tmpfs is memory";
    StopAfter progress;
    const auto run = run_probes(disk, &disk, {usual_time, 1}, progress);
    for (const auto& [quantity, measured] : run.profile) {
        EXPECT_EQ(measured.confidence, Confidence::inconclusive) << quantity;
        EXPECT_TRUE(contains(measured.reason, "tmpfs is memory")) << measured.reason;
        EXPECT_TRUE(std::holds_alternative<std::monostate>(measured.value)) << quantity;
    }
    EXPECT_FALSE(run.profile.at("random_read_iops").series.empty()) << "samples are kept";
}

TEST(Probes, ReadNoMoreThanTheLimit) {
    for (const std::uint64_t limit : {64 * MiB, GiB}) {
        SimulatedDisk disk;
        disk.rate = [](std::uint64_t) { return 2e9; };
        disk.command_s = 10e-6;
        disk.parallel = 32;
        StopAfter progress;
        ProbeBudget budget{usual_time, 1, limit};
        run_probes(disk, nullptr, budget, progress);
        EXPECT_LE(disk.bytes_read, limit + limit / 20 + 16 * MiB);
    }
}

TEST(Probes, ADeviceErrorEndsItsProbeOnly) {
    SimulatedDisk disk;
    disk.read_error = Error{ErrorKind::io_error, "read at 4096: Input/output error"};
    StopAfter progress;
    const auto run = run_probes(disk, &disk, {2s, 1}, progress);
    ASSERT_TRUE(run.failure);
    EXPECT_EQ(run.failure->kind, ErrorKind::io_error);
    EXPECT_EQ(run.profile.at("random_read_iops").reason, disk.read_error->message);
    EXPECT_TRUE(std::holds_alternative<double>(run.profile.at("flush_latency_s").value));
}

TEST(Probes, ARefusedWriteIsTheFailureOfTheRun) {
    SimulatedDisk disk;
    disk.write_error = Error{ErrorKind::no_permission, "mounted on /mnt"};
    StopAfter progress;
    const auto run = run_probes(disk, &disk, {2s, 1}, progress);
    ASSERT_TRUE(run.failure);
    EXPECT_EQ(run.failure->kind, ErrorKind::no_permission);
    EXPECT_EQ(run.profile.at("flush_latency_s").reason, "mounted on /mnt");
}

TEST(Probes, InterruptedRunsKeepWhatTheyHave) {
    for (const std::uint64_t reports : {1U, 3U, 8U, 20U, 200U}) {
        SimulatedDisk disk;
        disk.seek_s = 0.008;
        StopAfter progress(reports);
        const auto run = run_probes(disk, &disk, {}, progress);
        EXPECT_TRUE(run.interrupted) << reports;
        EXPECT_EQ(run.profile.size(), quantities());
        for (const auto& [quantity, measured] : run.profile) {
            if (quantity == "logical_sector_bytes" || no_answer.contains(quantity)) continue;
            const bool no_value = std::holds_alternative<std::monostate>(measured.value);
            EXPECT_TRUE(!no_value || !measured.reason.empty()) << quantity;
        }
        EXPECT_TRUE(contains(run.profile.at("write_tail_s").reason, "interrupted")) << reports;
    }
}

TEST(Probes, ABusyHostLimitsTheConfidence) {
    SimulatedDisk disk;
    disk.seek_s = 0.008;
    StopAfter progress;
    auto profile = run_probes(disk, nullptr, {}, progress).profile;
    ASSERT_EQ(profile.at("random_read_iops").confidence, Confidence::high);
    limit_confidence(profile, Confidence::low, "busy");
    EXPECT_EQ(profile.at("random_read_iops").confidence, Confidence::low);
    EXPECT_EQ(profile.at("random_read_iops").reason, "busy");
    EXPECT_TRUE(
        std::holds_alternative<std::vector<Measurement::Point>>(profile.at("random_read_iops").value));
    EXPECT_EQ(profile.at("logical_sector_bytes").confidence, Confidence::high) << "took no time";
    EXPECT_EQ(profile.at("flush_latency_s").reason, "needs a scratch area");
}

TEST(Probes, TheSeedDecidesThePlaces) {
    const auto places = [](std::uint64_t seed) {
        SimulatedDisk disk;
        disk.seek_s = 0.008;
        StopAfter progress;
        run_probes(disk, &disk, {12s, seed}, progress);
        return std::pair{disk.read_at, disk.written_at};
    };
    EXPECT_EQ(places(7), places(7));
    EXPECT_NE(places(7).first, places(8).first);
    EXPECT_NE(places(7).second, places(8).second);
}

}  // namespace
}  // namespace diskwright
