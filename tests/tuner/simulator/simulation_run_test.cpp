// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/simulation_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json server(const char* workload, const char* amount, std::uint64_t value, const char* journal = "none") {
    return Json::parse(R"({"os": {"name": "netbsd", "release": "7.99"},
        "disks": [{"model": {"size_bytes": 17179869184, "rpm": 7200, "seek_min_s": 0.0005, "seek_max_s": 0.016,
          "settle_write_s": 0.0003, "transfer_bytes_per_s": 150e6, "interface_bytes_per_s": 300e6, "command_s": 0.0001,
          "cache_bytes": 16777216, "read_ahead_bytes": 524288, "write_cache": "off", "queue_depth": 32}}],
        "filesystem": {"type": "ffs2", "bsize": 16384, "fsize": 2048, "journal": ")" +
                       std::string(journal) + R"("},
        "host": {"ram_bytes": 4294967296, "syscall_s": 0.00002, "operation_s": 0},
        "workload": {"name": ")" +
                       workload + R"(", ")" + amount + "\": " + std::to_string(value) + "}}");
}

Result<SimulationResult> run(const Json& json) {
    const auto machine = configuration_from_json(json, "test");
    if (!machine) return machine.error();
    const auto volume = make_array(*machine);
    if (!volume) return volume.error();
    SimulationOptions options;
    options.records = true;
    return run_simulation(*machine, *volume->array, options);
}

struct Count {
    std::size_t waited = 0, waited_bytes = 0, later = 0, later_bytes = 0, reads = 0, flushes = 0;
};

Count count(const SimulationResult& result) {
    Count of;
    for (const IoRecord& record : result.requests) {
        if (record.operation == DriveOperation::read)
            ++of.reads;
        else if (record.operation == DriveOperation::flush)
            ++of.flushes;
        else {
            (record.waited ? of.waited : of.later) += 1;
            (record.waited ? of.waited_bytes : of.later_bytes) += record.bytes;
        }
    }
    return of;
}

// What NetBSD 7.99's own code asked of one disk: writes it waited for and others, and their bytes, until
// sync(2) was done. 300 directories, a file of 16 MiB, 500 files.
TEST(SimulationRun, AsksForWhatNetbsdAsksFor) {
    struct Row {
        const char *workload, *amount;
        std::uint64_t value;
        const char* journal;
        std::size_t waited, waited_bytes, later, later_bytes;
    };
    const Row rows[] = {{"mkdir", "dirs", 300, "none", 1213, 11517952, 10, 135168},
                        {"touch", "dirs", 300, "none", 604, 5595136, 16, 233472},
                        {"rm", "dirs", 300, "none", 300, 614400, 16, 233472},
                        {"tree", "files", 500, "none", 1124, 10416128, 537, 3846144},
                        {"mkdir", "dirs", 300, "wapbl", 15, 844800, 317, 837632},
                        {"touch", "dirs", 300, "wapbl", 16, 920064, 320, 913408},
                        {"tree", "files", 500, "wapbl", 6, 264192, 526, 3551232}};
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.workload) + " " + row.journal);
        const auto result = run(server(row.workload, row.amount, row.value, row.journal));
        ASSERT_TRUE(result) << result.error().message;
        const Count of = count(*result);
        // Into which groups the directories fall is chance, and so are two or three blocks.
        const auto near = [](std::size_t is, std::size_t was, double blocks = 3) {
            return std::abs(double(is) - double(was)) <= 0.07 * double(was) + blocks;
        };
        EXPECT_TRUE(near(of.waited, row.waited)) << of.waited;
        EXPECT_TRUE(near(of.waited_bytes, row.waited_bytes, 3 * 16384)) << of.waited_bytes;
        EXPECT_TRUE(near(of.later, row.later)) << of.later;
        EXPECT_TRUE(near(of.later_bytes, row.later_bytes, 3 * 16384)) << of.later_bytes;
        EXPECT_EQ(of.flushes, row.journal == std::string("wapbl") ? 2U : 0U);
    }
}

// The inode of the parent, the new directory, its inode, the entry; then the next one, a fragment further on.
TEST(SimulationRun, WritesADirectoryInTheOrderOfUfsMkdir) {
    const auto result = run(server("mkdir", "dirs", 4));
    ASSERT_TRUE(result);
    std::vector<const IoRecord*> waited;
    for (const IoRecord& record : result->requests)
        if (record.waited && record.operation == DriveOperation::write) waited.push_back(&record);
    ASSERT_EQ(waited.size(), 20U);
    for (std::size_t i = 4; i < 20; i += 4) {
        EXPECT_EQ(waited[i]->purpose, IoPurpose::inode);
        EXPECT_EQ(waited[i + 1]->purpose, IoPurpose::directory);
        EXPECT_EQ(waited[i + 2]->purpose, IoPurpose::inode);
        EXPECT_EQ(waited[i + 3]->byte, waited[7]->byte);
        if (i > 4) {
            EXPECT_EQ(waited[i + 1]->byte, waited[i - 3]->byte + 2048);
        }
    }
}

TEST(SimulationRun, WritesTheBytesOfFiles) {
    for (const char* journal : {"none", "wapbl", "async"}) {
        SCOPED_TRACE(journal);
        const auto result = run(server("seqwrite", "bytes", 16 << 20, journal));
        ASSERT_TRUE(result);
        std::uint64_t bytes = 0;
        for (const IoRecord& record : result->requests)
            if (record.purpose == IoPurpose::data) bytes += record.bytes;
        EXPECT_EQ(bytes, 16U << 20);
        EXPECT_EQ(result->file_bytes_written, bytes);
    }
}

