// SPDX-License-Identifier: BSD-2-Clause
// Which units of an array lie on the same disk, by batches of concurrent reads: a batch takes as long as its
// busiest disk. As in Denehy, Bent, Popovici, A. and R. Arpaci-Dusseau: "Deconstructing Storage Arrays"
// (ASPLOS 2004), the batches are of units that would share one disk; unlike there, every batch counts for and
// against all layouts at once, and the next one is that on which the two likeliest differ most.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/timing/array/array_timer.hpp"
#include "probes/timing/array/layout_candidates.hpp"

namespace diskwright {

/// Places of units, past what of the device lies before the first whole one.
class UnitPlaces {
 public:
    /// Of the area that begins at first_byte of the array.
    UnitPlaces(ArrayTimer& timer, std::uint64_t unit_bytes, std::uint64_t first_byte,
               std::uint64_t size_bytes);
    /// Units numbered from `first` on, `count` of them, all in these.
    UnitPlaces part(std::uint64_t first, std::uint64_t count) const;
    /// Whole units; their numbers count from the first byte of the array.
    std::uint64_t first() const { return first_; }
    std::uint64_t count() const { return count_; }
    std::uint64_t any_unit();
    /// Any unit that is `residue` modulo `period`, which is not over count().
    std::uint64_t any_unit(std::uint64_t residue, std::uint64_t period);
    /// Somewhere within the unit.
    ReadRequest any_read(std::uint64_t unit);

 private:
    ArrayTimer* timer_;
    std::uint64_t unit_bytes_, first_byte_, first_ = 0, count_ = 0, length_;
};

struct ReadLayout {
    /// What reads do not tell apart; none: not decided. All of them share reads, or none does.
    std::vector<const LayoutCandidate*> left;
    std::uint64_t batches = 0;
    double lead = 0;        // log of the likelihood ratio to the next best class
    double explained = 0;   // share of the variation of the times
    double deviation = 0;   // of the logarithms of the times from what is explained
    double pair_ratio = 0;  // time of two reads of one column to that of two reads of two columns
    std::string reason;     // why none is left
};

ReadLayout find_read_layout(ArrayTimer& timer, UnitPlaces& places, double random_s);

}  // namespace diskwright
