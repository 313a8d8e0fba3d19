// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace diskwright {

/// What writes of one length cost that begin at one place within it.
struct Phase {
    std::uint64_t from = 0;  // bytes, modulo the length
    double cost_s = 0, error_s = 0;
};

struct PhasePattern {
    enum class Kind { alike, aligned, unclear };
    Kind kind = Kind::unclear;
    std::uint64_t sector = 0, offset = 0;  // when aligned: the period of the cheap ones, and the first
    std::string why;                       // when unclear
};

/// Whether some places are cheaper than the rest by what a turn (or, without one, a quarter of the cost)
/// is, and lie regularly. turn_s: 0 for none. phases: evenly spaced from 0 to below `length`.
PhasePattern pattern_of(std::span<const Phase> phases, std::uint64_t length, double turn_s);

}  // namespace diskwright
