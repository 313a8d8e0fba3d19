// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/parity_planner.hpp"

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

bool covers(const UnitPiece& piece, std::uint64_t first, std::uint64_t end) {
    return piece.offset <= first && end <= piece.offset + piece.blocks;
}

}  // namespace

void ParityPlanner::add_read(const ArrayLayout::Stripe& stripe, std::uint32_t column, const Part& part,
                             ComponentUse use, StripeRequests& out) {
    const auto blocks = static_cast<std::uint32_t>(part.end - part.first);
    out.reads.push_back({stripe.block + part.first, blocks, column, DriveOperation::read, use, false});
    if (use == ComponentUse::recovery) {
        ++counters_.recovery_reads;
    } else if (use != ComponentUse::data) {
        ++counters_.parity_reads;
        counters_.parity_blocks_read += blocks;
    }
}

void ParityPlanner::add_write(const ArrayLayout::Stripe& stripe, std::uint32_t column, const Part& part,
                              ComponentUse use, StripeRequests& out) {
    if (!holds(stripe, column, part)) return;
    const auto blocks = static_cast<std::uint32_t>(part.end - part.first);
    out.writes.push_back({stripe.block + part.first, blocks, column, DriveOperation::write, use, false});
    if (use == ComponentUse::parity) {
        ++counters_.parity_writes;
        counters_.parity_blocks_written += blocks;
    }
}

void ParityPlanner::write_parity(const ArrayLayout::Stripe& stripe, const Part& part, StripeRequests& out) {
    for (const std::uint32_t parity : stripe.parity)
        add_write(stripe, parity, part, ComponentUse::parity, out);
}

void ParityPlanner::read(std::uint64_t number, std::span<const UnitPiece> pieces, StripeRequests& out) {
    const ArrayLayout::Stripe& stripe = layout_.stripe(number);
    for (const UnitPiece& piece : pieces) {
        const Part part{piece.offset, piece.offset + piece.blocks};
        const std::uint32_t at = column(stripe, piece);
        if (holds(stripe, at, part)) {
            add_read(stripe, at, part, ComponentUse::data, out);
            continue;
        }
        for (std::size_t i = 0; i < stripe.data.size(); ++i) {
            const std::uint64_t unit = number * layout_.data_units() + i;
            const bool read = std::any_of(pieces.begin(), pieces.end(), [&](const UnitPiece& other) {
                return other.unit == unit && covers(other, part.first, part.end);
            });
            if (stripe.data[i] != at && !read)
                add_read(stripe, stripe.data[i], part, ComponentUse::recovery, out);
        }
        add_read(stripe, stripe.parity.front(), part, ComponentUse::recovery, out);
    }
}

void ParityPlanner::parity_ranges(std::span<const UnitPiece> pieces, StripeLock::Range& range,
                                  StripeLock::Range& second) const {
    const UnitPiece &first = pieces.front(), &last = pieces.back();
    second = {};
    range = {0, layout_.unit_blocks()};
    if (pieces.size() == 1) {
        range = {first.offset, first.offset + first.blocks};
    } else if (pieces.size() == 2 && std::uint64_t{first.blocks} + last.blocks < layout_.unit_blocks()) {
        range = {first.offset, first.offset + first.blocks};
        second = {last.offset, last.offset + last.blocks};
    }
}

void ParityPlanner::write(std::uint64_t number, std::span<const UnitPiece> pieces, StripeRequests& out) {
    const ArrayLayout::Stripe& stripe = layout_.stripe(number);
    const std::size_t reads = out.reads.size();
    switch (choice_) {
        case ParityChoice::half_of_units:
            write_by_half(stripe, pieces, out);
            break;
        case ParityChoice::from_the_rest:
            for (const UnitPiece& piece : pieces) write_by_strip(stripe, piece, out);
            break;
        case ParityChoice::from_the_old:
        case ParityChoice::fewest_reads:
            write_by_part(stripe, pieces, out);
            break;
    }
    std::uint64_t written = 0;
    for (const UnitPiece& piece : pieces) written += piece.blocks;
    if (out.reads.size() == reads && written == layout_.unit_blocks() * layout_.data_units())
        ++counters_.full_stripes;
}

