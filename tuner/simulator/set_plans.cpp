// SPDX-License-Identifier: BSD-2-Clause
// What a driver of sets plans for a request.
#include <algorithm>

#include "tuner/simulator/set_driver.hpp"

namespace diskwright {

// Pieces come in the order of the volume.
template <class F>
void SetDriver::each_stripe(std::span<const UnitPiece> pieces, const F& f) const {
    for (std::size_t i = 0; i < pieces.size();) {
        const std::uint64_t stripe = pieces[i].unit / layout_.data_units();
        std::size_t end = i + 1;
        while (end < pieces.size() && pieces[end].unit / layout_.data_units() == stripe) ++end;
        f(stripe, pieces.subspan(i, end - i));
        i = end;
    }
}

// Reads, then writes.
void SetDriver::end_chain(ArrayPlan& plan) {
    for (auto* requests : {&stripe_.reads, &stripe_.writes}) {
        if (policy_.joins) join_neighbours(*requests);
        for (const ComponentRequest& request : *requests) plan.add(request);
        plan.end_step();
    }
    stripe_.clear();
}

void SetDriver::add_locks(ArrayPlan& plan, std::uint64_t stripe, std::span<const UnitPiece> pieces,
                          bool write) {
    StripeLock lock;
    lock.stripe = stripe;
    lock.exclusive = write || policy_.locks == SetPolicy::Locks::all;
    lock.range = {0, UINT64_MAX};
    switch (policy_.locks) {
        case SetPolicy::Locks::none:
            return;
        case SetPolicy::Locks::writes:
            if (!write) return;
            break;
        case SetPolicy::Locks::all:
            break;
        case SetPolicy::Locks::parity_ranges:
            if (layout_.has_parity()) {
                parity_.parity_ranges(pieces, lock.range, lock.second);
            } else {
                // The mirror stands for the parity; of a stripe of several units the first two are looked at.
                const auto range_of = [&](const UnitPiece& piece) {
                    return StripeLock::Range{
                        piece.unit * layout_.unit_blocks() + piece.offset,
                        piece.unit * layout_.unit_blocks() + piece.offset + piece.blocks};
                };
                lock.range = range_of(pieces.front());
                if (pieces.size() > 1) lock.second = range_of(pieces[1]);
            }
            break;
    }
    plan.locks.push_back(lock);
}

void SetDriver::read_copies(const UnitPiece& piece) {
    const ArrayLayout::Unit& unit = layout_.unit(piece.unit);
    std::vector<ComponentPlace> copies;
    for (const ComponentPlace& copy : unit.copies)
        if (health_.holds(copy.column, copy.block + piece.offset + piece.blocks)) copies.push_back(copy);
    if (copies.empty()) copies = unit.copies;
    std::uint64_t offset = piece.offset;
    std::uint32_t left = piece.blocks, part = left;
    const bool split = policy_.balance == MirrorBalance::split && piece.blocks > policy_.slice_blocks;
    if (split) part = static_cast<std::uint32_t>((piece.blocks + copies.size() - 1) / copies.size());
    for (std::size_t turn = 0; left > 0; ++turn) {
        const std::uint32_t blocks = std::min(part, left);
        const std::size_t chosen = split ? turn : mirror_.choose(copies, offset, blocks, array_);
        stripe_.reads.push_back({copies[chosen].block + offset, blocks, copies[chosen].column,
                                 DriveOperation::read, ComponentUse::data, false});
        offset += blocks;
        left -= blocks;
    }
}

void SetDriver::plan_read(ArrayPlan& plan, const DriveRequest& part) {
    if (layout_.is_byte_striped()) return plan_byte_striped(plan, part);
    layout_.pieces(part.block, part.blocks, pieces_);
    each_stripe(pieces_, [&](std::uint64_t stripe, std::span<const UnitPiece> pieces) {
        add_locks(plan, stripe, pieces, false);
        if (layout_.has_parity()) {
            parity_.read(stripe, pieces, stripe_);
        } else {
            for (const UnitPiece& piece : pieces) read_copies(piece);
        }
        if (!policy_.joins) {
            end_chain(plan);
            plan.end_chain();
        }
    });
    end_chain(plan);
}

void SetDriver::plan_write(ArrayPlan& plan, std::span<const Extent> extents, bool through) {
    all_pieces_.clear();
    for (const Extent& extent : extents) {
        layout_.pieces(extent.first, extent.end - extent.first, pieces_);
        all_pieces_.insert(all_pieces_.end(), pieces_.begin(), pieces_.end());
    }
    each_stripe(all_pieces_, [&](std::uint64_t stripe, std::span<const UnitPiece> pieces) {
        add_locks(plan, stripe, pieces, true);
        if (!layout_.has_parity()) {
            for (const UnitPiece& piece : pieces)
                for (const ComponentPlace& copy : layout_.unit(piece.unit).copies)
                    if (health_.holds(copy.column, copy.block + piece.offset + piece.blocks) ||
                        (health_.rebuilding && policy_.parity != ParityChoice::half_of_units))
                        stripe_.writes.push_back({copy.block + piece.offset, piece.blocks, copy.column,
                                                  DriveOperation::write, ComponentUse::data, through});
        } else if (parity_.one_by_one(stripe, pieces)) {
            for (const UnitPiece& piece : pieces) {
                parity_.write(stripe, {&piece, 1}, stripe_);
                end_chain(plan);
            }
        } else {
            parity_.write(stripe, pieces, stripe_);
        }
        for (ComponentRequest& request : stripe_.writes) request.through = through;
        if (!policy_.joins) {
            end_chain(plan);
            plan.end_chain();
        }
    });
    end_chain(plan);
}

// freebsd/freebsd-src: sys/geom/raid3/g_raid3.c. With round-robin, reads take the parity component in turn.
void SetDriver::plan_byte_striped(ArrayPlan& plan, const DriveRequest& part) {
    const std::uint32_t data = layout_.columns() - 1;
    const std::uint64_t first = part.block / data, end = (part.block + part.blocks + data - 1) / data;
    const auto blocks = static_cast<std::uint32_t>(end - first);
    const bool write = part.operation == DriveOperation::write;
    std::uint32_t left_out = layout_.columns();
    if (!write) {
        left_out = data;
        if (policy_.balance == MirrorBalance::round_robin)
            left_out = static_cast<std::uint32_t>(turn_++ % (data + 1));
        if (health_.missing && !health_.rebuilding) left_out = *health_.missing;
    }
    for (std::uint32_t i = 0; i <= data; ++i) {
        const std::uint64_t block = layout_.reserved_blocks() + first;
        const bool there = health_.holds(i, block + blocks) || (write && health_.rebuilding);
        if (i == left_out || !there) continue;
        const ComponentUse use = i < data ? ComponentUse::data : ComponentUse::parity;
        plan.add({block, blocks, i, part.operation, use, part.through});
        if (use != ComponentUse::parity) continue;
        ++(write ? array_.counters().parity_writes : array_.counters().recovery_reads);
        array_.counters().parity_blocks_written += write ? blocks : 0;
    }
    plan.end_step();
}

}  // namespace diskwright
