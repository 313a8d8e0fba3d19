// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "probes/support/clock.hpp"
#include "probes/support/random.hpp"

namespace diskwright {

/// What is written to a scratch area. No two calls and no two runs give the same bytes, so that nothing below
/// can leave a write out as a repetition; and no mark of signature_marks() consists of such bytes alone, so
/// that what is left behind is taken for no structure.
class Filler {
 public:
    /// The clock's time makes the run another one than the last.
    explicit Filler(Clock& clock) : random_(Random(static_cast<std::uint64_t>(clock.now().count())).next()) {}

    void fill(std::span<std::byte> out) {
        for (std::size_t i = 0; i < out.size(); i += sizeof(std::uint64_t)) {
            const std::uint64_t word = 0x8080808080808080U | (random_.next() & 0x3f3f3f3f3f3f3f3fU);
            std::memcpy(&out[i], &word, std::min(sizeof word, out.size() - i));
        }
    }

 private:
    Random random_;
};

}  // namespace diskwright
