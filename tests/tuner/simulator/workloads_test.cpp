// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tuner/simulator/file_operations.hpp"
#include "tuner/simulator/page_cache.hpp"
#include "tuner/simulator/simulated_array.hpp"
#include "tuner/simulator/simulation_run.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Kind = FileOperation::Kind;

MachineConfiguration::Work wanted(const char* name, const char* amount, double value) {
    MachineConfiguration::Work work;
    work.name = name;
    work.amounts.emplace(amount, value);
    return work;
}

struct Sums {
    std::map<Kind, std::uint64_t> count, bytes;
};

Sums sums(const std::vector<FileOperation>& list) {
    Sums of;
    for (const FileOperation& operation : list) {
        ++of.count[operation.kind];
        of.bytes[operation.kind] += operation.bytes;
    }
    return of;
}

// What there is of each kind in the measured part, or in one round.
TEST(Workloads, AskForSoMuch) {
    struct Row {
        const char *name, *amount;
        double value;
        Kind kind;
        std::uint64_t count, bytes;
    };
    const Row rows[] = {{"svnupdate", "dirs", 100, Kind::create, 100, 0},
                        {"svnupdate", "dirs", 100, Kind::unlink, 100, 0},
                        {"svnupdate", "dirs", 100, Kind::read, 100, 200000},
                        {"svnupdate", "dirs", 100, Kind::make_directory, 0, 0},
                        {"svnupdate", "dirs", 100, Kind::fsync, 0, 0},
                        {"untar", "files", 200, Kind::create, 200, 0},
                        {"untar", "files", 200, Kind::make_directory, 12, 0},
                        {"untar", "files", 200, Kind::calls, 200, 600},
                        {"build", "jobs", 40, Kind::create, 82, 0},
                        {"build", "jobs", 40, Kind::unlink, 40, 0},
                        {"build", "jobs", 40, Kind::rename, 2, 0},
                        {"build", "jobs", 40, Kind::process, 122, 0},
                        {"mail", "seconds", 1, Kind::create, 1, 0},
                        {"mail", "seconds", 1, Kind::fsync, 1, 0},
                        {"mail", "seconds", 1, Kind::rename, 2, 0},
                        {"mail", "seconds", 1, Kind::unlink, 1, 0},
                        {"database", "seconds", 1, Kind::read, 4, 32768},
                        {"database", "seconds", 1, Kind::write, 3, 24576},
                        {"database", "seconds", 1, Kind::fsync, 1, 0}};
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.name) + " kind " + std::to_string(int(row.kind)));
        const auto work = file_work(wanted(row.name, row.amount, row.value));
        ASSERT_TRUE(work) << work.error().message;
        Sums of = sums(work->round ? work->round() : work->measured);
        EXPECT_EQ(of.count[row.kind], row.count);
        EXPECT_EQ(of.bytes[row.kind], row.bytes);
    }
}

// Objects are numbered in the order in which they are made, and used from then on until they are unlinked.
TEST(Workloads, UseWhatIsThere) {
    const std::array<std::pair<const char*, const char*>, 7> rows{{{"svnupdate", "dirs"},
                                                                   {"tree", "files"},
                                                                   {"untar", "files"},
                                                                   {"build", "jobs"},
                                                                   {"touchrm", "dirs"},
                                                                   {"mail", "seconds"},
                                                                   {"database", "seconds"}}};
    for (const auto& [name, amount] : rows) {
        SCOPED_TRACE(name);
        const auto work = file_work(wanted(name, amount, 57));
        ASSERT_TRUE(work);
        std::vector<FileOperation> all = work->before;
        all.insert(all.end(), work->measured.begin(), work->measured.end());
        for (int round = 0; work->round && round < 200; ++round)
            for (const FileOperation& operation : work->round()) all.push_back(operation);
        std::vector<bool> there{true};
        for (const FileOperation& of : all) {
            if (of.kind == Kind::make_directory || of.kind == Kind::create) {
                ASSERT_EQ(of.object, there.size());
                ASSERT_LT(of.parent, there.size());
                there.push_back(true);
            } else if (of.object != 0) {
                ASSERT_LT(of.object, there.size());
                ASSERT_TRUE(there[of.object]);
            }
            if (of.kind == Kind::unlink) there[of.object] = false;
        }
    }
}

