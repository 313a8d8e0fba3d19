// SPDX-License-Identifier: BSD-2-Clause
// Small writes to the units of an array, in one part of the scratch area: sets note on their components where
// they may be written, and that would cost more than the writes if these went everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/timing/array/layout_candidates.hpp"
#include "probes/timing/array/read_layout.hpp"

namespace diskwright {

class WriteArea {
 public:
    /// columns: that reads go round. rotating: the candidate whose parity moves from row to row; may be null.
    WriteArea(ArrayTimer& timer, const UnitPlaces& places, unsigned columns, const LayoutCandidate* rotating,
              std::uint64_t unit_bytes);

    /// Chooses the part and writes over it once, so that it is noted. False with a reason when the area is
    /// too small, without one when the probe ended.
    bool prepare(std::string& reason);

    unsigned columns() const { return columns_; }
    ArrayTimer& timer() { return timer_; }
    /// A unit of a column, and, where rotating parity is possible and asked for, with its parity there.
    /// Nothing when there is none such.
    std::optional<std::uint64_t> any_unit(unsigned column, std::optional<unsigned> parity);
    MixedRequest write_to(std::uint64_t unit);
    /// Anywhere in the scratch area.
    MixedRequest read_of(unsigned column);
    /// Median times of requests one at a time, in the part that is written.
    struct Single {
        double read_s = 0, write_s = 0;
        double durable_s = 0;  // a write and the flush after it, where there is one
    };
    std::optional<Single> time_of_singles();

 private:
    ArrayTimer& timer_;
    UnitPlaces places_, window_;
    unsigned columns_;
    const LayoutCandidate* rotating_;
    std::uint64_t unit_bytes_;
};

}  // namespace diskwright
