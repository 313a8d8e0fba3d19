// SPDX-License-Identifier: BSD-2-Clause
// Drives whose every figure is round, for the simulator's tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "probes/support/random.hpp"
#include "tuner/simulator/drive_parameters.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright::test {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// 1000 cylinders of 4 tracks of 100 blocks, 10 ms a revolution, seek 1 to 11 ms by the square root of the
/// distance, no buffer, no overheads, a bus that takes no time.
inline DriveParameters round_drive() {
    DriveParameters drive;
    drive.name = "round";
    drive.blocks = 400'000;
    drive.layout.surfaces = 4;
    drive.layout.cylinders = 1000;
    DriveZone zone;
    zone.last_cylinder = 999;
    zone.blocks_per_track = 100;
    zone.track_skew = 0.10;
    zone.cylinder_skew = 0.15;
    drive.layout.zones = {zone};
    drive.mechanics.revolution_s = 0.010;
    drive.mechanics.head_switch_s = 0.001;
    drive.mechanics.seek.kind = SeekKind::hpl;
    drive.mechanics.seek.hpl_from = 1001;
    drive.mechanics.seek.hpl = {0.001, 0.010 / std::sqrt(1000.0), 0, 0};
    drive.buffer.caches = false;
    drive.buffer.segment_blocks = 1000;
    return drive;
}

/// Service times of requests that arrive each as the one before is done.
inline std::vector<double> one_at_a_time(SimulatedDrive& drive, std::vector<DriveRequest> requests,
                                         double start_s = 0) {
    std::vector<double> service_s;
    double now_s = start_s;
    for (DriveRequest& request : requests) {
        request.arrival_s = now_s;
        drive.submit(request);
        const auto done = drive.next(no_limit);
        if (!done) return {};
        service_s.push_back(done->done_s - now_s);
        now_s = done->done_s;
    }
    return service_s;
}

/// Requests of so many blocks anywhere on the drive.
inline std::vector<DriveRequest> scattered(const SimulatedDrive& drive, std::size_t count,
                                           std::uint32_t blocks,
                                           DriveOperation operation = DriveOperation::read,
                                           std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<DriveRequest> requests;
    for (std::size_t i = 0; i < count; ++i)
        requests.push_back({i, random.below(drive.blocks() / blocks) * blocks, blocks, operation, false, 0});
    return requests;
}

/// Requests a second with so many outstanding all the time.
inline double rate_at_depth(SimulatedDrive& drive, const std::vector<DriveRequest>& requests,
                            std::size_t depth) {
    std::size_t submitted = 0;
    double now_s = 0;
    const auto submit = [&] {
        DriveRequest request = requests[submitted++];
        request.arrival_s = now_s;
        drive.submit(request);
    };
    while (submitted < std::min(depth, requests.size())) submit();
    for (std::size_t done = 0; done < requests.size(); ++done) {
        now_s = drive.next(no_limit)->done_s;
        if (submitted < requests.size()) submit();
    }
    return double(requests.size()) / now_s;
}

}  // namespace diskwright::test
