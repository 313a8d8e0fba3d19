// SPDX-License-Identifier: BSD-2-Clause
// Order between changes, by hand; and what soft updates, their journal and synchronous mounts cost beside the
// other kinds, on the FFS of each system.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tuner/simulator/ffs_systems.hpp"
#include "tuner/simulator/file_operations.hpp"
#include "tuner/simulator/simulated_array.hpp"
#include "tuner/simulator/simulation_run.hpp"
#include "tuner/simulator/softdep_journal.hpp"
#include "tuner/simulator/softdep_model.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Kind = FileOperation::Kind;

Json disk(const char* write_cache) {
    return Json::parse(R"({"size_bytes": 68719476736, "rpm": 7200, "seek_min_s": 0.0008, "seek_max_s": 0.0155,
        "settle_write_s": 0.0003, "transfer_bytes_per_s": 80e6, "interface_bytes_per_s": 300e6,
        "command_s": 0.0001, "cache_bytes": 16777216, "read_ahead_bytes": 524288, "queue_depth": 32,
        "write_cache": ")" +
                       std::string(write_cache) + R"("})");
}

struct System {
    const char *name, *release;
};

Json server(const System& system, const std::string& journal, const char* workload, const char* amount,
            std::uint64_t value) {
    return {{"os", {{"name", system.name}, {"release", system.release}}},
            {"disks", {{{"model", disk("off")}}}},
            {"filesystem", {{"type", "ffs2"}, {"journal", journal}}},
            {"host", {{"ram_bytes", std::uint64_t{4} << 30}, {"syscall_s", 20e-6}, {"operation_s", 0}}},
            {"workload", {{"name", workload}, {amount, value}}}};
}

Result<SimulationResult> run(const Json& json, const std::shared_ptr<const FileWork>& work = {}) {
    const auto machine = configuration_from_json(Json::parse(json.dump()), "test");
    if (!machine) return machine.error();
    const auto volume = make_array(*machine);
    if (!volume) return volume.error();
    SimulationOptions options;
    options.records = true;
    options.work = work;
    return run_simulation(*machine, *volume->array, options);
}

std::uint64_t waited_writes(const SimulationResult& result) {
    return static_cast<std::uint64_t>(std::count_if(
        result.requests.begin(), result.requests.end(),
        [](const IoRecord& record) { return record.waited && record.operation == DriveOperation::write; }));
}

constexpr System systems[] = {{"netbsd", "5.1"}, {"freebsd", "9.1"}, {"openbsd", "7.3"}};
constexpr const char* directory_workloads[] = {"mkdir", "touch", "rm"};

class SoftUpdatesByHand : public testing::Test {
 protected:
    SoftUpdatesByHand() {
        const auto machine = configuration_from_json(
            Json::parse(R"({"disks": [{"model": )" + disk("off").dump() + "}]}"), "test");
        volume_ = std::move(make_array(*machine)->array);
        io_ = std::make_unique<VirtualIo>(*volume_, 0, true);
        cache_ = std::make_unique<BufferCache>(*io_, std::uint64_t{1} << 30);
        updates_ = std::make_unique<SoftUpdates>(*io_, *cache_);
        for (const std::uint64_t byte : {map, inode, entry}) cache_->make(byte, 4096, IoPurpose::inode);
    }
    void write(std::uint64_t byte) {
        cache_->delay(byte);
        cache_->write(byte, false);
    }
    void settle() {
        io_->wait_for_all();
        updates_->collect();
    }
    static constexpr std::uint64_t map = 0, inode = 8192, entry = 65536;
    std::unique_ptr<SimulatedArray> volume_;
    std::unique_ptr<VirtualIo> io_;
    std::unique_ptr<BufferCache> cache_;
    std::unique_ptr<SoftUpdates> updates_;
};

