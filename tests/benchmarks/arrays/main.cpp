// SPDX-License-Identifier: BSD-2-Clause
// How many requests a second of one core's time simulated sets serve.
//
//     cmake --build build --target benchmark-arrays
//
// 4 KiB anywhere on the set, a third of them reads, with 1 and with 32 outstanding; the same requests every
// time.
#include <fmt/core.h>

#include <cstdio>
#include <ctime>
#include <limits>

#include "probes/support/random.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::uint64_t requests = 200'000;

MachineConfiguration machine(VolumeKind kind, RaidLevel level, std::uint64_t columns,
                             std::uint64_t unit_bytes) {
    DiskParameters disk;
    disk.size_bytes = std::uint64_t{1} << 34;
    disk.rpm = 7200;
    disk.seek_min_s = 0.0005;
    disk.seek_max_s = 0.016;
    disk.transfer_bytes_per_s = 150e6;
    disk.interface_bytes_per_s = 300e6;
    disk.command_s = 0.0001;
    disk.cache_bytes = 16 << 20;
    disk.write_cache = Switch::off;
    disk.queue_depth = 32;
    MachineConfiguration out;
    out.disks.push_back({disk, columns});
    auto& volume = out.volume.emplace();
    volume.kind = kind;
    volume.level = level;
    if (unit_bytes > 0) volume.stripe_unit_bytes = unit_bytes;
    return out;
}

void print_speed(const MachineConfiguration& configuration, unsigned depth) {
    const auto made = make_array(configuration);
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().message.c_str());
        return;
    }
    SimulatedArray& array = *made->array;
    Random random(1);
    std::uint64_t id = 0;
    const auto submit = [&](double at_s) {
        array.submit({id++, random.below(array.blocks() / 8) * 8, 8,
                      random.below(3) == 0 ? DriveOperation::read : DriveOperation::write, false, at_s});
    };
    const std::clock_t begun = std::clock();
    for (unsigned i = 0; i < depth; ++i) submit(0);
    double virtual_s = 0;
    for (std::uint64_t done = 0; done < requests; ++done) {
        virtual_s = array.next(never)->done_s;
        submit(virtual_s);
    }
    const double taken_s = double(std::clock() - begun) / CLOCKS_PER_SEC;
    fmt::print("{:<12}{:>6}{:>9}{:>7}{:>20.0f}{:>20.1f}\n", to_string(configuration.volume->kind),
               to_string(configuration.volume->level), array.components(), depth, double(requests) / taken_s,
               double(requests) / virtual_s);
}

}  // namespace
}  // namespace diskwright

int main() {
    using namespace diskwright;
    fmt::print("{:<12}{:>6}{:>9}{:>7}{:>20}{:>20}\n", "kind", "level", "columns", "depth", "requests/CPU s",
               "requests/virtual s");
    for (const unsigned depth : {1U, 32U}) {
        print_speed(machine(VolumeKind::raidframe, RaidLevel::raid5, 5, 32768), depth);
        print_speed(machine(VolumeKind::md, RaidLevel::raid5, 5, 65536), depth);
        print_speed(machine(VolumeKind::softraid, RaidLevel::raid5, 5, 65536), depth);
        print_speed(machine(VolumeKind::gmirror, RaidLevel::raid1, 2, 0), depth);
    }
    return 0;
}
