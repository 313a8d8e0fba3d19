// SPDX-License-Identifier: BSD-2-Clause
// How well the disk model meets measured drives, and how fast it is.
//
//     cmake --build build --target benchmark-simulator
//     build/tests/simulator_benchmark TRACES...
//
// Prints, for each trace, the root mean square of the horizontal distance between the measured and the
// simulated distributions of service times, beside the figure published for the reference simulator; then how
// many requests the model serves in a second of one core's time, random 4 KiB reads with 32 outstanding.
#include <fmt/core.h>

#include <cstdio>
#include <ctime>
#include <limits>

#include "probes/capture/document.hpp"
#include "probes/support/random.hpp"
#include "tuner/simulator/block_trace.hpp"
#include "tuner/simulator/drives.hpp"
#include "tuner/simulator/response_distribution.hpp"
#include "tuner/simulator/trace_replay.hpp"

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

bool print_accuracy(const std::string& path) {
    const auto complain = [](const Error& error) {
        std::fprintf(stderr, "%s\n", error.message.c_str());
        return false;
    };
    const auto text = load_file(path, {});
    if (!text) return complain(text.error());
    const auto trace = block_trace_from_json(*text, path);
    if (!trace) return complain(trace.error());
    auto drive = shipped_drive(trace->disk);
    if (!drive) return complain(drive.error());
    const auto service_s = replay(*trace, *drive->drive, path);
    if (!service_s) return complain(service_s.error());
    const double rms = rms_difference(trace->measured_s, *service_s).value_or(0) * 1e3;
    const double published = drive->published_rms_ms.value_or(0);
    fmt::print("{:<12}{:>9}{:>11.3f}{:>11.3f}{:>10.2f}{:>11.3f}{:>11.3f}\n", drive->name,
               trace->requests.size(), rms, published, rms / published,
               mean(trace->measured_s).value_or(0) * 1e3, mean(*service_s).value_or(0) * 1e3);
    return true;
}

// One core; the same requests every time.
void print_speed(std::string_view name, unsigned depth, std::uint64_t requests) {
    auto drive = shipped_drive(name);
    if (!drive) return;
    SimulatedDrive& disk = *drive->drive;
    Random random(1);
    const std::uint64_t places = disk.blocks() / 8;
    std::uint64_t id = 0;
    const auto submit = [&](double at_s) {
        disk.submit({id++, random.below(places) * 8, 8, DriveOperation::read, false, at_s});
    };
    const std::clock_t begun = std::clock();
    for (unsigned i = 0; i < depth; ++i) submit(0);
    double virtual_s = 0;
    for (std::uint64_t done = 0; done < requests; ++done) {
        virtual_s = disk.next(never)->done_s;
        submit(virtual_s);
    }
    const double taken_s = double(std::clock() - begun) / CLOCKS_PER_SEC;
    fmt::print("{:<18}{:>6}{:>12}{:>16.0f}{:>20.1f}\n", name, depth, requests, double(requests) / taken_s,
               double(requests) / virtual_s);
}

int run(int argc, char** argv) {
    bool well = true;
    fmt::print("{:<12}{:>9}{:>11}{:>11}{:>10}{:>11}{:>11}\n", "trace", "requests", "rms, ms", "published",
               "ratio", "measured", "simulated");
    for (int i = 1; i < argc; ++i) well = print_accuracy(argv[i]) && well;
    fmt::print("\n{:<18}{:>6}{:>12}{:>16}{:>20}\n", "random 4 KiB reads", "depth", "requests",
               "per CPU second", "of the drive, IOPS");
    for (const auto* name : {"sas-7200-3t", "sata-7200-1t", "sas-15k-600g", "ssd-datacenter"})
        print_speed(name, 32, 2'000'000);
    for (const unsigned depth : {1U, 2U, 4U, 8U, 16U}) print_speed("sata-7200-1t", depth, 200'000);
    return well ? 0 : 1;
}

}  // namespace
}  // namespace diskwright

int main(int argc, char** argv) {
    return diskwright::run(argc, argv);
}
