// SPDX-License-Identifier: BSD-2-Clause
// Random places that are the same for a seed everywhere: the distributions and shuffles of the standard
// library differ between its implementations.
#pragma once

#include <array>
#include <cstdint>

#include "probes/support/random.hpp"

namespace diskwright {

/// The numbers 0..count-1 in a random order, each at exactly one index, without a table: a Feistel network
/// over the next even number of bits, walked until it is back in range.
class Permutation {
 public:
    Permutation(std::uint64_t count, std::uint64_t seed) : count_(count) {
        while (half_bits_ < 32 && (std::uint64_t{1} << (2 * half_bits_)) < count) ++half_bits_;
        for (std::uint64_t i = 0; i < keys_.size(); ++i) keys_[i] = hash(seed * keys_.size() + i);
    }
    std::uint64_t size() const { return count_; }
    /// index below size().
    std::uint64_t operator[](std::uint64_t index) const {
        std::uint64_t at = index;
        do at = round_trip(at);
        while (at >= count_);
        return at;
    }

 private:
    static std::uint64_t hash(std::uint64_t bits) { return Random(bits).next(); }
    std::uint64_t round_trip(std::uint64_t at) const {
        const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
        std::uint64_t left = at >> half_bits_, right = at & mask;
        for (const std::uint64_t key : keys_) {
            const std::uint64_t next = left ^ (hash(right ^ key) & mask);
            left = right;
            right = next;
        }
        return (left << half_bits_) | right;
    }
    std::uint64_t count_;
    unsigned half_bits_ = 1;
    std::array<std::uint64_t, 4> keys_{};
};

}  // namespace diskwright