TEST_F(SoftUpdatesByHand, ABufferWrittenTooEarlyIsDirtyAgain) {
    const auto in_map = updates_->in_buffer(map, {});
    const auto made = updates_->in_buffer(inode, {in_map});
    EXPECT_TRUE(updates_->holds_back(inode));
    write(inode);
    settle();
    EXPECT_EQ(updates_->rollbacks(), 1U);
    EXPECT_FALSE(updates_->on_disk(made));
    EXPECT_EQ(cache_->dirty_count(), 1U);
    write(map);
    settle();
    EXPECT_TRUE(updates_->on_disk(in_map));
    EXPECT_FALSE(updates_->holds_back(inode));
    cache_->write(inode, false);
    settle();
    EXPECT_TRUE(updates_->on_disk(made));
    EXPECT_EQ(cache_->dirty_count(), 0U);
    EXPECT_EQ(updates_->rollbacks(), 1U);
    EXPECT_EQ(updates_->changes(), 0U);
}

// What is under way does not count as written: two writes together are one too early.
TEST_F(SoftUpdatesByHand, AWriteUnderWayIsNotOnTheDisk) {
    updates_->in_buffer(inode, {updates_->in_buffer(map, {})});
    write(map);
    write(inode);
    settle();
    EXPECT_EQ(updates_->rollbacks(), 1U);
    EXPECT_EQ(cache_->dirty_count(), 1U);
}

TEST_F(SoftUpdatesByHand, WorkWaitsForItsChanges) {
    const auto first = updates_->in_buffer(map, {}), second = updates_->in_buffer(entry, {});
    std::vector<int> done;
    updates_->then({first, second}, [&] {
        done.push_back(1);
        updates_->then({}, [&] { done.push_back(2); });
    });
    write(map);
    settle();
    EXPECT_FALSE(updates_->work());
    write(entry);
    settle();
    EXPECT_TRUE(done.empty());
    EXPECT_TRUE(updates_->work());
    EXPECT_EQ(done, (std::vector<int>{1, 2}));
}

TEST_F(SoftUpdatesByHand, WhatWasUndoneHoldsNothingBack) {
    const auto made = updates_->in_buffer(inode, {updates_->in_buffer(map, {})});
    const auto one = updates_->in_buffer(entry, {made}), other = updates_->in_buffer(entry, {made});
    EXPECT_EQ(one, other);  // they wait for the same
    updates_->cancel(one);
    EXPECT_TRUE(updates_->holds_back(entry));
    updates_->cancel(other);
    EXPECT_FALSE(updates_->holds_back(entry));
}

TEST_F(SoftUpdatesByHand, MakesDurableWhatItDependsOnFirst) {
    const auto made = updates_->in_buffer(inode, {updates_->in_buffer(map, {})});
    const auto added = updates_->in_buffer(entry, {made});
    for (const std::uint64_t byte : {map, inode, entry}) cache_->delay(byte);
    updates_->make_durable(added, [](SoftUpdates::Change) { FAIL(); });
    EXPECT_TRUE(updates_->on_disk(added));
    std::vector<std::uint64_t> places;
    for (const IoRecord& record : io_->records()) places.push_back(record.byte);
    EXPECT_EQ(places, (std::vector<std::uint64_t>{map, inode, entry}));
    EXPECT_EQ(updates_->rollbacks(), 0U);
}

// 15 records to a sector of 512 bytes; a segment is at most a block; the journal goes round.
TEST_F(SoftUpdatesByHand, TheJournalWritesSegments) {
    constexpr std::uint64_t begin = 1 << 20, bytes = 16384;
    SoftJournal journal(*io_, *updates_, begin, bytes, 8192);
    const auto record = journal.record(16);
    journal.process();
    ASSERT_EQ(io_->records().size(), 1U);
    EXPECT_EQ(io_->records()[0].bytes, 1024U);
    settle();
    EXPECT_TRUE(updates_->on_disk(record));
    for (int i = 0; i < 480; ++i) journal.record();  // two segments of 240
    journal.flush();
    settle();
    ASSERT_EQ(io_->records().size(), 4U);
    EXPECT_EQ(io_->records()[1].bytes, 8192U);
    EXPECT_EQ(io_->records()[2].byte, begin + 1024 + 8192);
    EXPECT_EQ(io_->records()[2].bytes + io_->records()[3].bytes, 8192U);
    EXPECT_EQ(io_->records()[3].byte, begin);
}

