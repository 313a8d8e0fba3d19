// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "probes/support/random.hpp"
#include "tests/support/published.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Rate = std::function<Result<double>()>;

constexpr std::uint64_t block_bytes = 512;

// Of a load on a volume, in bytes a second.
Rate rate_of(const Json& server, const RawLoad& load) {
    return [server, load]() -> Result<double> {
        const auto machine = configuration_from_json(Json::parse(server.dump()), "published volume");
        if (!machine) return machine.error();
        const auto volume = make_array(*machine);
        if (!volume) return volume.error();
        const double seconds = taken_s(*volume->array, load);
        return double(load.requests) * load.blocks * double(block_bytes) / seconds;
    };
}

Rate divided(Rate what, Rate by) {
    return [what = std::move(what), by = std::move(by)]() -> Result<double> {
        const auto first = what(), second = by();
        if (!first) return first.error();
        if (!second) return second.error();
        return *first / *second;
    };
}

Rate scaled(Rate what, double by) {
    return [what = std::move(what), by]() -> Result<double> {
        const auto value = what();
        if (!value) return value.error();
        return *value * by;
    };
}

Json disk_of(double bytes_per_s, const char* write_cache, unsigned queue_depth) {
    return {{"size_bytes", 500'000'000'000},
            {"rpm", 7200},
            {"seek_min_s", 0.0008},
            {"seek_max_s", 0.0155},
            {"transfer_bytes_per_s", bytes_per_s},
            {"cache_bytes", 16777216},
            {"write_cache", write_cache},
            {"queue_depth", queue_depth}};
}

Json one(const Json& disk) {
    return {{"disks", {{{"model", disk}, {"count", 1}}}}};
}

RawLoad in_sequence(DriveOperation operation, std::uint32_t blocks, std::uint64_t requests,
                    unsigned outstanding, std::uint64_t first = 0) {
    return {operation, blocks, requests, outstanding,
            [=](std::uint64_t index) { return first + index * blocks; }};
}

// Anywhere within so many blocks, on multiples of the length after the first; the same places every time.
RawLoad anywhere(DriveOperation operation, std::uint32_t blocks, std::uint64_t requests, unsigned outstanding,
                 std::uint64_t within, std::uint64_t first = 0) {
    const auto random = std::make_shared<Random>(1);
    return {operation, blocks, requests, outstanding, [=](std::uint64_t index) {
                if (index == 0) *random = Random(1);
                return first + random->below(within / blocks - 1) * blocks;
            }};
}

PublishedTable write_cache(const std::string& folder) {
    PublishedTable table;
    table.title = "FreeBSD 8.1, dd of 10 GB: kern.cam.ada.write_cache off against on";
    table.unit = "MB/s";
    table.assumed =
        "WD5001ABYS: 7200 rpm, 98 MB/s at the edge; ICH-7 without queueing, one request of 128 KiB (MAXPHYS) "
        "at a time";
    table.bar.order = true;
    for (const Json& figures : published_figures(folder, "freebsd_write_cache_off")) {
        const bool on = figures["write_cache"];
        const double measured = figures["bytes_s"].get<double>() / 1e6;
        const auto rate = rate_of(one(disk_of(98e6, on ? "on" : "off", 1)),
                                  in_sequence(DriveOperation::write, 256, 8000, 1));
        table.rows.push_back({on ? "on" : "off", "", measured, measured, scaled(rate, 1e-6)});
    }
    return table;
}

PublishedTable sector_writes(const std::string& folder) {
    PublishedTable table;
    table.title = "phybs on a disk of 2 TB with sectors of 4 KiB: aligned writes against those that are not";
    table.unit = "times as fast";
    table.assumed = "5400 rpm, 110 MB/s, write cache off, one write at a time, four times its length apart";
    table.bar.factor = 2;
    std::map<std::uint64_t, double> aligned;
    Json disk = disk_of(110e6, "off", 1);
    disk["rpm"] = 5400;
    disk["physical_sector_bytes"] = 4096;
    for (const Json& figures : published_figures(folder, "freebsd_phybs_512e_wd2tb")) {
        const std::uint64_t size = figures["size"], offset = figures["offset"], step = figures["step"];
        if (size < 4096) continue;
        const double measured = figures["kBps"];
        if (offset == 0) aligned[size] = measured;
        if (offset == 0) continue;
        const auto at = [&](std::uint64_t from) {
            return rate_of(one(disk),
                           {DriveOperation::write, static_cast<std::uint32_t>(size / block_bytes), 20000, 1,
                            [=](std::uint64_t index) { return (from + index * step) / block_bytes; }});
        };
        const double ratio = aligned[size] / measured;
        table.rows.push_back(
            {fmt::format("{} bytes at +{}", size, offset), "", ratio, ratio, divided(at(0), at(offset))});
    }
    return table;
}

PublishedTable stripe_alignment() {
    PublishedTable table;
    table.title =
        "Motin 2009: random reads of 16 KiB on a gstripe of 2 with stripes of 16 KiB, aligned against "
        "7680 bytes off";
    table.unit = "times as fast";
    table.assumed = "7200 rpm, 8 reads at a time";
    table.bar.factor = 1.5;
    const Json set{{"os", {{"name", "freebsd"}, {"release", "8.0"}}},
                   {"disks", {{{"model", disk_of(100e6, "on", 1)}, {"count", 2}}}},
                   {"volume", {{"kind", "gstripe"}, {"level", "0"}, {"stripe_unit_bytes", 16384}}}};
    const auto at = [&](std::uint64_t first) {
        return rate_of(set, anywhere(DriveOperation::read, 32, 10000, 8, 500'000'000, first));
    };
    table.rows.push_back({"aligned / 7680 bytes off", "", 2, 2, divided(at(0), at(15))});
    return table;
}

PublishedTable mirror_alignment(const std::string& folder) {
    PublishedTable table;
    table.title =
        "A-Team 2012: six disks behind a 3ware 9750-8i, RAID 10, bonnie++ of a partition at sector 63";
    table.unit = "MiB/s";
    table.assumed =
        "sata-7200-1t with sectors of 4 KiB, units of 64 KiB, a cache of 512 MiB with a battery, requests of "
        "128 KiB, 8 at a time";
    table.bar.order = true;
    Json disk = disk_of(150e6, "on", 32);
    disk["physical_sector_bytes"] = 4096;
    const Json set{{"disks", {{{"model", disk}, {"count", 6}}}},
                   {"controller", {{"cache_bytes", 536870912}, {"battery", true}}},
                   {"volume", {{"kind", "hardware"}, {"level", "10"}, {"stripe_unit_bytes", 65536}}}};
    for (const Json& figures : published_figures(folder, "freebsd_ateam_alignment_raid10")) {
        const bool aligned = figures["alignment"] == "aligned";
        const double measured = figures["write_MiBps"];
        const auto rate =
            rate_of(set, in_sequence(DriveOperation::write, 256, 40000, 8, aligned ? 2048 : 63));
        table.rows.push_back({aligned ? "aligned, writing" : "at sector 63, writing", "", measured, measured,
                              scaled(rate, 1.0 / 1048576)});
    }
    return table;
}

PublishedTable small_writes() {
    PublishedTable table;
    table.title = "raidctl(8): a write of less than a stripe against one of a whole stripe";
    table.unit = "times as slow";
    table.assumed = "RAID 5 of 5, SpSU 32, 7200 rpm, write cache off, one write at a time anywhere";
    table.bar.factor = 1.5;
    const Json set{{"os", {{"name", "netbsd"}, {"release", "5.0"}}},
                   {"disks", {{{"model", disk_of(100e6, "off", 32)}, {"count", 5}}}},
                   {"volume", {{"kind", "raidframe"}, {"level", "5"}, {"stripe_unit_bytes", 16384}}}};
    const auto of = [&](std::uint32_t blocks) {
        const auto rate = rate_of(set, anywhere(DriveOperation::write, blocks, 5000, 1, 1'000'000'000));
        return scaled(rate, 1.0 / blocks);  // requests a second, but for a factor
    };
    table.rows.push_back({"16 KiB / 64 KiB", "2 to 4 by the manual", 2, 4, divided(of(128), of(32))});
    return table;
}

PublishedTable md_random_writes(const std::string& folder) {
    PublishedTable table;
    table.title = "md RAID 6 of 10, chunks of 64 KiB: random writes by 8 threads, what rmw changes";
    table.unit = "KB/s";
    table.assumed = "7200 rpm, write cache on; copying (skip_copy) is not part of the model";
    table.bar.order = true;
    for (const Json& figures : published_figures(folder, "linux_md_raid6_rmw_random_write")) {
        const std::uint32_t kib = figures["write_kb"];
        const bool rmw = figures["rmw_level"] == 1;
        if (figures["skip_copy"] != 0 || kib > 128) continue;
        const double measured = figures["kBps"];
        const Json set{{"os", {{"name", "linux"}, {"release", rmw ? "4.1" : "4.0"}}},
                       {"disks", {{{"model", disk_of(120e6, "on", 32)}, {"count", 10}}}},
                       {"volume", {{"kind", "md"}, {"level", "6"}, {"stripe_unit_bytes", 65536}}}};
        const auto rate = rate_of(set, anywhere(DriveOperation::write, kib * 2, 3000, 8, 6'000'000'000));
        table.rows.push_back({fmt::format("{} KiB, {}", kib, rmw ? "rmw (4.1)" : "no rmw (4.0)"), "",
                              measured, measured, scaled(rate, 1.0 / 1024)});
    }
    return table;
}

PublishedTable md_sequential_writes(const std::string& folder) {
    PublishedTable table;
    table.title = "md RAID 5 of 9, sequential writing by how stripes are dispatched";
    table.unit = "MB/s";
    for (const Json& figures : published_figures(folder, "linux_md_raid5_seq_write_dispatch")) {
        const double measured = figures["MBps"];
        table.rows.push_back(
            {fmt::format("{}, {} threads, skip_copy {}", figures["patch"].get<bool>() ? "patched" : "before",
                         figures["group_thread_cnt"].get<int>(), figures["skip_copy"].get<int>()),
             "", measured, measured, []() -> Result<double> {
                 return Error{ErrorKind::unavailable,
                              "the rows differ by what copying and threads take of the "
                              "processor; md is modelled without one"};
             }});
    }
    return table;
}

}  // namespace

PublishedTables volume_tables(const std::string& folder) {
    return {write_cache(folder),         sector_writes(folder), stripe_alignment(),
            mirror_alignment(folder),    small_writes(),        md_random_writes(folder),
            md_sequential_writes(folder)};
}

}  // namespace diskwright
