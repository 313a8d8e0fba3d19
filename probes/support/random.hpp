// SPDX-License-Identifier: BSD-2-Clause
// Random numbers that are the same on every platform: std::shuffle and the distributions of <random> are not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace diskwright {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        return mixed(state_);
    }
    /// Below `bound`, which is not 0; every number equally likely.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t uneven = (~std::uint64_t{0} - bound + 1) % bound;  // 2^64 mod bound
        for (;;)
            if (const std::uint64_t number = next(); number >= uneven) return number % bound;
    }
    /// In (0, 1].
    double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }
    /// Of the normal distribution (Box and Muller).
    double normal() {
        const double radius = std::sqrt(-2 * std::log(unit()));
        return radius * std::cos(2 * std::numbers::pi * unit());
    }
    template <class T>
    void shuffle(std::vector<T>& list) {
        for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[below(left)]);
    }

    static std::uint64_t mixed(std::uint64_t bits) {
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
        return bits ^ (bits >> 31);
    }

 private:
    std::uint64_t state_;
};

}  // namespace diskwright