TEST_F(SoftUpdatesByHand, ASegmentStaysUntilItsChangesAreOnTheDisk) {
    SoftJournal journal(*io_, *updates_, 1 << 20, 16384, 8192);
    for (int i = 0; i < 240; ++i) {
        const auto record = journal.record();
        const auto change = updates_->in_buffer(map, {record});
        journal.keep_until(change);
    }
    journal.flush();
    settle();
    journal.record(240);
    journal.flush();
    settle();
    EXPECT_TRUE(journal.nearly_full());
    write(map);
    settle();
    updates_->work();
    EXPECT_FALSE(journal.nearly_full());
}

TEST(SoftUpdates, WaitForNoMoreThanSynchronousMetadata) {
    for (const System& system : systems)
        for (const char* workload : directory_workloads) {
            SCOPED_TRACE(std::string(system.name) + " " + workload);
            const auto none = run(server(system, "none", workload, "dirs", 200));
            const auto soft = run(server(system, "softdep", workload, "dirs", 200));
            ASSERT_TRUE(none && soft);
            EXPECT_LE(waited_writes(*soft), waited_writes(*none) / 10);
            EXPECT_LT(soft->command_s, none->command_s / 10);
            EXPECT_LE(soft->volume.writes, none->volume.writes * 11 / 10);
        }
}

TEST(SoftUpdates, AsyncIsNoSlowerAndSynchronousDataIsNoFaster) {
    struct Row {
        const char *workload, *amount;
        std::uint64_t value;
    };
    for (const System& system : systems)
        for (const Row& row : {Row{"mkdir", "dirs", 200},
                               {"touch", "dirs", 200},
                               {"rm", "dirs", 200},
                               {"tree", "files", 400},
                               {"seqwrite", "bytes", 8 << 20}}) {
            SCOPED_TRACE(std::string(system.name) + " " + row.workload);
            const auto with = [&](const char* journal) {
                const auto result = run(server(system, journal, row.workload, row.amount, row.value));
                EXPECT_TRUE(result);
                return result ? *result : SimulationResult{};
            };
            const SimulationResult none = with("none"), sync = with("sync"), soft = with("softdep"),
                                   async = with("async");
            EXPECT_GE(sync.command_s, none.command_s * 0.99);
            EXPECT_GE(waited_writes(sync), waited_writes(none));
            EXPECT_LE(async.command_s, soft.command_s * 1.1 + 0.02);
            EXPECT_GE(sync.file_bytes_written, none.file_bytes_written);
        }
}

TEST(SoftUpdates, TheirJournalComesOnTop) {
    const System freebsd{"freebsd", "9.1"};
    for (const char* workload : {"mkdir", "touch", "rm", "touchrm"})
        for (const char* end : {"sync", "idle"}) {
            SCOPED_TRACE(std::string(workload) + " " + end);
            Json json = server(freebsd, "softdep", workload, "dirs", 500);
            json["workload"]["end"] = end;
            const auto soft = run(json);
            json["filesystem"]["journal"] = "suj";
            const auto journalled = run(json);
            ASSERT_TRUE(soft && journalled);
            EXPECT_GT(journalled->volume.writes, soft->volume.writes);
            EXPECT_GT(journalled->volume.blocks_written, soft->volume.blocks_written);
            EXPECT_GT(journalled->commits, 0U);
            EXPECT_EQ(soft->commits, 0U);
            for (const IoRecord& record : journalled->requests)
                EXPECT_NE(record.operation, DriveOperation::flush);  // debug.softdep.flushcache is 0
        }
}

