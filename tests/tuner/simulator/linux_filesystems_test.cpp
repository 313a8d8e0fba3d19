// SPDX-License-Identifier: BSD-2-Clause
// The models of Linux's file systems: what holds of any of them, and beside requests that Linux itself asked
// of a drive (tests/data/simulator/linux_io_counts.json).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/ext4_geometry.hpp"
#include "tuner/simulator/file_system_model.hpp"
#include "tuner/simulator/free_blocks.hpp"
#include "tuner/simulator/metadata_pages.hpp"
#include "tuner/simulator/simulated_array.hpp"
#include "tuner/simulator/simulation_run.hpp"
#include "tuner/simulator/xfs_geometry.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t gib = std::uint64_t{1} << 30;

Json server(const std::string& type, const std::string& workload, const std::string& amount,
            std::uint64_t value) {
    return {{"os", {{"name", "linux"}}},
            {"disks", {{{"model", "sata-7200-1t"}}}},
            {"filesystem", {{"type", type}, {"size_bytes", 16 * gib}}},
            {"host", {{"ram_bytes", 4 * gib}, {"syscall_s", 20e-6}, {"operation_s", 0.001}}},
            {"workload", {{"name", workload}, {amount, value}}}};
}

Result<SimulationResult> run(const Json& json, std::uint64_t* component_reads = nullptr) {
    const auto machine = configuration_from_json(Json::parse(json.dump()), "test");
    if (!machine) return machine.error();
    const auto volume = make_array(*machine);
    if (!volume) return volume.error();
    const auto result = run_simulation(*machine, *volume->array);
    if (component_reads) {
        *component_reads = 0;
        for (std::size_t i = 0; i < volume->array->components(); ++i)
            *component_reads += volume->array->component_counters(i).reads;
    }
    return result;
}

TEST(LinuxFilesystems, AJournalCostsWritesAndFlushes) {
    for (const char* workload : {"mkdir", "touch", "rm"}) {
        SCOPED_TRACE(workload);
        Json without = server("ext4", workload, "dirs", 1000), with = without, data = without;
        without["filesystem"]["journal"] = "none";
        data["filesystem"]["journal"] = "journal";
        const auto none = run(without), ordered = run(with), all = run(data);
        ASSERT_TRUE(none && ordered && all);
        EXPECT_LT(none->volume.writes, ordered->volume.writes);
        EXPECT_LT(none->volume.blocks_written, ordered->volume.blocks_written);
        EXPECT_LT(none->volume.flushes, ordered->volume.flushes);
        EXPECT_LE(ordered->volume.blocks_written, all->volume.blocks_written);
        EXPECT_EQ(none->commits, 0U);
        EXPECT_GT(ordered->commits, 0U);
    }
}

TEST(LinuxFilesystems, DataInTheJournalIsWrittenTwice) {
    Json ordered = server("ext4", "seqwrite", "bytes", 256 << 20), twice = ordered;
    twice["filesystem"]["journal"] = "journal";
    const auto once = run(ordered), both = run(twice);
    ASSERT_TRUE(once && both);
    EXPECT_GT(both->volume.blocks_written, once->volume.blocks_written * 19 / 10);
    EXPECT_GT(both->settled_s, once->settled_s);
}

// A file system by itself on one drive.
struct Mounted {
    explicit Mounted(Json json) : machine(*configuration_from_json(Json::parse(json.dump()), "test")) {
        volume = std::move(make_array(machine)->array);
        io = std::make_unique<VirtualIo>(*volume, 0, true);
        FileSystemPlace place{machine};
        place.size_bytes = *machine.filesystem->size_bytes;
        place.ram_bytes = *machine.host.ram_bytes;
        place.assumed = &assumed;
        fs = std::move(*file_system_maker(machine.filesystem->type)(place, *io));
    }
    MachineConfiguration machine;
    std::unique_ptr<SimulatedArray> volume;
    std::unique_ptr<VirtualIo> io;
    std::vector<std::string> assumed;
    std::unique_ptr<FileSystemModel> fs;
};

