// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/array_layout.hpp"

#include <algorithm>

#include "probes/model/redundancy.hpp"
#include "probes/model/storage_graph.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t block_bytes = 512;
constexpr std::size_t kept = 1024;  // units and stripes, by their number modulo this

Number assumed(std::uint64_t value) {
    return Number(value, {});
}

}  // namespace

ArrayLayout::ArrayLayout(Volume volume, const std::vector<std::uint64_t>& component_blocks)
    : volume_(std::move(volume)), columns_(static_cast<std::uint32_t>(component_blocks.size())) {
    volume_.columns = assumed(columns_);
    const RaidLevel level = *volume_.level;
    parity_ = is_parity(volume_);
    mirrored_ = level == RaidLevel::raid1 || level == RaidLevel::raid10;
    byte_striped_ = level == RaidLevel::raid3;
    if (byte_striped_ && columns_ > 1) volume_.logical_sector_bytes = assumed(block_bytes * (columns_ - 1));
    std::uint64_t least = UINT64_MAX;
    std::vector<std::uint64_t> sizes;
    for (const std::uint64_t blocks : component_blocks) {
        Component component;
        component.size_bytes = assumed(blocks * block_bytes);
        const Number reserved = reserved_bytes(volume_, component);
        if (volume_.components.empty() && volume_.kind.is(VolumeKind::md)) {
            // What mdadm keeps free since 3.3 (md-raid-utilities/mdadm: super1.c): 128 MiB, on small members
            // less.
            std::uint64_t head = std::uint64_t{128} << 20;
            while (head > (std::uint64_t{1} << 20) && head << 10 > *component.size_bytes) head >>= 1;
            reserved_blocks_ = head / block_bytes;
        } else if (reserved) {
            reserved_blocks_ = *reserved / block_bytes;
        }
        const std::uint64_t data = blocks > reserved_blocks_ ? blocks - reserved_blocks_ : 0;
        component.data_offset_bytes = assumed(reserved_blocks_ * block_bytes);
        component.used_bytes = assumed(data * block_bytes);
        least = std::min(least, data);
        sizes.push_back(data);
        volume_.components.push_back(component);
    }
    if (columns_ == 0) return;
    component_data_blocks_ = least;
    unit_blocks_ = volume_.stripe_unit_bytes.value_or(0) / block_bytes;
    const bool striped = is_striped(volume_) || level == RaidLevel::raid0 || parity_;
    if (!(striped || (mirrored_ && volume_.kind.is(VolumeKind::raidframe)))) unit_blocks_ = 0;
    if (level == RaidLevel::raid10)
        data_units_ = columns_;  // where a row of them ends is the layout's business
    else if (!byte_striped_ && level != RaidLevel::concat)
        data_units_ = static_cast<std::uint32_t>(data_columns(volume_, columns_).value_or(1));
    if (level == RaidLevel::concat) {
        std::uint64_t end = 0;
        for (const std::uint64_t size : sizes) ends_.push_back(end += size);
    }
    blocks_ = size_by_level(least);
    units_.resize(kept);
    stripes_.resize(parity_ && !byte_striped_ ? kept : 0);
    // The end of a volume whose copies do not come out even.
    while (blocks_ > 0 && unit_blocks_ > 0) {
        const auto at = places(blocks_ / unit_blocks_ - 1);
        if (at.empty()) {
            blocks_ = 0;
        } else if (std::any_of(at.begin(), at.end(), [&](const ComponentPlace& place) {
                       return place.block + unit_blocks_ > reserved_blocks_ + least;
                   })) {
            blocks_ -= unit_blocks_;
        } else {
            break;
        }
    }
    if (unit_blocks_ == 0 && blocks_ > 0 && places(0).empty()) blocks_ = 0;
}

std::uint64_t ArrayLayout::size_by_level(std::uint64_t least) const {
    const RaidLevel level = *volume_.level;
    if (level == RaidLevel::concat) return ends_.back();
    if (byte_striped_) return columns_ > 1 ? least * (columns_ - 1) : 0;
    if (unit_blocks_ == 0) return level == RaidLevel::raid1 ? least : 0;
    const std::uint64_t rows = least / unit_blocks_;
    if (level != RaidLevel::raid10) return rows * data_units_ * unit_blocks_;
    const std::size_t copies = copies_of(volume_, 0).size();
    return copies == 0 ? 0 : rows * columns_ / copies * unit_blocks_;
}

std::uint64_t ArrayLayout::unit_start(std::uint64_t unit) const {
    if (!ends_.empty()) return unit == 0 ? 0 : ends_[unit - 1];
    return unit * unit_blocks_;
}

std::vector<ComponentPlace> ArrayLayout::places(std::uint64_t unit) const {
    std::vector<ComponentPlace> out;
    for (const Location& at : copies_of(volume_, unit_start(unit) * block_bytes))
        out.push_back({static_cast<std::uint32_t>(at.column), reserved_blocks_ + at.byte / block_bytes});
    return out;
}

const ArrayLayout::Unit& ArrayLayout::unit(std::uint64_t number) {
    Unit& unit = units_[number % kept];
    if (unit.unit != number) unit = {number, places(number)};
    return unit;
}

const ArrayLayout::Stripe& ArrayLayout::stripe(std::uint64_t number) {
    Stripe& stripe = stripes_[number % kept];
    if (stripe.stripe == number) return stripe;
    stripe.stripe = number;
    stripe.data.clear();
    stripe.parity.clear();
    std::uint64_t byte = 0;
    for (std::uint64_t unit = number * data_units_; unit < (number + 1) * data_units_; ++unit) {
        const auto at = map_byte(volume_, unit * unit_blocks_ * block_bytes);
        if (!at) continue;
        byte = at->byte;
        stripe.data.push_back(static_cast<std::uint32_t>(at->column));
    }
    stripe.block = reserved_blocks_ + byte / block_bytes;
    if (const auto parity = parity_columns(volume_, byte)) {
        stripe.parity.push_back(static_cast<std::uint32_t>(parity->p));
        if (parity->q) stripe.parity.push_back(static_cast<std::uint32_t>(*parity->q));
    }
    return stripe;
}

void ArrayLayout::pieces(std::uint64_t block, std::uint64_t blocks, std::vector<UnitPiece>& out) const {
    out.clear();
    while (blocks > 0) {
        UnitPiece piece;
        std::uint64_t unit_end = UINT64_MAX;
        if (!ends_.empty()) {
            piece.unit = static_cast<std::uint64_t>(std::upper_bound(ends_.begin(), ends_.end(), block) -
                                                    ends_.begin());
            unit_end = ends_[piece.unit];
        } else if (unit_blocks_ > 0) {
            piece.unit = block / unit_blocks_;
            unit_end = (piece.unit + 1) * unit_blocks_;
        }
        piece.offset = block - unit_start(piece.unit);
        piece.blocks = static_cast<std::uint32_t>(std::min(blocks, unit_end - block));
        out.push_back(piece);
        block += piece.blocks;
        blocks -= piece.blocks;
    }
}

}  // namespace diskwright