// The smallest journal, 4 MiB, and directories of four records each: ".", "..", the entry and the block.
TEST(SoftUpdates, AFullJournalIsEmptiedAndGoesRound) {
    constexpr std::uint64_t directories = 36000, journal_bytes = std::uint64_t{4} << 20;
    Json json = server({"freebsd", "9.1"}, "suj", "mkdir", "dirs", directories);
    json["filesystem"]["size_bytes"] = std::uint64_t{512} << 20;
    const auto result = run(json);
    ASSERT_TRUE(result) << result.error().message;
    std::uint64_t low = UINT64_MAX, high = 0, bytes = 0;
    for (const IoRecord& record : result->requests) {
        if (record.purpose != IoPurpose::log) continue;
        low = std::min(low, record.byte);
        high = std::max(high, record.byte + record.bytes);
        bytes += record.bytes;
        EXPECT_LE(record.bytes, 32768U);
    }
    EXPECT_GE(bytes, directories * 4 * 32);
    EXPECT_GT(bytes, journal_bytes);
    EXPECT_LE(high - low, journal_bytes);
}

// A source tree unpacked on two disks of FreeBSD 9.1 with soft updates: tar returned after 112 s, and then
// the disks went on writing for 120 s (iostat; the file system was new).
TEST(SoftUpdates, TheDisksGoOnForMinutesAfterTheCommand) {
    Json json = server({"freebsd", "9.1"}, "softdep", "tree", "files", 10000);
    json["disks"] = {{{"model", "sata-7200-1t"}, {"count", 2}}};
    json["volume"] = {{"kind", "gmirror"}, {"level", "1"}};
    json["filesystem"]["bsize"] = 32768;
    json["filesystem"]["fsize"] = 4096;
    json["filesystem"]["size_bytes"] = std::uint64_t{20971520} * 512;
    json["workload"]["end"] = "idle";
    const auto soft = run(json);
    ASSERT_TRUE(soft) << soft.error().message;
    const double tail_s = soft->settled_s - soft->command_s;
    EXPECT_LT(soft->command_s, tail_s / 10);
    EXPECT_GT(tail_s, 120 / 1.5);
    EXPECT_LT(tail_s, 120 * 1.5);
    // In bursts: the syncer takes device and directories every half a minute.
    std::map<int, int> writes;
    for (const IoRecord& record : soft->requests)
        if (record.operation == DriveOperation::write) ++writes[static_cast<int>(record.arrival_s / 10)];
    EXPECT_GE(writes.size(), 3U);
    EXPECT_LE(writes.size(), 7U);
}

TEST(SoftUpdates, EachSystemHasItsDelays) {
    const auto last_change_s = [](const System& system, const char* journal) {
        Json json = server(system, journal, "touch", "dirs", 20);
        json["workload"]["end"] = "idle";
        const auto result = run(json);
        EXPECT_TRUE(result);
        return result ? result->settled_s : 0;
    };
    // The device after 10 s, directories after 15: each once. FreeBSD: maps and inodes together after 28 s,
    // directories that are passed over after 29, inodes again after 56, directories after 59.
    EXPECT_NEAR(last_change_s({"netbsd", "5.1"}, "softdep"), 16, 1.5);
    EXPECT_NEAR(last_change_s({"openbsd", "7.3"}, "softdep"), 16, 1.5);
    EXPECT_NEAR(last_change_s({"freebsd", "9.1"}, "softdep"), 60, 2);
}

// Soft updates are bounded by memory: above that the command waits.
TEST(SoftUpdates, AreBounded) {
    Json json = server({"netbsd", "5.1"}, "softdep", "touch", "dirs", 12000);
    const auto large = run(json);
    json["host"]["ram_bytes"] = std::uint64_t{64} << 20;
    const auto small = run(json);
    ASSERT_TRUE(large && small);
    EXPECT_GT(small->command_s, large->command_s * 1.5);
}

