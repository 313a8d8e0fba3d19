// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/support/published.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Kind = FileOperation::Kind;
using Work = std::shared_ptr<const FileWork>;

Json machine(const char* release, const Json& disk, std::uint64_t count) {
    return {{"os", {{"name", "netbsd"}, {"release", release}}},
            {"disks", {{{"model", disk}, {"count", count}}}},
            {"workload", {{"name", "touch"}}}};
}

Json raidframe(const Json& level, std::uint64_t unit_sectors) {
    const std::string text = level.is_string() ? level.get<std::string>() : std::to_string(level.get<int>());
    return {{"kind", "raidframe"}, {"level", text}, {"stripe_unit_bytes", unit_sectors * 512}};
}

PublishedRow row(std::string name, const Json& measured, std::function<Result<double>()> simulate,
                 std::string assumed = "") {
    PublishedRow made{std::move(name), std::move(assumed), 0, 0, std::move(simulate)};
    made.low = measured.is_array() ? measured[0] : measured;
    made.high = measured.is_array() ? measured[1] : measured;
    return made;
}

std::function<Result<double>()> command_time(Json server, Work work = {}) {
    return [server = std::move(server), work = std::move(work)]() -> Result<double> {
        const auto result = run_published(server, work);
        if (!result) return result.error();
        return result->command_s;
    };
}

// When the syncer comes round, every 30 s, is not known of a command that was timed once: the mean of starts
// spread over that time.
constexpr unsigned starts = 6, round_ms = 30'000, quiet_ms = 300'000;

std::function<Result<double>()> mean_time(const Json& server, double SimulationResult::*figure) {
    return [server, figure]() -> Result<double> {
        double sum = 0;
        for (unsigned start = 0; start < starts; ++start) {
            MachineConfiguration::Work wanted;
            wanted.name = server["workload"]["name"].get<std::string>();
            wanted.amounts["dirs"] = server["workload"]["dirs"];
            auto work = file_work(wanted);
            if (!work) return work.error();
            work->before.push_back({Kind::sleep, 0, 0, 0, quiet_ms + start * round_ms / starts, 0});
            const auto result = run_published(server, std::make_shared<const FileWork>(std::move(*work)));
            if (!result) return result.error();
            sum += (*result).*figure;
        }
        return sum / starts;
    };
}

// The disk that the post names, by its data sheet (the shipped sas-7200-3t), behind that server's controller:
// one disk writes 85 MB/s, so a request of 64 KiB takes 0.77 ms, of which 0.11 ms pass on a bus of 600 MB/s.
Json seed_disk() {
    return {{"size_bytes", 3000592982016},
            {"rpm", 7200},
            {"seek_min_s", 0.0006},
            {"seek_max_s", 0.01485},
            {"settle_write_s", 0},
            {"head_switch_s", 0.0006},
            {"transfer_bytes_per_s", 157e6},
            {"transfer_inner_bytes_per_s", 78.5e6},
            {"interface_bytes_per_s", 600e6},
            {"command_s", 0.00066},
            {"cache_bytes", 67108864},
            {"read_ahead_bytes", 524288},
            {"write_cache", "on"},
            {"queue_depth", 32},
            {"logical_sector_bytes", 512},
            {"physical_sector_bytes", 512}};
}