Json server(const char* type, const char* journal, const Json& work) {
    return {{"os", {{"name", "netbsd"}, {"release", "7.99"}}},
            {"disks", {{{"model", "sata-7200-1t"}, {"count", 1}}}},
            {"filesystem", {{"type", type}, {"journal", journal}, {"size_bytes", 20'000'000'000}}},
            {"host", {{"ram_bytes", 1073741824}, {"syscall_s", 20e-6}, {"operation_s", 0.001}}},
            {"workload", work}};
}

Result<SimulationResult> run(const Json& json) {
    const auto machine = configuration_from_json(Json::parse(json.dump()), "test");
    if (!machine) return machine.error();
    const auto volume = make_array(*machine);
    if (!volume) return volume.error();
    return run_simulation(*machine, *volume->array);
}

TEST(Workloads, RunToTheEndOnEachFileSystem) {
    const Json works[] = {{{"name", "svnupdate"}, {"dirs", 60}},
                          {{"name", "untar"}, {"files", 120}},
                          {{"name", "build"}, {"jobs", 40}},
                          {{"name", "mail"}, {"seconds", 2}},
                          {{"name", "database"}, {"seconds", 2}, {"bytes", 67108864}}};
    for (const char* type : {"ffs1", "ffs2"})
        for (const char* journal : {"none", "wapbl", "async"})
            for (const Json& work : works) {
                SCOPED_TRACE(std::string(type) + " " + journal + " " + work["name"].get<std::string>());
                const auto result = run(server(type, journal, work));
                ASSERT_TRUE(result) << result.error().message;
                EXPECT_GE(result->settled_s, result->command_s);
                EXPECT_GT(result->command_s, 0);
                if (!work.contains("seconds")) {
                    EXPECT_FALSE(result->transactions);
                    continue;
                }
                EXPECT_GE(result->command_s, 2);
                EXPECT_LT(result->command_s, 4);
                EXPECT_GT(result->transactions.value_or(0), 10U);
            }
}

// A file that fits into memory is read once; one that does not, again and again.
TEST(Workloads, ADatabaseInMemoryIsFaster) {
    const auto rate = [](std::uint64_t bytes) {
        const auto result =
            run(server("ffs2", "async", {{"name", "database"}, {"seconds", 20}, {"bytes", bytes}}));
        return result ? double(*result->transactions) / result->command_s : 0;
    };
    EXPECT_GT(rate(16 << 20), 1.5 * rate(std::uint64_t{8} << 30));
}

TEST(PageCache, KeepsWhatWasUsedLast) {
    PageCache cache(4 * 65536);
    cache.add(1, 0, 100'000);
    EXPECT_TRUE(cache.contains(1, 0, 100'000));
    EXPECT_TRUE(cache.contains(1, 99'000, 102'400));  // the rest of the page
    EXPECT_FALSE(cache.contains(1, 99'000, 102'401));
    EXPECT_FALSE(cache.contains(2, 0, 1));
    cache.add(2, 0, 2 * 65536);
    EXPECT_TRUE(cache.contains(1, 0, 65536));
    cache.add(3, 0, 65536);  // the second half of 1 is the oldest
    EXPECT_TRUE(cache.contains(1, 0, 65536));
    EXPECT_FALSE(cache.contains(1, 65536, 100'000));
    cache.drop(1, 100'000);
    EXPECT_FALSE(cache.contains(1, 0, 1));
    EXPECT_TRUE(cache.contains(3, 0, 65536));
    cache.forget();
    EXPECT_FALSE(cache.contains(3, 0, 1));
}

}  // namespace
}  // namespace diskwright