bool ParityPlanner::one_by_one(std::uint64_t number, std::span<const UnitPiece> pieces) {
    if (choice_ != ParityChoice::half_of_units || pieces.size() < 2) return false;
    const ArrayLayout::Stripe& stripe = layout_.stripe(number);
    return std::any_of(pieces.begin(), pieces.end(), [&](const UnitPiece& piece) {
        return piece.blocks != layout_.unit_blocks() &&
               !holds(stripe, column(stripe, piece), {piece.offset, piece.offset + piece.blocks});
    });
}

// Old data and old parity (rf_dagffwr.c, rf_CommonCreateSmallWriteDAG).
void ParityPlanner::read_old(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces,
                             std::span<const Part> parity, StripeRequests& out) {
    for (const UnitPiece& piece : pieces)
        add_read(stripe, column(stripe, piece), {piece.offset, piece.offset + piece.blocks},
                 ComponentUse::old_data, out);
    for (const std::uint32_t at : stripe.parity)
        for (const Part& part : parity)
            if (holds(stripe, at, part)) add_read(stripe, at, part, ComponentUse::parity, out);
}

// What a stripe's other units hold of a part: those a piece covers are known.
void ParityPlanner::read_rest(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces,
                              const Part& part, ComponentUse use, StripeRequests& out) {
    for (std::size_t i = 0; i < stripe.data.size(); ++i) {
        if (!holds(stripe, stripe.data[i], part)) continue;
        const std::uint64_t unit = stripe.stripe * layout_.data_units() + i;
        const auto piece =
            std::find_if(pieces.begin(), pieces.end(), [&](const UnitPiece& p) { return p.unit == unit; });
        if (piece == pieces.end()) {
            add_read(stripe, stripe.data[i], part, use, out);
            continue;
        }
        const Part before{part.first, std::min(part.end, piece->offset)};
        const Part behind{std::max(part.first, piece->offset + piece->blocks), part.end};
        if (before.first < before.end) add_read(stripe, stripe.data[i], before, use, out);
        if (behind.first < behind.end) add_read(stripe, stripe.data[i], behind, use, out);
    }
}

// rf_raid5.c (rf_RaidFiveDagSelect), rf_dagffwr.c, rf_dagdegwr.c.
void ParityPlanner::write_by_half(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces,
                                  StripeRequests& out) {
    StripeLock::Range range, second;
    parity_ranges(pieces, range, second);
    const std::array<Part, 2> parity{Part{range.first, range.end}, Part{second.first, second.end}};
    const std::span<const Part> parts(parity.data(), second.end > second.first ? 2 : 1);
    const Part whole{0, layout_.unit_blocks()};
    bool data_missing = false, stripe_missing = false;
    for (const UnitPiece& piece : pieces)
        data_missing = data_missing || !holds(stripe, column(stripe, piece), whole);
    for (const std::uint32_t at : stripe.data) stripe_missing = stripe_missing || !holds(stripe, at, whole);
    const bool parity_missing = !holds(stripe, stripe.parity.front(), whole);
    const std::uint32_t units = layout_.data_units();
    const bool small = (pieces.size() <= units / 2 && units != 1) || parts.size() == 2 || stripe_missing;
    if (data_missing) {
        for (const UnitPiece& piece : pieces)
            if (!holds(stripe, column(stripe, piece), whole))
                read_rest(stripe, pieces, {piece.offset, piece.offset + piece.blocks}, ComponentUse::recovery,
                          out);
    } else if (parity_missing) {
        // Nothing to keep up.
    } else if (small) {
        read_old(stripe, pieces, parts, out);
    } else {
        read_rest(stripe, pieces, whole, ComponentUse::old_data, out);
    }
    for (const UnitPiece& piece : pieces)
        add_write(stripe, column(stripe, piece), {piece.offset, piece.offset + piece.blocks},
                  ComponentUse::data, out);
    for (const Part& part : parts) write_parity(stripe, part, out);
}