TEST(SimulationRun, SettlesAndSaysTheSameEachTime) {
    for (const char* end : {"sync", "idle"})
        for (const char* journal : {"none", "wapbl", "async"}) {
            SCOPED_TRACE(std::string(end) + " " + journal);
            Json json = server("touchrm", "dirs", 100, journal);
            json["workload"]["end"] = end;
            const auto first = run(json), second = run(json);
            ASSERT_TRUE(first);
            EXPECT_GE(first->settled_s, first->command_s);
            for (const IoRecord& record : first->requests) {
                EXPECT_GE(record.done_s, record.arrival_s);
                EXPECT_LE(record.done_s, first->settled_s + 1e-9);
            }
            EXPECT_EQ(first->settled_s, second->settled_s);
            EXPECT_EQ(first->requests.size(), second->requests.size());
        }
}

TEST(SimulationRun, NoiseIsOnTheClockAloneAndOfTheSpreadAskedFor) {
    Json json = server("touch", "dirs", 20);
    double sum = 0, squares = 0;
    constexpr int runs = 300;
    for (unsigned seed = 1; seed <= runs; ++seed) {
        json["seed"] = seed;
        json["noise"] = 0.0;
        const auto exact = run(json);
        json["noise"] = 0.1;
        const auto noisy = run(json);
        ASSERT_TRUE(exact && noisy);
        EXPECT_EQ(noisy->volume.writes, exact->volume.writes);
        EXPECT_GE(noisy->settled_s, noisy->command_s);
        const double factor = std::log(noisy->command_s / exact->command_s);
        sum += factor;
        squares += factor * factor;
    }
    EXPECT_NEAR(sum / runs, 0, 0.02);
    EXPECT_NEAR(std::sqrt(squares / runs), 0.1, 0.015);
}

// 64 MiB of metadata go through a journal of 1 MiB.
TEST(SimulationRun, TheJournalGoesRoundAndLiesInItsPlace) {
    Json json = server("mkdir", "dirs", 3000, "wapbl");
    json["filesystem"]["size_bytes"] = std::uint64_t{1} << 30;
    const auto result = run(json);
    ASSERT_TRUE(result) << result.error().message;
    std::uint64_t low = UINT64_MAX, high = 0, bytes = 0;
    for (const IoRecord& record : result->requests) {
        if (record.purpose != IoPurpose::log) continue;
        low = std::min(low, record.byte);
        high = std::max(high, record.byte + record.bytes);
        bytes += record.bytes;
        EXPECT_LE(record.bytes, 65536U);
    }
    EXPECT_GT(bytes, std::uint64_t{1} << 20);
    EXPECT_LE(high - low, std::uint64_t{1} << 20);
    EXPECT_GT(result->commits, 2U);
}

TEST(SimulationRun, ABlockThatStraddlesUnitsCostsMore) {
    Json json = server("touch", "dirs", 200);
    json["disks"][0]["count"] = 5;
    json["volume"] = {{"kind", "raidframe"}, {"level", "0"}, {"stripe_unit_bytes", 16384}};
    const auto writes = [&](std::uint64_t start) {
        json["partition_start_bytes"] = start;
        const auto machine = configuration_from_json(Json::parse(json.dump()), "test");
        auto volume = make_array(*machine);
        std::uint64_t before = 0, sum = 0;
        const auto total = [&] {
            std::uint64_t all = 0;
            for (std::size_t i = 0; i < volume->array->components(); ++i)
                all += volume->array->component_counters(i).writes;
            return all;
        };
        SimulationOptions options;
        options.at_start = [&] { before = total(); };
        options.at_end = [&] { sum = total() - before; };
        EXPECT_TRUE(run_simulation(*machine, *volume->array, options));
        return sum;
    };
    EXPECT_GT(writes(63 * 512), writes(0) * 5 / 4);
}

TEST(SimulationRun, SaysWhatContradictsItself) {
    for (const char* journal : {"softdep", "suj"})  // of NetBSD 7.99
        EXPECT_EQ(run(server("touch", "dirs", 10, journal)).error().kind, ErrorKind::bad_data) << journal;
    Json other = server("touch", "dirs", 10);
    other["filesystem"]["type"] = "xfs";
    EXPECT_EQ(run(other).error().kind, ErrorKind::bad_data);  // Linux's
    Json full = server("seqwrite", "bytes", std::uint64_t{80} << 20);
    full["filesystem"]["size_bytes"] = std::uint64_t{64} << 20;
    EXPECT_EQ(run(full).error().kind, ErrorKind::bad_data);
}

// Wherever it is: making what is needed, in the command, or waiting until the disk is idle.
TEST(SimulationRun, CanBeLeftAtAnyQuestion) {
    const auto machine = configuration_from_json(server("touch", "dirs", 1000), "test");
    ASSERT_TRUE(machine);
    const auto asked = [&](unsigned last, ErrorKind* kind) {
        const auto volume = make_array(*machine);
        unsigned count = 0;
        SimulationOptions options;
        options.goes_on = [&] { return ++count < last; };
        const auto result = run_simulation(*machine, *volume->array, options);
        if (kind) *kind = result ? ErrorKind::usage : result.error().kind;
        return count;
    };
    const unsigned all = asked(1'000'000, nullptr);
    ASSERT_GT(all, 5U);
    for (const unsigned last : {1U, all / 2, all - 1, all}) {
        ErrorKind kind = ErrorKind::usage;
        EXPECT_EQ(asked(last, &kind), last);
        EXPECT_EQ(kind, ErrorKind::internal) << last;
    }
}

}  // namespace
}  // namespace diskwright
