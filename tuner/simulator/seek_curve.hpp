// SPDX-License-Identifier: BSD-2-Clause
// Seek time by distance.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tuner/simulator/drive_parameters.hpp"

namespace diskwright {

class SeekCurve {
 public:
    SeekCurve(const DriveSeek& seek, std::uint32_t cylinders);

    /// Seconds over that many cylinders; 0 for none.
    double operator()(std::uint32_t distance) const {
        if (distance < fine_.size()) return fine_[distance];
        const std::uint32_t at = distance / coarse_step;
        const double part = double(distance % coarse_step) / coarse_step;
        return coarse_[at] + part * (coarse_[at + 1] - coarse_[at]);
    }

    /// No distance beyond this one takes as little time; it may itself take a little more.
    std::uint32_t reach(double seconds) const {
        const double at = seconds * reach_scale_;
        return at < reach_steps ? reach_[static_cast<std::size_t>(at < 0 ? 0 : at)] : UINT32_MAX;
    }

    /// From the description itself: what the tables are made from.
    static double of(const DriveSeek& seek, std::uint32_t cylinders, std::uint32_t distance);

 private:
    // Every distance of a drive of the 1990s, and of a later one those where the curve bends: tables that
    // stay in the processor's cache.
    static constexpr std::uint32_t whole_table = 16384, fine_distances = 2048, coarse_step = 64;
    static constexpr std::size_t reach_steps = 512;
    std::vector<double> fine_, coarse_;
    std::vector<std::uint32_t> reach_;
    double reach_scale_ = 0;
};

}  // namespace diskwright