TEST(LinuxFilesystems, EachSyncOfAFileFlushesTheDriveOnceAtLeast) {
    for (const char* type : {"ext2", "ext3", "ext4", "xfs"}) {
        SCOPED_TRACE(type);
        Mounted on(server(type, "touch", "dirs", 1));
        const auto file = on.fs->create(FileSystemModel::root, 1);
        for (int i = 0; i < 20; ++i) {
            const auto before = on.volume->counters();
            on.fs->append(file, 4096);
            on.fs->fsync(file);
            EXPECT_EQ(on.fs->dirty_data_bytes(), 0U);
            EXPECT_GT(on.volume->counters().flushes, before.flushes);
            EXPECT_GE(on.volume->counters().writes, before.writes + 1);
        }
        EXPECT_FALSE(on.fs->failure());
    }
}

TEST(LinuxFilesystems, ADriveWithoutAWriteCacheIsNeverFlushed) {
    for (const char* type : {"ext2", "ext4", "xfs"}) {
        Json json = server(type, "touchrm", "dirs", 100);
        json["disks"][0]["model"] = {{"size_bytes", 32 * gib}, {"rpm", 7200}, {"write_cache", "off"}};
        const auto result = run(json);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->volume.flushes, 0U) << type;
    }
}

// data=ordered: every write of the file ends before the commit block is written.
TEST(LinuxFilesystems, DataGoesBeforeTheCommit) {
    Mounted on(server("ext4", "touch", "dirs", 1));
    const auto file = on.fs->create(FileSystemModel::root, 1);
    on.fs->append(file, 8 << 20);
    on.fs->sync();
    double data_done = 0, commit_begun = 0;
    for (const IoRecord& each : on.io->records()) {
        if (each.purpose == IoPurpose::data) data_done = std::max(data_done, each.done_s);
        if (each.purpose == IoPurpose::commit) commit_begun = each.arrival_s;
    }
    EXPECT_GT(data_done, 0);
    EXPECT_GE(commit_begun, data_done);
}

TEST(LinuxFilesystems, WhatIsOverwrittenOrReadInMemoryAsksForNothing) {
    for (const char* type : {"ext3", "ext4", "xfs"}) {
        SCOPED_TRACE(type);
        Mounted on(server(type, "touch", "dirs", 1));
        const auto file = on.fs->create(FileSystemModel::root, 1);
        on.fs->append(file, 1 << 20);
        on.fs->sync();
        const auto written = on.fs->data_bytes_written();
        on.fs->write(file, 8192, 4096);
        EXPECT_EQ(on.fs->dirty_data_bytes(), 4096U);
        on.fs->write(file, 8192, 4096);
        on.fs->sync();
        EXPECT_EQ(on.fs->data_bytes_written(), written + 4096);
        const auto reads = on.volume->counters().reads;
        on.fs->read(file, 0, 1 << 20);
        EXPECT_EQ(on.volume->counters().reads, reads);
        on.fs->remount();
        on.fs->write(file, 4096 + 512, 512);  // its block is read first
        on.fs->read(file, 0, 65536);
        EXPECT_GT(on.volume->counters().reads, reads);
        EXPECT_EQ(on.fs->size(file), 1U << 20);
    }
}

// Read-ahead goes on from a read elsewhere, not from the start of the file.
TEST(LinuxFilesystems, AReadThatGoesOnFromOneElsewhereReadsWhatLiesAheadAlone) {
    for (const char* type : {"ext4", "xfs"}) {
        SCOPED_TRACE(type);
        Mounted on(server(type, "touch", "dirs", 1));
        const auto file = on.fs->create(FileSystemModel::root, 1);
        on.fs->append(file, 64 << 20);
        on.fs->remount();
        const auto before = on.volume->counters();
        on.fs->read(file, 40 << 20, 8192);
        on.fs->read(file, (40 << 20) + 8192, 8192);
        on.io->wait_for_all();
        EXPECT_LT((on.volume->counters() - before).blocks_read * 512, 1U << 20);
    }
}

