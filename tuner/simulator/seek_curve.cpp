// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/seek_curve.hpp"

#include <algorithm>

namespace diskwright {
namespace {

// Straight lines between the measured distances, the last one going on.
double from_table(const std::vector<std::pair<std::uint32_t, double>>& table, std::uint32_t distance) {
    if (table.size() == 1) return table.front().second;
    auto above = std::lower_bound(table.begin(), table.end(), std::pair{distance, -1.0});
    if (above != table.end() && above->first == distance) return above->second;
    if (above == table.end()) --above;
    if (above == table.begin()) return table.front().second;
    const auto below = above - 1;
    const double part = (double(distance) - below->first) / (double(above->first) - below->first);
    return below->second + part * (above->second - below->second);
}

// Lee and Katz, "An analytic performance model of disk arrays", 1993: a square root and a line through the
// three times.
double three_point_curve(const DriveSeek& seek, double cylinders, double distance) {
    const double root =
        (-10 * seek.single_s + 15 * seek.average_s - 5 * seek.full_s) / (3 * std::sqrt(cylinders));
    const double line = (7 * seek.single_s - 15 * seek.average_s + 8 * seek.full_s) / (3 * cylinders);
    return seek.single_s + root * std::sqrt(distance - 1) + line * (distance - 1);
}

// The average lies at a third of the cylinders.
double three_point_line(const DriveSeek& seek, double cylinders, double distance) {
    const double third = cylinders / 3;
    if (distance <= third)
        return seek.single_s + (distance - 1) / std::max(third - 1, 1.0) * (seek.average_s - seek.single_s);
    return seek.average_s + (distance - third) / (cylinders - third) * (seek.full_s - seek.average_s);
}

// Ruemmler and Wilkes, "An introduction to disk drive modeling", 1994.
double hpl(const DriveSeek& seek, double distance) {
    if (distance < seek.hpl_from) return seek.hpl[0] + seek.hpl[1] * std::sqrt(distance);
    return seek.hpl[2] + seek.hpl[3] * distance;
}

}  // namespace

double SeekCurve::of(const DriveSeek& seek, std::uint32_t cylinders, std::uint32_t distance) {
    if (distance == 0) return 0;
    switch (seek.kind) {
        case SeekKind::constant:
            return seek.constant_s;
        case SeekKind::three_point_line:
            return three_point_line(seek, cylinders, distance);
        case SeekKind::three_point_curve:
            return three_point_curve(seek, cylinders, distance);
        case SeekKind::hpl:
            return distance == 1 && seek.single_s > 0 ? seek.single_s : hpl(seek, distance);
        case SeekKind::hpl_first_ten:
            return distance <= seek.first_ten.size() ? seek.first_ten[distance - 1] : hpl(seek, distance);
        case SeekKind::table:
            return from_table(seek.table, distance);
    }
    return 0;
}

SeekCurve::SeekCurve(const DriveSeek& seek, std::uint32_t cylinders) : reach_(reach_steps) {
    const auto time = [&](std::uint32_t distance) { return std::max(0.0, of(seek, cylinders, distance)); };
    const bool whole = cylinders <= whole_table;
    for (std::uint32_t d = 0; d <= (whole ? cylinders : fine_distances); ++d) fine_.push_back(time(d));
    if (!whole)
        for (std::uint64_t d = 0; d <= std::uint64_t{cylinders} + 2 * coarse_step; d += coarse_step)
            coarse_.push_back(time(static_cast<std::uint32_t>(d)));

    // Measured curves go down in places, so the farthest distance of each time counts.
    double longest = 0;
    for (const auto* table : {&fine_, &coarse_})
        for (const double seconds : *table) longest = std::max(longest, seconds);
    reach_scale_ = longest > 0 ? (reach_steps - 1) / longest : 0;
    const auto note = [&](double seconds, std::uint32_t distance) {
        std::uint32_t& farthest = reach_[static_cast<std::size_t>(seconds * reach_scale_)];
        farthest = std::max(farthest, distance);
    };
    for (std::uint32_t d = 0; d < fine_.size(); ++d) note(fine_[d], d);
    for (std::uint32_t i = 0; i < coarse_.size(); ++i) note(coarse_[i], (i + 1) * coarse_step);
    for (std::size_t i = 1; i < reach_.size(); ++i) reach_[i] = std::max(reach_[i], reach_[i - 1]);
}

}  // namespace diskwright
