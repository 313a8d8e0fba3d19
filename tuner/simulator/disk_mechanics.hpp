// SPDX-License-Identifier: BSD-2-Clause
// Arm and platters: the time to get to a block. The platters turn all the time, so the angle follows from the
// time alone (kaikai-sk/disksim-4.0: diskmodel/mech_g1.c).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tuner/simulator/disk_geometry.hpp"
#include "tuner/simulator/drive_parameters.hpp"
#include "tuner/simulator/seek_curve.hpp"

namespace diskwright {

/// The arm over a run of blocks.
struct Landing {
    BlockRun run;
    double on_track_s = 0;  // when the head settled
    double start_s = 0;     // when run.first begins to pass
};

class DiskMechanics {
 public:
    explicit DiskMechanics(const DriveParameters& drive);

    const DiskGeometry& geometry() const { return geometry_; }
    double revolution_s() const { return revolution_s_; }
    double block_s(const BlockRun& run) const { return run.block_turn * revolution_s_; }
    std::uint32_t cylinder() const { return cylinder_; }
    std::uint32_t head() const { return head_; }

    /// Moves the arm to the block, the seek beginning at from_s and taking least_s at the least.
    Landing move(std::uint64_t block, double from_s, bool write, double least_s = 0);

    /// Seek, head switch and settling; no rotation.
    double seek_s(std::uint32_t cylinder, std::uint32_t head, bool write) const {
        if (seamless_ && distance(cylinder) <= 1) return 0;
        const double moved = std::max(curve_(distance(cylinder)), head == head_ ? 0.0 : head_switch_s_);
        return moved > 0 && write ? std::max(0.0, moved + write_settle_s_) : moved;
    }
    std::uint32_t distance(std::uint32_t cylinder) const {
        return cylinder > cylinder_ ? cylinder - cylinder_ : cylinder_ - cylinder;
    }
    /// Farther cylinders take longer than that.
    std::uint32_t reach(double seconds) const {
        const std::uint32_t cylinders = curve_.reach(seconds - std::min(0.0, write_settle_s_));
        return seamless_ ? std::max(cylinders, 1U) : cylinders;
    }
    /// Until that angle comes by.
    double wait_s(double angle, double at_s) const {
        if (access_ != AccessKind::exact_rotation)
            return access_ == AccessKind::average_rotation ? revolution_s_ / 2 : 0;
        // Of a positive number the whole part is a conversion; std::floor() is a call on many machines.
        double passed = at_s * turns_per_s_ - angle + 1;
        passed -= static_cast<double>(static_cast<std::int64_t>(passed));
        // A block that begins right now is not missed by the last bit of a sum.
        return passed < same_angle ? 0 : (1 - passed) * revolution_s_;
    }

 private:
    static constexpr double same_angle = 1e-7;
    DiskGeometry geometry_;
    SeekCurve curve_;
    AccessKind access_;
    bool seamless_;
    double constant_s_, write_settle_s_, head_switch_s_, revolution_s_, turns_per_s_;
    std::uint32_t cylinder_ = 0, head_ = 0;
};

}  // namespace diskwright