// The server of tech-kern, December 2012. Everything it does not say is fixed here, once.
Json seed_server(const Json& figures) {
    Json server = machine("6.0", seed_disk(), figures["components"]);
    const std::uint64_t bsize = figures.value("fsbsize", std::uint64_t{16384});
    server["filesystem"] = {{"type", "ffs2"},
                            {"bsize", bsize},
                            {"fsize", bsize / 8},
                            {"journal", figures["journal"]},
                            {"size_bytes", 100'000'000'000}};
    server["host"] = {{"ram_bytes", std::uint64_t{4} << 30}, {"syscall_s", 20e-6}, {"operation_s", 0.0014}};
    if (!figures["raid_level"].is_null()) {
        server["volume"] = raidframe(figures["raid_level"], figures["sect_per_su"]);
        server["volume"]["component_start_bytes"] = 1048576;
    }
    return server;
}

constexpr const char* assumed_of_the_seed =
    "NetBSD 6.0 (each block of the log written alone, a flush before and after each commit, the syncer every "
    "30 s); the disk's write cache on (with it off the 9000 writes that the command waits for on one disk "
    "would take over 37 s), 0.66 ms a command (one disk writes 85 MB/s, 64 KiB at a time); FFSv2, fragments "
    "of an eighth, 100 GB from the start of the set, components from "
    "1 MiB on; a log of 64 MiB in the middle; 4 GiB of memory; 1.4 ms a process (6000 of them take the "
    "single disk with a log 8 to 9.5 s, and wait for nothing), 20 us a call; svn: 3000 directories; the mean "
    "of 6 starts spread over the 30 s";

std::string seed_name(const Json& figures) {
    const std::string log = figures["journal"] == "none" ? "no log" : "log";
    if (figures["raid_level"].is_null()) return "one disk, 16k, " + log;
    return fmt::format("RAID {} of {}, SpSU {}, {}k, {}", figures["raid_level"].get<int>(),
                       figures["components"].get<int>(), figures["sect_per_su"].get<int>(),
                       figures["fsbsize"].get<int>() / 1024, log);
}

Json with_work(Json server, const Json& work) {
    server["workload"] = work;
    return server;
}

void add_rates(PublishedTable& rates, const Json& figures, const Json& server) {
    for (const auto& [key, name] : {std::pair{"write_MBps", "seqwrite"}, {"read_MBps", "seqread"}}) {
        if (!figures.contains(key)) continue;
        constexpr double bytes = 1 << 30;
        const auto time = command_time(with_work(server, {{"name", name}, {"bytes", 1 << 30}}));
        rates.rows.push_back(row(seed_name(figures) + ", " + name, figures[key], [time]() -> Result<double> {
            const auto seconds = time();
            if (!seconds) return seconds.error();
            return bytes / 1e6 / *seconds;
        }));
    }
}

// NetBSD 7.99's own code, an fsync of the directory after each operation.
FileWork synced_touches(std::uint32_t directories) {
    FileWork work;
    constexpr std::uint32_t top = 1;
    work.before.push_back({Kind::make_directory, top, 0, 1, 0, 0});
    for (std::uint32_t i = 0; i < directories; ++i)
        work.before.push_back({Kind::make_directory, top + 1 + i, top, 4, 0, 0});
    for (std::uint32_t i = 0; i < directories; ++i) {
        work.measured.push_back({});
        work.measured.push_back({Kind::create, top + 1 + directories + i, top + 1 + i, 1, 0, 0});
        work.measured.push_back({Kind::fsync, top + 1 + i, 0, 0, 0, 0});
    }
    return work;
}

Json measured_disk(const std::string& model) {
    return {{"size_bytes", 17179869184},
            {"rpm", 7200},
            {"seek_min_s", 0.0005},
            {"seek_max_s", 0.016},
            {"settle_write_s", 0.0003},
            {"transfer_bytes_per_s", 150e6},
            {"interface_bytes_per_s", 300e6},
            {"command_s", model[0] == 'C' ? 0.0006 : 0.0001},
            {"cache_bytes", 16777216},
            {"read_ahead_bytes", 524288},
            {"write_cache", model[0] == 'A' ? "off" : "on"},
            {"queue_depth", 32}};
}

Json measured_server(const Json& figures) {
    struct Named {
        const char* name;
        const char* level;
        std::uint64_t unit, disks, bsize;
    };
    constexpr Named known[] = {{"single-16k", nullptr, 0, 1, 16384},
                               {"raid1-s32-16k", "1", 32, 2, 16384},
                               {"raid5-s8-16k", "5", 8, 5, 16384},
                               {"raid5-s32-64k", "5", 32, 5, 65536},
                               {"raid5-s128-64k", "5", 128, 5, 65536}};
    const std::string model = figures["model"];
    for (const Named& of : known) {
        if (figures["config"] != of.name) continue;
        Json server = machine("7.99", measured_disk(model), of.disks);
        if (of.level) server["volume"] = raidframe(of.level, of.unit);
        server["filesystem"] = {{"type", "ffs2"},
                                {"bsize", of.bsize},
                                {"fsize", of.bsize / 8},
                                {"journal", figures["log"] == 1 ? "wapbl" : "none"}};
        server["host"] = {{"ram_bytes", std::uint64_t{4} << 30},
                          {"syscall_s", 20e-6},
                          {"operation_s", model[0] == 'C' ? 0.0025 : 0.0}};
        return server;
    }
    return {};
}

struct Synced {
    double seconds = 0, writes = 0, flushes = 0;
};

Result<Synced> run_synced(const Json& server, const Work& work) {
    const auto configuration = configuration_from_json(Json::parse(server.dump()), "published server");
    if (!configuration) return configuration.error();
    const auto volume = make_array(*configuration);
    if (!volume) return volume.error();
    Synced sums;
    const auto add = [&](double sign) {
        for (std::size_t i = 0; i < volume->array->components(); ++i) {
            sums.writes += sign * double(volume->array->component_counters(i).writes);
            sums.flushes += sign * double(volume->array->component_counters(i).flushes);
        }
    };
    SimulationOptions options;
    options.work = work;
    options.at_start = [&] { add(-1); };
    options.at_end = [&] { add(1); };
    const auto result = run_simulation(*configuration, *volume->array, options);
    if (!result) return result.error();
    sums.seconds = result->command_s;
    return sums;
}

}  // namespace

PublishedTables seed_tables(const std::string& folder) {
    PublishedTable times, completions, rates;
    times.title = "tech-kern 2012: touch/rm and svn update over 3000 directories, until the command returns";
    completions.title = "the same, until the disks are idle";
    rates.title = "the same server, one file of 1 GiB";
    times.unit = completions.unit = "s";
    rates.unit = "MB/s";
    times.assumed = assumed_of_the_seed;
    times.bar.factor = 2;
    times.bar.rank = 0.9;
    completions.bar.factor = 2;
    for (const Json& figures : published_figures(folder, "seed_000_wapbl_raidframe")) {
        if (figures["hw"] != "sas" || figures["journal"] == "both") continue;
        const Json server = seed_server(figures);
        add_rates(rates, figures, server);
        for (const auto& [key, name] :
             {std::pair{"touch_rm_3000_s", "touchrm"}, {"svn_update_s", "svnupdate"}}) {
            if (!figures.contains(key) || figures[key].is_null()) continue;
            const Json work{{"name", name}, {"dirs", 3000}, {"end", "idle"}};
            times.rows.push_back(row(seed_name(figures) + ", " + name, figures[key],
                                     mean_time(with_work(server, work), &SimulationResult::command_s)));
        }
        if (!figures.contains("svn_completion_s")) continue;
        const Json work{{"name", "svnupdate"}, {"dirs", 3000}, {"end", "idle"}};
        completions.rows.push_back(row(seed_name(figures) + ", svnupdate", figures["svn_completion_s"],
                                       mean_time(with_work(server, work), &SimulationResult::settled_s)));
    }
    return {times, completions, rates};
}

PublishedTables fsync_tables(const std::string& folder) {
    constexpr std::uint32_t directories = 3000;
    const auto work = std::make_shared<const FileWork>(synced_touches(directories));
    PublishedTable flushes, writes, times;
    flushes.title = "NetBSD 7.99's own code: touch with an fsync of the directory each time, flushes";
    writes.title = "the same, writes of the components";
    times.title = "the same, time";
    flushes.unit = writes.unit = "per operation, all components";
    times.unit = "s";
    for (const Json& figures : published_figures(folder, "netbsd_fsync_per_operation")) {
        const Json server = measured_server(figures);
        const Json& touch = figures["touch"];
        const std::string name =
            fmt::format("{}, {}, {}", figures["config"].get<std::string>(),
                        figures["model"].get<std::string>(), figures["log"] == 1 ? "log" : "no log");
        const auto add = [&](PublishedTable& to, double measured, double Synced::*figure, double by) {
            to.rows.push_back(row(name, measured / by, [=]() -> Result<double> {
                const auto synced = run_synced(server, work);
                if (!synced) return synced.error();
                return (*synced).*figure / by;
            }));
        };
        if (figures["log"] == 1) add(flushes, touch["flushes"], &Synced::flushes, directories);
        add(writes, touch["writes"], &Synced::writes, directories);
        add(times, touch["time_s"], &Synced::seconds, 1);
    }
    return {flushes, writes, times};
}

}  // namespace diskwright
