// SPDX-License-Identifier: BSD-2-Clause
// The models of Linux file systems beside what Linux itself asked of a drive.
//
//     cmake --build build --target benchmark-linux-filesystems
//     build/tests/linux_benchmark linux_io_counts.json [FOLDER]
//
// Each row of the table is simulated; printed are reads, writes, their bytes and flushes, simulated/measured,
// and the share of rows in which each count lies within the bar. From the folder: the published table of md
// sets with ext2.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "probes/capture/document.hpp"
#include "tests/support/published.hpp"
#include "tuner/simulator/configuration.hpp"
#include "tuner/simulator/file_system_model.hpp"
#include "tuner/simulator/simulated_array.hpp"
#include "tuner/simulator/simulation_run.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr double bar = 0.30;
constexpr double absolute =
    4;  // requests, and as many blocks: what differs so little is the mount's, not the workload's

struct Counts {
    double reads = 0, writes = 0, flushes = 0, read_bytes = 0, write_bytes = 0;
};

constexpr std::uint64_t directories = 3000, files = 2000, file_bytes = 256 << 20, synced_files = 100;

Json configuration(const Json& table, const Json& row) {
    const std::string phase = row["phase"];
    Json work{{"name", phase == "touch-slow" || phase == "fsync" ? "touch" : phase}};
    if (phase == "seqwrite" || phase == "seqread")
        work["bytes"] = file_bytes;
    else if (phase == "tree")
        work["files"] = files;
    else
        work["dirs"] = directories;
    Json filesystem{{"type", row["filesystem"]}};
    if (row.contains("journal")) filesystem["journal"] = row["journal"];
    // The emulated processor's time is spread over what it did.
    const bool calls = phase == "seqwrite" || phase == "seqread" || phase == "tree";
    const double count = phase == "tree" ? 3.1 * files : calls ? file_bytes / 65536.0 : directories;
    const double each_s = row["command_s"].get<double>() / count;
    Json json{{"os", {{"name", "linux"}}},
              {"disks", {{{"model", "sata-7200-1t"}}}},
              {"filesystem", filesystem},
              {"host",
               {{"ram_bytes", table["hardware"]["ram_bytes"]},
                {"syscall_s", calls ? each_s : 20e-6},
                {"operation_s", calls ? 0 : each_s}}},
              {"workload", work}};
    json["filesystem"]["size_bytes"] = table["hardware"]["drive_bytes"];
    return Json::parse(json.dump());
}

Counts difference(const DriveCounters& after, const DriveCounters& before) {
    return {double(after.reads - before.reads), double(after.writes - before.writes),
            double(after.flushes - before.flushes), double(after.blocks_read - before.blocks_read) * 512,
            double(after.blocks_written - before.blocks_written) * 512};
}

// Files each written and synced, which is no workload of a configuration.
Result<Counts> synced_one_by_one(const MachineConfiguration& machine, SimulatedArray& volume) {
    VirtualIo io(volume, 0, false);
    std::vector<std::string> assumed;
    FileSystemPlace place{machine};
    place.size_bytes = *machine.filesystem->size_bytes;
    place.ram_bytes = *machine.host.ram_bytes;
    place.assumed = &assumed;
    const MakeFileSystem make = file_system_maker(machine.filesystem->type);
    if (!make) return Error{ErrorKind::unavailable, "not modelled"};
    auto made = make(place, io);
    if (!made) return made.error();
    FileSystemModel& fs = **made;
    const auto kept = fs.make_directory(FileSystemModel::root, 1);
    fs.fsync(fs.create(kept, 1));  // what the first transaction has to do of its own
    fs.sync();
    const DriveCounters before = volume.counters();
    const auto directory = fs.make_directory(FileSystemModel::root, 1);
    for (std::uint64_t i = 0; i < synced_files; ++i) {
        const auto file = fs.create(directory, 2);
        fs.append(file, 4096);
        fs.fsync(file);
    }
    fs.sync();
    io.wait_for_all();
    return difference(volume.counters(), before);
}

Result<Counts> simulated(const Json& table, const Json& row) {
    const auto machine = configuration_from_json(configuration(table, row), "table");
    if (!machine) return machine.error();
    const auto volume = make_array(*machine);
    if (!volume) return volume.error();
    if (row["phase"] == "fsync") return synced_one_by_one(*machine, *volume->array);
    const auto result = run_simulation(*machine, *volume->array);
    if (!result) return result.error();
    return difference(result->volume, {});
}

bool within(double is, double was, double least) {
    return std::abs(is - was) <= std::max(bar * was, least);
}

int run(int argc, char** argv) {
    if (argc < 2) return 64;
    const auto text = load_file(argv[1], {});
    if (!text) return 66;
    const Json table = Json::parse(*text);
    std::map<std::string, std::pair<unsigned, unsigned>> shares;
    for (const Json& row : table["rows"]) {
        const Json& of = row["settled"];
        const Counts was{of["reads"], of["writes"], of["flushes"], of["read_bytes"], of["write_bytes"]};
        const auto is = simulated(table, row);
        const std::string name =
            fmt::format("{} {} {}", row["filesystem"].get<std::string>(),
                        row.value("journal", std::string("log")), row["phase"].get<std::string>());
        if (!is) {
            fmt::print("{}: {}\n", name, is.error().message);
            continue;
        }
        const struct {
            const char* what;
            double is, was, least;
        } columns[] = {{"reads", is->reads, was.reads, absolute},
                       {"read_bytes", is->read_bytes, was.read_bytes, absolute * 4096},
                       {"writes", is->writes, was.writes, absolute},
                       {"write_bytes", is->write_bytes, was.write_bytes, absolute * 4096},
                       {"flushes", is->flushes, was.flushes, 1}};
        fmt::print("{:<28}", name);
        for (const auto& column : columns) {
            const bool good = within(column.is, column.was, column.least);
            const double scale = std::string_view(column.what).ends_with("bytes") ? 1024 : 1;
            fmt::print("{:>18}{}", fmt::format("{:.0f}/{:.0f}", column.is / scale, column.was / scale),
                       good ? ' ' : '!');
            auto& [all, hits] = shares[column.what];
            ++all;
            hits += good;
        }
        fmt::print("\n");
    }
    for (const auto& [what, share] : shares)
        fmt::print("{}: {} of {} rows within {:.0f} %\n", what, share.second, share.first, bar * 100);
    if (argc < 3) return 0;
    for (const PublishedTable& each : linux_tables(argv[2])) fmt::print("{}", rendered(each, judge(each)));
    return 0;
}

}  // namespace
}  // namespace diskwright

int main(int argc, char** argv) {
    return diskwright::run(argc, argv);
}