TEST(SoftUpdates, AnFsyncWaitsForTheEntryToo) {
    for (const System& system : systems) {
        SCOPED_TRACE(system.name);
        FileWork work;
        work.measured = {{Kind::make_directory, 1, 0, 5, 0, 0, 0},
                         {Kind::create, 2, 1, 5, 0, 0, 0},
                         {Kind::append, 2, 0, 0, 3000, 3000, 0},
                         {Kind::fsync, 2, 0, 0, 0, 0, 0}};
        const auto result =
            run(server(system, "softdep", "tree", "files", 1), std::make_shared<const FileWork>(work));
        ASSERT_TRUE(result) << result.error().message;
        std::map<IoPurpose, int> waited;
        for (const IoRecord& record : result->requests)
            if (record.operation == DriveOperation::write && record.done_s <= result->command_s + 1e-9)
                ++waited[record.purpose];
        EXPECT_EQ(waited[IoPurpose::data], 1);
        EXPECT_GE(waited[IoPurpose::group], 1);
        EXPECT_GE(waited[IoPurpose::inode], 1);
        EXPECT_GE(waited[IoPurpose::directory], 2);  // the new directory and the root
    }
}

TEST(SoftUpdates, ReleasesThatDoNotHaveThem) {
    struct Row {
        const char *os, *release, *journal, *message;  // without a message: accepted
    };
    const Row rows[] = {{"netbsd", "6.0", "softdep", "NetBSD 6 has no soft updates"},
                        {"netbsd", "5.2", "softdep", nullptr},
                        {"netbsd", "4.0", "wapbl", "NetBSD 4 has no log"},
                        {"netbsd", "10.0", "suj", "suj is FreeBSD's"},
                        {"netbsd", "10.0", "sync", nullptr},
                        {"freebsd", "14.0", "wapbl", "wapbl is NetBSD's"},
                        {"freebsd", "8.3", "suj", "it came with 9.0"},
                        {"freebsd", "9.0", "suj", nullptr},
                        {"freebsd", "14.0-RELEASE-p3", "softdep", nullptr},
                        {"freebsd", "fourteen", "softdep", "'fourteen' is no release"},
                        {"freebsd", "14x", "softdep", "'14x' is no release"},
                        {"openbsd", "7.3", "softdep", nullptr},
                        {"openbsd", "7.6", "wapbl", "wapbl is NetBSD's"},
                        {"openbsd", "7.6", "suj", "suj is FreeBSD's"}};
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.os) + " " + row.release + " " + row.journal);
        const auto result = run(server({row.os, row.release}, row.journal, "touch", "dirs", 5));
        ASSERT_EQ(bool(result), row.message == nullptr);
        if (result) continue;
        EXPECT_EQ(result.error().kind, ErrorKind::bad_data);
        EXPECT_NE(result.error().message.find(row.message), std::string::npos) << result.error().message;
    }
}

TEST(SoftUpdates, OpenbsdIgnoresThemSince74) {
    const auto ignored = run(server({"openbsd", "7.4"}, "softdep", "touch", "dirs", 50));
    const auto none = run(server({"openbsd", "7.4"}, "none", "touch", "dirs", 50));
    ASSERT_TRUE(ignored && none);
    EXPECT_EQ(ignored->command_s, none->command_s);
    EXPECT_TRUE(std::any_of(ignored->assumed.begin(), ignored->assumed.end(), [](const std::string& line) {
        return line.find("ignores softdep") != std::string::npos;
    }));
}

TEST(FfsSystems, SizesOfNewfs) {
    struct Row {
        Os os;
        unsigned major;
        std::optional<std::uint64_t> bsize, fsize;
        std::uint64_t wanted_bsize, wanted_fsize;
    };
    const Row rows[] = {{Os::freebsd, 14, {}, {}, 32768, 4096},    {Os::freebsd, 8, {}, {}, 16384, 2048},
                        {Os::freebsd, 14, 65536, {}, 65536, 8192}, {Os::freebsd, 14, 8192, {}, 8192, 4096},
                        {Os::freebsd, 14, {}, 2048, 16384, 2048},  {Os::freebsd, 14, {}, 8192, 32768, 8192},
                        {Os::openbsd, 7, {}, {}, 16384, 2048},     {Os::openbsd, 7, {}, 1024, 8192, 1024},
                        {Os::openbsd, 7, 32768, {}, 32768, 2048}};
    for (const Row& row : rows) {
        FfsOptions options;
        options.bsize = row.bsize;
        options.fsize = row.fsize;
        default_sizes(row.os, {row.major, 0}, options);
        EXPECT_EQ(options.bsize, row.wanted_bsize);
        EXPECT_EQ(options.fsize, row.wanted_fsize);
    }
}