// A file that was synced and changed again is not older than one that waits since before.
TEST(LinuxFilesystems, EachFileIsWrittenWhenItsOwnDataIsOldEnough) {
    for (const char* type : {"ext4", "xfs"}) {
        SCOPED_TRACE(type);
        Mounted on(server(type, "touch", "dirs", 1));
        const auto synced = on.fs->create(FileSystemModel::root, 1),
                   waits = on.fs->create(FileSystemModel::root, 2);
        on.fs->append(synced, 4096);
        on.fs->append(waits, 8192);
        on.fs->fsync(synced);
        on.io->spend(20);
        on.fs->append(synced, 4096);
        on.io->spend(20);
        on.fs->background();
        EXPECT_EQ(on.fs->dirty_data_bytes(), 4096U);
    }
}

// The system's own work goes on in a process' sleep, whatever it waits for itself.
TEST(LinuxFilesystems, AProcessCanSleepWhileAJournalIsWritten) {
    using Kind = FileOperation::Kind;
    for (const char* type : {"ext2", "ext3", "ext4", "xfs"}) {
        SCOPED_TRACE(type);
        const auto machine =
            configuration_from_json(Json::parse(server(type, "touch", "dirs", 1).dump()), "test");
        const auto volume = make_array(*machine);
        FileWork work;
        work.measured = {{Kind::create, 1, 0, 1, 0, 0},
                         {Kind::append, 1, 0, 0, 1 << 20, 65536},
                         {Kind::sleep, 0, 0, 0, 60'000, 0}};
        SimulationOptions options;
        options.work = std::make_shared<const FileWork>(work);
        const auto result = run_simulation(*machine, *volume->array, options);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_NEAR(result->command_s, 60, 0.1);
        EXPECT_EQ(result->file_bytes_written, 1U << 20);
    }
}

// A block that is given up and used again within one transaction is written for what it is then.
TEST(LinuxFilesystems, APageThatIsMadeAnewWhileAJournalHoldsItIsWritten) {
    Mounted on(server("ext4", "touch", "dirs", 1));
    MetadataPages pages(*on.io);
    constexpr std::uint64_t page = 1 << 20;
    for (const bool anew : {false, true}) {
        pages.make(page, 4096, IoPurpose::inode);
        pages.hold(page);
        pages.drop(page);
        EXPECT_FALSE(pages.has(page));
        if (anew) pages.make(page, 4096, IoPurpose::directory);
        pages.let_go(page);
        EXPECT_EQ(pages.has(page), anew);
        EXPECT_EQ(pages.write_dirty().size(), anew ? 1U : 0U);
    }
}

TEST(LinuxFilesystems, RenameChangesBothDirectoriesAndUnlinkGivesTheSpaceBack) {
    for (const char* type : {"ext2", "ext4", "xfs"}) {
        SCOPED_TRACE(type);
        Json json = server(type, "touch", "dirs", 1);
        json["filesystem"]["size_bytes"] = gib;
        Mounted on(json);
        const auto from = on.fs->make_directory(FileSystemModel::root, 1),
                   to = on.fs->make_directory(FileSystemModel::root, 2);
        for (int i = 0; i < 20; ++i) {  // three times as much as the file system holds
            const auto file = on.fs->create(from, 3);
            on.fs->append(file, 150 << 20);
            on.fs->rename(file, to, 4);
            on.fs->sync();
            on.fs->unlink(file);
            on.fs->sync();
            ASSERT_FALSE(on.fs->failure()) << *on.fs->failure() << " " << i;
        }
        const auto file = on.fs->create(from, 3);
        on.fs->append(file, 2 * gib);
        on.fs->sync();
        EXPECT_TRUE(on.fs->failure());
    }
}

Json raid5(std::uint64_t start) {
    Json json = server("ext4", "seqwrite", "bytes", 64 << 20);
    json["disks"] = {{{"model", "sata-7200-1t"}, {"count", 5}}};
    json["volume"] = {{"kind", "md"}, {"level", "5"}, {"stripe_unit_bytes", 65536}};
    json["partition_start_bytes"] = start;
    return json;
}

TEST(LinuxFilesystems, AStripeThatIsAlignedNeverReadsMore) {
    constexpr std::uint64_t stripe = 4 * 65536;
    for (const char* type : {"ext4", "xfs"}) {
        Json json = raid5(stripe);
        json["filesystem"]["type"] = type;
        std::uint64_t aligned = 0;
        ASSERT_TRUE(run(json, &aligned));
        // xfs begins files with a stripe unit, not with a stripe: a whole unit off is no worse to it.
        for (const std::uint64_t off : {std::uint64_t{63} * 512, std::uint64_t{4096}, std::uint64_t{32768}}) {
            json["partition_start_bytes"] = stripe + off;
            std::uint64_t reads = 0;
            ASSERT_TRUE(run(json, &reads));
            // A start on a unit of the stripe leaves its mark on few of the writes.
            const std::uint64_t same = off % 65536 == 0 ? reads / 50 : 0;
            EXPECT_LE(aligned, reads + same) << type << " " << off;
        }
    }
}

TEST(LinuxFilesystems, GeometryIsThatOfMkfs) {
    // mke2fs 1.47.0 and mkfs.xfs 6.1.0 of an image of 16 GiB (dumpe2fs; mkfs.xfs' own words).
    Ext4Options options;
    options.size_bytes = 16 * gib;
    const auto fs = ext4_geometry(options);
    ASSERT_TRUE(fs);
    EXPECT_EQ(fs->blocks, 4194304U);
    EXPECT_EQ(fs->groups, 128U);
    EXPECT_EQ(fs->inodes_per_group, 8192U);
    EXPECT_EQ(fs->table_blocks, 512U);
    EXPECT_EQ(fs->descriptor_blocks, 2U);
    EXPECT_EQ(fs->reserved_descriptor_blocks, 1024U);
    EXPECT_EQ(fs->block_bitmap(0), 1027U);
    EXPECT_EQ(fs->inode_bitmap(0), 1043U);
    EXPECT_EQ(fs->inode_table(0), 1059U);
    EXPECT_EQ(fs->block_bitmap(1), 1028U);
    EXPECT_EQ(fs->inode_table(3), 2595U);
    EXPECT_EQ(fs->journal_blocks(), 32768U);
    EXPECT_EQ(fs->journal.front().place, 17039360U / 8);  // of the requests of its commits
    XfsOptions other;
    other.size_bytes = 16 * gib;
    const auto xfs = xfs_geometry(other);
    ASSERT_TRUE(xfs);
    EXPECT_EQ(xfs->groups, 4U);
    EXPECT_EQ(xfs->group_blocks, 1048576U);
    EXPECT_EQ(xfs->log_bytes, 16384U * 4096);
    EXPECT_EQ(xfs->group_of(xfs->log_block), 2U);
    other.unit_bytes = 65536;
    other.width_bytes = 4 * 65536;
    EXPECT_EQ(xfs_geometry(other)->group_blocks, 262144U - 16);
    EXPECT_EQ(xfs_geometry(other)->groups, 16U);  // the 1 MiB that is left is none
    EXPECT_EQ(xfs_geometry(other)->log_unit_bytes, 65536U);
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 20, std::uint64_t{1} << 60}) {
        options.size_bytes = other.size_bytes = bytes;
        EXPECT_FALSE(ext4_geometry(options)) << bytes;
        EXPECT_FALSE(xfs_geometry(other)) << bytes;
    }
}

