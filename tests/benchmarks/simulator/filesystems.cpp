// SPDX-License-Identifier: BSD-2-Clause
// The file system model beside what NetBSD's own FFS and RAIDframe asked of their components.
//
//     cmake --build build --target benchmark-filesystems
//     build/tests/filesystems_benchmark TABLE [--rows]
//
// Each row of the table is simulated phase by phase; printed is the share of rows whose reads, writes (count
// and bytes) and time to quiescence lie within the bars. With --rows every row as well.
#include <fmt/core.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "probes/capture/document.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/simulated_array.hpp"
#include "tuner/simulator/simulation_run.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr double count_bar = 0.30, time_bar = 0.35;
constexpr const char* phases[] = {"mkdir", "touch", "rm", "seqwrite", "tree"};

struct Totals {
    double reads = 0, writes = 0, read_bytes = 0, write_bytes = 0, time_s = 0;
};

// The drives of the table's "hardware".
Json disk_of(const std::string& model) {
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

Json configuration(const Json& row, const std::string& phase) {
    const std::string model = row["model"];
    const std::uint64_t bsize = row["bsize"];
    Json work{{"name", phase}};
    if (phase == "seqwrite")
        work["bytes"] = row["seq_mb"].get<std::uint64_t>() << 20;
    else if (phase == "tree")
        work["files"] = row["tree_files"];
    else
        work["dirs"] = row["ndirs"];
    const bool process = model[0] == 'C' && (phase == "mkdir" || phase == "touch" || phase == "rm");
    Json json{{"os", {{"name", "netbsd"}, {"release", "7.99"}}},
              {"disks", {{{"model", disk_of(model)}, {"count", row["ncol"]}}}},
              {"partition_start_bytes", row["fs_offset"].get<std::uint64_t>() * 512},
              {"filesystem",
               {{"type", "ffs2"},
                {"bsize", bsize},
                {"fsize", bsize / 8},
                {"journal", row["log"] == 1 ? "wapbl" : "none"}}},
              {"host",
               {{"ram_bytes", std::uint64_t{4} << 30},
                {"syscall_s", 20e-6},
                {"operation_s", process ? 0.0025 : 0.0}}},
              {"workload", work}};
    if (!row["level"].is_null())
        json["volume"] = {{"kind", "raidframe"},
                          {"level", row["level"]},
                          {"stripe_unit_bytes", row["sectPerSU"].get<std::uint64_t>() * 512}};
    return Json::parse(json.dump());  // the signs of numbers are those of a file
}

Totals totals(const SimulatedArray& array) {
    Totals sum;
    for (std::size_t i = 0; i < array.components(); ++i) {
        const DriveCounters& of = array.component_counters(i);
        sum.reads += double(of.reads);
        sum.writes += double(of.writes);
        sum.read_bytes += double(of.blocks_read) * 512;
        sum.write_bytes += double(of.blocks_written) * 512;
    }
    return sum;
}

Result<Totals> simulated(const Json& row, const std::string& phase) {
    const auto machine = configuration_from_json(configuration(row, phase), "table");
    if (!machine) return machine.error();
    const auto volume = make_array(*machine);
    if (!volume) return volume.error();
    Totals begin, end;
    SimulationOptions options;
    options.at_start = [&] { begin = totals(*volume->array); };
    options.at_end = [&] { end = totals(*volume->array); };
    const auto result = run_simulation(*machine, *volume->array, options);
    if (!result) return result.error();
    return Totals{end.reads - begin.reads, end.writes - begin.writes, end.read_bytes - begin.read_bytes,
                  end.write_bytes - begin.write_bytes, result->settled_s};
}

Totals measured(const Json& of) {
    return {of["reads"], of["writes"], of["read_bytes"], of["write_bytes"],
            of["time_s"].get<double>() + of["settle_s"].get<double>()};
}

bool within(double simulated, double measured, double bar) {
    return std::abs(simulated - measured) <= bar * measured;
}

struct Share {
    unsigned rows = 0, failed = 0, reads = 0, writes = 0, counts = 0, times = 0;
};

int run(int argc, char** argv) {
    if (argc < 2) return 64;
    const bool prints_rows = argc > 2 && std::string_view(argv[2]) == "--rows";
    LoadLimits limits;
    limits.bytes = limits.document_bytes = std::size_t{32} << 20;
    const auto text = load_file(argv[1], limits);
    if (!text) return 66;
    const Json table = Json::parse(*text);
    const Json& rows = table["rows"];
    std::map<std::string, Share> shares;
    std::mutex mutex;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < rows.size(); i = next++)
            for (const char* phase : phases) {
                const Totals was = measured(rows[i][phase]);
                const auto is = simulated(rows[i], phase);
                const std::lock_guard guard(mutex);
                const std::string disks =
                    rows[i]["level"].is_null() ? "one disk" : "RAID " + rows[i]["level"].get<std::string>();
                if (!is) std::fprintf(stderr, "%s\n", is.error().message.c_str());
                const Totals got = is ? *is : Totals{};
                const bool reads = is && within(got.reads, was.reads, count_bar) &&
                                   within(got.read_bytes, was.read_bytes, count_bar);
                const bool writes = is && within(got.writes, was.writes, count_bar) &&
                                    within(got.write_bytes, was.write_bytes, count_bar);
                const bool times = is && within(got.time_s, was.time_s, time_bar);
                for (const std::string& key : {disks + ", " + phase, std::string("all, ") + phase}) {
                    Share& share = shares[key];
                    ++share.rows;
                    share.failed += !is;
                    share.reads += reads;
                    share.writes += writes;
                    share.counts += reads && writes;
                    share.times += times;
                }
                if (prints_rows)
                    fmt::print(
                        "{} n{} su{} b{} off{} {} log{} {}: reads {}/{} bytes {}/{} writes {}/{} bytes {}/{} "
                        "time {:.3f}/{:.3f} {}{}{}\n",
                        disks, rows[i]["ncol"].get<int>(), rows[i]["sectPerSU"].get<int>(),
                        rows[i]["bsize"].get<int>(), rows[i]["fs_offset"].get<int>(),
                        rows[i]["model"].get<std::string>(), rows[i]["log"].get<int>(), phase, got.reads,
                        was.reads, got.read_bytes, was.read_bytes, got.writes, was.writes, got.write_bytes,
                        was.write_bytes, got.time_s, was.time_s, reads ? 'R' : '-', writes ? 'W' : '-',
                        times ? 'T' : '-');
            }
    };
    std::thread other(work);
    work();
    other.join();
    fmt::print("{:<20}{:>6}{:>9}{:>9}{:>9}{:>9}\n", "rows within", "rows", "reads", "writes", "both", "time");
    for (const auto& [key, share] : shares) {
        const auto percent = [&](unsigned count) { return 100.0 * count / share.rows; };
        fmt::print("{:<20}{:>6}{:>8.0f}%{:>8.0f}%{:>8.0f}%{:>8.0f}%\n", key, share.rows, percent(share.reads),
                   percent(share.writes), percent(share.counts), percent(share.times));
    }
    return 0;
}

}  // namespace
}  // namespace diskwright

int main(int argc, char** argv) {
    return diskwright::run(argc, argv);
}
