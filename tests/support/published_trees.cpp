// SPDX-License-Identifier: BSD-2-Clause
// Source trees unpacked and removed.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/support/published.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Kind = FileOperation::Kind;

// No disk is named: ATA disks of that time. Only without a write cache do synchronous writes cost what the
// tables of 2008 say.
Json ata_disk(const char* write_cache) {
    return {{"size_bytes", 500'000'000'000}, {"rpm", 7200},
            {"seek_min_s", 0.0008},          {"seek_max_s", 0.0155},
            {"transfer_bytes_per_s", 80e6},  {"interface_bytes_per_s", 300e6},
            {"command_s", 0.0006},           {"cache_bytes", 16777216},
            {"write_cache", write_cache},    {"queue_depth", 1}};
}

constexpr const char* ata =
    "ATA disks of 7200 rpm, 80 MB/s, write cache on, one command at a time of 0.6 ms; the archives are read "
    "from "
    "elsewhere; the partition begins at sector 63, as labels had it (a block of 16 KiB that lies within one "
    "unit of SpSU 32 would not be slower than within one of SpSU 64)";
constexpr const char* uncached =
    "an ATA disk of 7200 rpm, 80 MB/s, write cache off, one command at a time of 0.6 ms; the archives are "
    "read "
    "from elsewhere and take no processor; unmounting included";

Json server(const char* release, const Json& filesystem, std::uint64_t ram_bytes, std::uint64_t disks,
            const Json& disk) {
    return {{"os", {{"name", "netbsd"}, {"release", release}}},
            {"disks", {{{"model", disk}, {"count", disks}}}},
            {"filesystem", filesystem},
            {"host", {{"ram_bytes", ram_bytes}, {"syscall_s", 20e-6}, {"operation_s", 0}}},
            {"workload", {{"name", "tree"}}}};
}

FileWork unpack(std::uint64_t files) {
    MachineConfiguration::Work work;
    work.name = "tree";
    work.amounts["files"] = double(files);
    return *file_work(work);
}

// What unpack made, removed in the order in which it was made, nothing of it in memory.
FileWork remove(std::uint64_t files) {
    FileWork work = unpack(files);
    std::vector<FileOperation> removals;
    for (const FileOperation& operation : work.measured)
        if (operation.kind == Kind::create) removals.push_back({Kind::unlink, operation.object, 0, 0, 0, 0});
    work.before.insert(work.before.end(), work.measured.begin(), work.measured.end());
    work.before.push_back({Kind::remount, 0, 0, 0, 0, 0});
    work.measured = std::move(removals);
    return work;
}

FileWork unmounted(FileWork work) {
    work.measured.push_back({Kind::remount, 0, 0, 0, 0, 0});
    return work;
}

// Until it is unmounted.
std::function<Result<double>()> whole_time(Json server, FileWork work) {
    return [server = std::move(server),
            work = std::make_shared<const FileWork>(unmounted(std::move(work)))]() -> Result<double> {
        const auto result = run_published(server, work);
        if (!result) return result.error();
        return result->command_s;
    };
}

Json filesystem(const char* type, std::uint64_t bsize, std::uint64_t fsize, const std::string& journal) {
    return {{"type", type},
            {"bsize", bsize},
            {"fsize", fsize},
            {"journal", journal},
            {"size_bytes", 40'000'000'000}};
}

PublishedTable first_journal(const std::string& folder, std::uint64_t files) {
    PublishedTable table;
    table.title = "NetBSD-current, July 2008: a source tree unpacked with a log and without";
    table.unit = fmt::format("s; simulated: {} files", files);
    table.assumed = fmt::format("FFSv2 16k/2k, {}", uncached);
    table.bar.order = true;
    table.bar.relative = {1, 1.5};
    for (const Json& figures : published_figures(folder, "netbsd_wapbl_first_zhadum_2008")) {
        const std::string mode = figures["mode"];
        const double measured = figures["seconds"];
        const Json machine =
            server("5.0", filesystem("ffs2", 16384, 2048, mode == "wapbl" ? "wapbl" : "none"), 1U << 30, 1,
                   ata_disk("off"));
        table.rows.push_back({mode, "", measured, measured, whole_time(machine, unpack(files))});
    }
    return table;
}

PublishedTable journals(const std::string& folder, const std::string& phase, std::uint64_t files) {
    PublishedTable table;
    table.title = "NetBSD-current, August 2008: ten source trees, " +
                  std::string(phase == "tar" ? "unpacked" : "removed");
    table.unit = fmt::format("s; simulated: {} files", files);
    table.assumed = fmt::format(
        "FFSv2 16k/2k; memory of 64 MiB, less than the files as there; sync: the synchronous metadata of a "
        "plain mount; {}",
        uncached);
    table.bar.order = true;
    for (const Json& figures : published_figures(folder, "netbsd_wapbl_vs_softdep_zhadum_2008")) {
        if (figures["phase"] != phase) continue;
        const std::string mode = figures["mode"];
        const double measured = figures["seconds"];
        const Json machine = server("5.0", filesystem("ffs2", 16384, 2048, mode == "sync" ? "none" : mode),
                                    64U << 20, 1, ata_disk("off"));
        table.rows.push_back({mode, "", measured, measured,
                              whole_time(machine, phase == "tar" ? unpack(files) : remove(files))});
    }
    table.bar.relative = {table.rows.size() - 1, 1.5};
    return table;
}

}  // namespace

PublishedTables raid1_grid_tables(const std::string& folder, std::uint64_t files) {
    PublishedTable table;
    table.title = "NetBSD 4.0: RAIDframe RAID 1, FFSv1 without soft updates, the source archives unpacked";
    table.unit = fmt::format("s; simulated: {} files", files);
    table.assumed = ata;
    table.bar.rank = 0.8;
    table.bar.best_among = 3;
    for (const Json& figures : published_figures(folder, "netbsd_raid1_ffs_block_frag_spsu_zhadum")) {
        const std::uint64_t block = figures["block_kb"], frag = figures["frag_kb"],
                            unit = figures["sect_per_su"];
        const double measured = figures["extract_s"];
        Json machine =
            server("4.0", filesystem("ffs1", block * 1024, frag * 1024, "none"), 1U << 30, 2, ata_disk("on"));
        machine["volume"] = {{"kind", "raidframe"}, {"level", "1"}, {"stripe_unit_bytes", unit * 512}};
        machine["partition_start_bytes"] = 63 * 512;
        table.rows.push_back({fmt::format("{}k/{}k, SpSU {}", block, frag, unit), "", measured, measured,
                              whole_time(machine, unpack(files))});
    }
    return {table};
}

PublishedTables journal_tables(const std::string& folder, std::uint64_t files) {
    return {first_journal(folder, files), journals(folder, "tar", files), journals(folder, "rm", files)};
}

}  // namespace diskwright