// One file, written in one go: requests of MAXPHYS.
TEST(FfsSystems, TransferAsMuchAsTheirReleaseDoes) {
    struct Row {
        System system;
        std::uint32_t most;
    };
    for (const Row& row : {Row{{"netbsd", "10.0"}, 65536},
                           {{"openbsd", "7.6"}, 65536},
                           {{"freebsd", "12.4"}, 131072},
                           {{"freebsd", "13.0"}, 1 << 20}}) {
        SCOPED_TRACE(std::string(row.system.name) + " " + row.system.release);
        for (const char* workload : {"seqwrite", "seqread"}) {
            const auto result = run(server(row.system, "none", workload, "bytes", 16 << 20));
            ASSERT_TRUE(result);
            std::uint32_t most = 0;
            for (const IoRecord& record : result->requests) most = std::max(most, record.bytes);
            EXPECT_EQ(most, row.most) << workload;
        }
    }
}

// Ten source trees unpacked on NetBSD-current of August 2008, the end of it unmounting. No hardware is named:
// taken is a disk of 7200 rpm and 80 MB/s without a write cache, one command at a time, memory of 256 MiB, of
// which the files fill half, and `sync` as the synchronous metadata of a plain mount.
TEST(SoftUpdates, OrderOfTheJournalsOf2008) {
    const Json table = Json::parse(test::read_file(
        test::data_folder() / "simulator/published/netbsd_wapbl_vs_softdep_zhadum_2008.json"));
    std::map<std::string, double> measured, simulated;
    for (const Json& row : table["rows"])
        if (row["phase"] == "tar") measured[row["mode"]] = row["seconds"];
    ASSERT_EQ(measured.size(), 4U);
    for (const auto& [mode, seconds] : measured) {
        Json json = server({"netbsd", "5.0"}, mode == "sync" ? "none" : mode, "tree", "files", 20000);
        json["disks"][0]["model"] = {{"size_bytes", 500'000'000'000},
                                     {"rpm", 7200},
                                     {"seek_min_s", 0.0008},
                                     {"seek_max_s", 0.0155},
                                     {"transfer_bytes_per_s", 80e6},
                                     {"interface_bytes_per_s", 300e6},
                                     {"cache_bytes", 16777216},
                                     {"write_cache", "off"},
                                     {"queue_depth", 1}};
        json["filesystem"]["size_bytes"] = 40'000'000'000;
        json["filesystem"]["bsize"] = 16384;
        json["filesystem"]["fsize"] = 2048;
        json["host"]["ram_bytes"] = std::uint64_t{256} << 20;
        MachineConfiguration::Work work;
        work.name = "tree";
        work.amounts["files"] = 20000;
        FileWork unpacked = *file_work(work);
        unpacked.measured.push_back({Kind::remount, 0, 0, 0, 0, 0, 0});
        const auto result = run(json, std::make_shared<const FileWork>(std::move(unpacked)));
        ASSERT_TRUE(result) << result.error().message;
        simulated[mode] = result->command_s;
    }
    EXPECT_GT(simulated["sync"], 2 * simulated["softdep"]);
    EXPECT_GT(simulated["sync"], 2 * simulated["wapbl"]);
    EXPECT_GE(simulated["softdep"], simulated["async"]);
    EXPECT_GE(simulated["wapbl"], simulated["async"]);
    for (const char* mode : {"softdep", "wapbl"}) {
        const double was = measured[mode] / measured["async"], is = simulated[mode] / simulated["async"];
        EXPECT_LT(std::max(was / is, is / was), 1.5) << mode << " " << is;
    }
    const double was = measured["sync"] / measured["async"], is = simulated["sync"] / simulated["async"];
    EXPECT_LT(std::max(was / is, is / was), 2) << is;
}

}  // namespace
}  // namespace diskwright
