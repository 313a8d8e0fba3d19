// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/write_area.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t warm_bytes = 16 * MiB;     // of each disk, between writes that warm up
constexpr std::uint64_t window_bytes = 256 * MiB;  // of each disk: more than its cache
constexpr std::uint64_t periods_in_window = 8;
constexpr double longest_warm_up = 0.2;  // of the time, at the most
constexpr int times_of_one = 16;

}  // namespace

WriteArea::WriteArea(ArrayTimer& timer, const UnitPlaces& places, unsigned columns,
                     const LayoutCandidate* rotating, std::uint64_t unit_bytes)
    : timer_(timer),
      places_(places),
      window_(places),
      columns_(columns),
      rotating_(rotating),
      unit_bytes_(unit_bytes) {}

bool WriteArea::prepare(std::string& reason) {
    const std::uint64_t period = rotating_ ? rotating_->units.size() : columns_;
    const std::uint64_t wanted =
        std::max(window_bytes / unit_bytes_ * columns_, periods_in_window * period) / period * period;
    if (places_.count() / 2 < wanted) {
        reason = fmt::format("the scratch area is too small: {} are needed",
                             human_size(2 * (wanted + period) * unit_bytes_));
        return false;
    }
    window_ = places_.part(places_.first() + timer_.random().below(places_.count() - wanted + 1), wanted);
    const double until = timer_.spent() + longest_warm_up;
    const std::uint64_t step = std::max<std::uint64_t>(warm_bytes / unit_bytes_, 1) * columns_;
    for (std::uint64_t at = 0; at < wanted && timer_.spent() < until; at += step) {
        const MixedRequest write = write_to(window_.first() + at);
        if (!timer_.at_once(std::span(&write, 1))) return false;
    }
    return true;
}

std::optional<std::uint64_t> WriteArea::any_unit(unsigned column, std::optional<unsigned> parity) {
    if (!rotating_ || !parity) return window_.any_unit(column, columns_);
    std::vector<std::uint64_t> residues;
    for (std::uint64_t i = 0; i < rotating_->units.size(); ++i)
        if (rotating_->units[i].copies.at[0] == column && rotating_->units[i].parity.at[0] == *parity)
            residues.push_back(i);
    if (residues.empty()) return std::nullopt;
    return window_.any_unit(residues[timer_.random().below(residues.size())], rotating_->units.size());
}

MixedRequest WriteArea::write_to(std::uint64_t unit) {
    const ReadRequest place = places_.any_read(unit);
    return {place.offset, place.length, true};
}

MixedRequest WriteArea::read_of(unsigned column) {
    const ReadRequest place = places_.any_read(places_.any_unit(column, columns_));
    return {place.offset, place.length, false};
}

std::optional<double> WriteArea::time_of_one(bool write) {
    std::vector<double> times;
    for (int i = 0; i < times_of_one; ++i) {
        const auto column = static_cast<unsigned>(timer_.random().below(columns_));
        const MixedRequest request = write ? write_to(*any_unit(column, {})) : read_of(column);
        const auto time = timer_.at_once(std::span(&request, 1));
        if (!time) return std::nullopt;
        times.push_back(time->all);
    }
    return median(times);
}

}  // namespace diskwright