TEST(LinuxFilesystems, SaysWhatContradictsItself) {
    const struct {
        const char *type, *key;
        Json value;
        const char* message;
    } rows[] = {
        {"ext4", "journal", "wapbl", "filesystem.journal"},
        {"ext3", "journal", "none", "filesystem.journal"},
        {"ext2", "journal", "ordered", "filesystem.journal"},
        {"xfs", "journal", "none", "filesystem.journal"},
        {"ffs2", "journal", "ordered", "filesystem.journal"},
        {"ext4", "fsize", 1024, "filesystem.fsize"},
        {"ext4", "bsize", 16384, "filesystem.bsize"},
        {"xfs", "size_bytes", 1048576, "filesystem.size_bytes"},
        {"ext4", "size_bytes", 1048576, "filesystem.size_bytes"},
    };
    for (const auto& row : rows) {
        Json json = server(row.type, "touch", "dirs", 10);
        json["filesystem"][row.key] = row.value;
        const auto result = run(json);
        ASSERT_FALSE(result) << row.type << " " << row.key;
        EXPECT_EQ(result.error().kind, ErrorKind::bad_data) << result.error().message;
        EXPECT_NE(result.error().message.find(row.message), std::string::npos) << result.error().message;
    }
    Json elsewhere = server("ext4", "touch", "dirs", 10);
    elsewhere["os"]["name"] = "netbsd";
    EXPECT_EQ(run(elsewhere).error().kind, ErrorKind::bad_data);
    Json tunable = server("ext4", "touch", "dirs", 10);
    tunable["sysctls"]["vm.dirty_expire_centisecs"] = "soon";
    EXPECT_EQ(run(tunable).error().kind, ErrorKind::bad_data);
}

