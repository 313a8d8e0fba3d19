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
constexpr int singles = 24;

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

std::optional<WriteArea::Single> WriteArea::time_of_singles() {
    std::vector<double> reads, writes, durable;
    for (int i = 0; i < singles; ++i) {
        const ReadRequest place = places_.any_read(window_.any_unit());
        const MixedRequest read{place.offset, place.length, false}, write = write_to(window_.any_unit());
        const auto read_time = timer_.at_once(std::span(&read, 1));
        const auto write_time = timer_.at_once(std::span(&write, 1));
        if (!read_time || !write_time) return std::nullopt;
        const auto flush_s = timer_.flush();
        if (timer_.ended()) return std::nullopt;
        reads.push_back(read_time->all);
        writes.push_back(write_time->all);
        durable.push_back(write_time->all + flush_s.value_or(0));
    }
    return Single{*median(reads), *median(writes), *median(durable)};
}

}  // namespace diskwright
