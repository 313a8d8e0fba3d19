// SPDX-License-Identifier: BSD-2-Clause
// Reads and writes of one stripe with parity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/simulator/array_layout.hpp"
#include "tuner/simulator/array_plan.hpp"
#include "tuner/simulator/component_health.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {

/// How the new parity of a stripe that is not written whole is found.
enum class ParityChoice : std::uint8_t {
    half_of_units,  // RAIDframe: from the old data and parity up to half of the data units, else from the
                    // rest
    from_the_rest,  // softraid 5: for each strip, from the same part of all others
    from_the_old,   // softraid 6
    fewest_reads,   // md and controllers: whichever needs fewer, for each part of the stripe
};

/// Reads that come first, and writes that follow; what is next to each other is not joined.
struct StripeRequests {
    std::vector<ComponentRequest> reads, writes;
    void clear() {
        reads.clear();
        writes.clear();
    }
};

class ParityPlanner {
 public:
    /// The last three outlive it.
    ParityPlanner(ParityChoice choice, ArrayLayout& layout, const ComponentHealth& health,
                  ArrayCounters& counters)
        : choice_(choice), layout_(layout), health_(health), counters_(counters) {}

    /// Pieces of one stripe, in the order of the volume, none of them touching the other's blocks. Added to
    /// out.
    void read(std::uint64_t stripe, std::span<const UnitPiece> pieces, StripeRequests& out);
    void write(std::uint64_t stripe, std::span<const UnitPiece> pieces, StripeRequests& out);

    /// RAIDframe can't write these pieces together while a component is missing: it takes them one by one
    /// (NetBSD/src: sys/dev/raidframe/rf_raid5.c, rf_RaidFiveDagSelect; rf_aselect.c).
    bool one_by_one(std::uint64_t stripe, std::span<const UnitPiece> pieces);

    /// Of the parity that a write of these pieces touches: what RAIDframe locks (rf_map.c,
    /// rf_ASMParityAdjust). Blocks from the start of the unit.
    void parity_ranges(std::span<const UnitPiece> pieces, StripeLock::Range& range,
                       StripeLock::Range& second) const;

 private:
    struct Part {
        std::uint64_t first = 0, end = 0;  // of a unit
    };
    std::uint32_t column(const ArrayLayout::Stripe& stripe, const UnitPiece& piece) const {
        return stripe.data[piece.unit - stripe.stripe * layout_.data_units()];
    }
    bool holds(const ArrayLayout::Stripe& stripe, std::uint32_t column, const Part& part) const {
        return health_.holds(column, stripe.block + part.end);
    }
    void add_read(const ArrayLayout::Stripe& stripe, std::uint32_t column, const Part& part, ComponentUse use,
                  StripeRequests& out);
    void add_write(const ArrayLayout::Stripe& stripe, std::uint32_t column, const Part& part,
                   ComponentUse use, StripeRequests& out);
    void write_parity(const ArrayLayout::Stripe& stripe, const Part& part, StripeRequests& out);
    void read_old(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces,
                  std::span<const Part> parity, StripeRequests& out);
    void write_by_half(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces,
                       StripeRequests& out);
    void write_by_strip(const ArrayLayout::Stripe& stripe, const UnitPiece& piece, StripeRequests& out);
    void write_by_part(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces,
                       StripeRequests& out);
    void read_rest(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces, const Part& part,
                   ComponentUse use, StripeRequests& out);

    ParityChoice choice_;
    ArrayLayout& layout_;
    const ComponentHealth& health_;
    ArrayCounters& counters_;
    std::vector<std::uint64_t> bounds_;
};

/// Requests of one step that follow each other on a component become one.
void join_neighbours(std::vector<ComponentRequest>& requests);

}  // namespace diskwright