TEST(LinuxFilesystems, TakesTheFirstPlaceThatIsLongEnough) {
    FreeBlocks free;
    free.give(10, 5);
    free.give(100, 50);
    EXPECT_EQ(free.take(0, 8)->place, 100U);
    EXPECT_EQ(free.take(0, 8, 16)->place, 112U);
    EXPECT_EQ(free.take(120, 5)->place, 120U);
    EXPECT_EQ(free.take(140, 5)->place, 140U);
    EXPECT_EQ(free.take(0, 100)->blocks, 15U);  // the longest there is
    while (free.take(0, 1)) {
    }
    EXPECT_EQ(free.blocks(), 0U);
}

// Rows that the models have to meet; the benchmark prints all.
TEST(LinuxFilesystems, AskForWhatLinuxAsksFor) {
    const Json table = Json::parse(test::read_file(test::data_folder() / "simulator/linux_io_counts.json"));
    unsigned rows = 0, writes = 0, bytes = 0, flushes = 0;
    for (const Json& row : table["rows"]) {
        const std::string phase = row["phase"], type = row["filesystem"];
        if (phase != "mkdir" && phase != "touch" && phase != "rm") continue;
        Json json = server(type, phase, "dirs", 3000);
        if (row.contains("journal")) json["filesystem"]["journal"] = row["journal"];
        json["host"]["ram_bytes"] = table["hardware"]["ram_bytes"];
        json["host"]["operation_s"] = row["command_s"].get<double>() / 3000;
        const auto result = run(json);
        ASSERT_TRUE(result) << result.error().message;
        const Json& of = row["settled"];
        const auto near = [](double is, double was) { return std::abs(is - was) <= 0.3 * was; };
        ++rows;
        writes += near(double(result->volume.writes), of["writes"]);
        bytes += near(double(result->volume.blocks_written) * 512, of["write_bytes"]);
        flushes += std::abs(double(result->volume.flushes) - of["flushes"].get<double>()) <= 3;
    }
    EXPECT_EQ(rows, 21U);
    EXPECT_GE(writes, rows - 2);
    EXPECT_GE(bytes, rows - 1);
    EXPECT_EQ(flushes, rows);
}

}  // namespace
}  // namespace diskwright