// openbsd/src: sys/dev/softraid_raid5.c (sr_raid5_write).
void ParityPlanner::write_by_strip(const ArrayLayout::Stripe& stripe, const UnitPiece& piece,
                                   StripeRequests& out) {
    const Part part{piece.offset, piece.offset + piece.blocks};
    const std::uint32_t at = column(stripe, piece);
    const bool other_missing = std::any_of(stripe.data.begin(), stripe.data.end(), [&](std::uint32_t other) {
        return other != at && !holds(stripe, other, part);
    });
    if (holds(stripe, stripe.parity.front(), part)) {
        if (other_missing)
            read_old(stripe, {&piece, 1}, {&part, 1}, out);
        else
            read_rest(stripe, {&piece, 1}, part, ComponentUse::old_data, out);
        write_parity(stripe, part, out);
    }
    add_write(stripe, at, part, ComponentUse::data, out);
}

// torvalds/linux: drivers/md/raid5.c (handle_stripe_dirtying) decides for each page of the stripe; parts of a
// stripe in which the same units are written have the same answer.
void ParityPlanner::write_by_part(const ArrayLayout::Stripe& stripe, std::span<const UnitPiece> pieces,
                                  StripeRequests& out) {
    bounds_.clear();
    for (const UnitPiece& piece : pieces) {
        bounds_.push_back(piece.offset);
        bounds_.push_back(piece.offset + piece.blocks);
    }
    std::sort(bounds_.begin(), bounds_.end());
    bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
    for (std::size_t i = 0; i + 1 < bounds_.size(); ++i) {
        const Part part{bounds_[i], bounds_[i + 1]};
        std::vector<UnitPiece> written;
        bool data_missing = false, other_missing = false;
        for (const UnitPiece& piece : pieces)
            if (covers(piece, part.first, part.end))
                written.push_back(
                    {piece.unit, part.first, static_cast<std::uint32_t>(part.end - part.first)});
        if (written.empty()) continue;
        for (const UnitPiece& piece : written)
            data_missing = data_missing || !holds(stripe, column(stripe, piece), part);
        for (const std::uint32_t at : stripe.data) other_missing = other_missing || !holds(stripe, at, part);
        other_missing = other_missing && !data_missing;
        const auto parities = static_cast<std::size_t>(
            std::count_if(stripe.parity.begin(), stripe.parity.end(),
                          [&](std::uint32_t at) { return holds(stripe, at, part); }));
        const std::size_t old = written.size() + parities, rest = stripe.data.size() - written.size();
        const bool from_old =
            !data_missing && (other_missing || choice_ == ParityChoice::from_the_old || old < rest);
        if (parities > 0 && from_old)
            read_old(stripe, written, {&part, 1}, out);
        else if (parities > 0)
            read_rest(stripe, written, part, data_missing ? ComponentUse::recovery : ComponentUse::old_data,
                      out);
        for (const UnitPiece& piece : written)
            add_write(stripe, column(stripe, piece), part, ComponentUse::data, out);
        write_parity(stripe, part, out);
    }
}

void join_neighbours(std::vector<ComponentRequest>& requests) {
    std::stable_sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) {
        return a.component != b.component ? a.component < b.component : a.block < b.block;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (kept > 0 && requests[kept - 1].component == requests[i].component &&
            requests[kept - 1].operation == requests[i].operation &&
            requests[kept - 1].block + requests[kept - 1].blocks == requests[i].block)
            requests[kept - 1].blocks += requests[i].blocks;
        else
            requests[kept++] = requests[i];
    }
    requests.resize(kept);
}

}  // namespace diskwright
