// SPDX-License-Identifier: BSD-2-Clause
// How long a sweep takes:
//   sweep_benchmark [PROGRAM]
// 500 arrangements of a RAIDframe RAID of five disks under the touch and rm workload, through simulate
// --vary, on all processors. The bar: two minutes on two processors. Exits 1 when it is missed.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/benchmarks/support/child.hpp"

namespace {

constexpr double most_s = 120;
constexpr std::ptrdiff_t configurations = 5 * 2 * 25 * 2;

constexpr const char* server = R"({"os": {"name": "netbsd", "release": "6.0"},
    "disks": [{"model": "sas-7200-3t", "count": 5}],
    "volume": {"kind": "raidframe", "level": "5", "stripe_unit_bytes": 4096, "layout": "left-symmetric",
               "component_start_bytes": 1048576},
    "filesystem": {"type": "ffs2", "bsize": 16384, "fsize": 2048, "size_bytes": 100000000000},
    "workload": {"name": "touchrm", "dirs": 3000, "end": "sync"}})";

}  // namespace

int main(int argc, char** argv) {
    const std::string program = argc > 1 ? argv[1] : DISKWRIGHT_PROGRAM;
    const auto folder = std::filesystem::temp_directory_path() / ("sweep-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    const auto config = folder / "server.json", output = folder / "results";
    std::ofstream(config) << server;
    std::string offsets = "fs_offset=0";
    for (int sector = 4; sector < 4 * 25; sector += 4) offsets += "," + std::to_string(sector);
    const auto run = diskwright::benchmark::run(
        {program, "simulate", "--config", config.string(), "--format", "json", "--vary", "sectPerSU=8:128",
         "--vary", "bsize=8192,16384", "--vary", offsets, "--vary", "journal=none,wapbl"},
        output);
    std::ifstream lines(output);
    const auto printed =
        std::count(std::istreambuf_iterator<char>(lines), std::istreambuf_iterator<char>(), '\n');
    std::filesystem::remove_all(folder);
    std::printf("%td configurations: %.1f s, %.1f s of processors, %.1f a second, %.0f MiB\n", printed,
                run.wall_s, run.cpu_s, double(printed) / run.wall_s, run.mib);
    if (run.status != 0 || printed != configurations) {
        std::printf("status %d, %td configurations expected\n", run.status, configurations);
        return 1;
    }
    if (run.wall_s > most_s) {
        std::printf("the bar is %.0f s\n", most_s);
        return 1;
    }
    return 0;
}
