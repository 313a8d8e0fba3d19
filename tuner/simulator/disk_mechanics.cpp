// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/disk_mechanics.hpp"

namespace diskwright {

DiskMechanics::DiskMechanics(const DriveParameters& drive)
    : geometry_(drive.layout, drive.blocks),
      curve_(drive.mechanics.seek, drive.layout.cylinders),
      access_(drive.mechanics.access),
      seamless_(drive.mechanics.seamless_tracks),
      constant_s_(drive.mechanics.constant_access_s),
      write_settle_s_(drive.mechanics.write_settle_s),
      head_switch_s_(drive.mechanics.head_switch_s),
      revolution_s_(drive.mechanics.revolution_s),
      turns_per_s_(1 / drive.mechanics.revolution_s) {}

Landing DiskMechanics::move(std::uint64_t block, double from_s, bool write, double least_s) {
    Landing landing{geometry_.run_at(block), from_s, from_s};
    if (access_ == AccessKind::constant) {
        landing.start_s += constant_s_;
    } else {
        landing.on_track_s += std::max(least_s, seek_s(landing.run.cylinder, landing.run.head, write));
        landing.start_s = landing.on_track_s + wait_s(landing.run.angle, landing.on_track_s);
    }
    cylinder_ = landing.run.cylinder;
    head_ = landing.run.head;
    return landing;
}

}  // namespace diskwright
