// SPDX-License-Identifier: BSD-2-Clause
// Where else a byte of a set is, or what it can be computed from, when a component is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probes/model/storage_graph.hpp"

namespace diskwright {

/// Whether the metadata tells a layout that has no name here. Nothing of such a set can be mapped.
bool has_unknown_layout(const Volume& volume);

/// How many of n columns hold the data of one row, a mirror's copies not counted. Nothing for a concatenation
/// and for RAID 10, whose layout decides.
std::optional<std::uint64_t> data_columns(const Volume& volume, std::uint64_t n);

/// Every place that holds this byte: the copies of a mirror, one place otherwise. Empty where map_byte() has
/// nothing.
std::vector<Location> copies_of(const Volume& volume, std::uint64_t byte);

/// Columns of the parity in the row that holds a byte of the components' data areas: p the sum of the others
/// (levels 3, 4, 5, 6), q the Reed-Solomon sum of level 6.
struct ParityColumns {
    std::uint64_t p = 0;
    std::optional<std::uint64_t> q;
};
std::optional<ParityColumns> parity_columns(const Volume& volume, std::uint64_t component_byte);

/// Level 6: the power of the generator that a column's byte is multiplied by in q. Nothing for p and q
/// themselves.
std::optional<std::uint64_t> q_exponent(const Volume& volume, const ParityColumns& parity,
                                        std::uint64_t column);

}  // namespace diskwright
