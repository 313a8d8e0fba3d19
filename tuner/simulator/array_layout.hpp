// SPDX-License-Identifier: BSD-2-Clause
// Where the blocks of a volume lie on its components. The mapping is that of the storage graph
// (probes/model/storage_graph.hpp, redundancy.hpp), asked once for each unit and kept as long as it is in
// use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright {

struct ComponentPlace {
    std::uint32_t column = 0;
    std::uint64_t block = 0;  // of the component, reserved area included
};

/// The part of a request that lies in one unit.
struct UnitPiece {
    std::uint64_t unit = 0;
    std::uint64_t offset = 0;  // blocks from the start of the unit
    std::uint32_t blocks = 0;
};

class ArrayLayout {
 public:
    /// component_blocks: of each component's partition. The volume names kind, level, unit, layout and
    /// columns; its components are made here.
    ArrayLayout(Volume volume, const std::vector<std::uint64_t>& component_blocks);

    /// 0 when the mapping is not known or the components are too small.
    std::uint64_t blocks() const { return blocks_; }
    std::uint32_t columns() const { return columns_; }
    std::uint64_t unit_blocks() const { return unit_blocks_; }
    /// Units of data in a stripe; 1 for plain mirrors and concatenations.
    std::uint32_t data_units() const { return data_units_; }
    bool has_parity() const { return parity_; }
    bool is_mirrored() const { return mirrored_; }
    /// A request to the volume goes to all components, each a share of every sector.
    bool is_byte_striped() const { return byte_striped_; }
    const Volume& volume() const { return volume_; }
    std::uint64_t reserved_blocks() const { return reserved_blocks_; }
    /// What of a component holds data.
    std::uint64_t component_data_blocks() const { return component_data_blocks_; }

    struct Unit {
        std::uint64_t unit = UINT64_MAX;
        std::vector<ComponentPlace> copies;  // the first one first
    };
    const Unit& unit(std::uint64_t number);

    /// Of a set with parity.
    struct Stripe {
        std::uint64_t stripe = UINT64_MAX;
        std::uint64_t block = 0;            // of each component, where its unit begins
        std::vector<std::uint32_t> data;    // columns, in the order of the volume
        std::vector<std::uint32_t> parity;  // P, and Q where there is one
    };
    const Stripe& stripe(std::uint64_t number);

    /// Cuts at units.
    void pieces(std::uint64_t block, std::uint64_t blocks, std::vector<UnitPiece>& out) const;
    std::uint64_t unit_start(std::uint64_t unit) const;

 private:
    std::uint64_t size_by_level(std::uint64_t least_blocks) const;
    std::vector<ComponentPlace> places(std::uint64_t unit) const;

    Volume volume_;
    std::vector<std::uint64_t> ends_;  // of a concatenation's components, on the volume
    std::vector<Unit> units_;
    std::vector<Stripe> stripes_;
    std::uint64_t blocks_ = 0, unit_blocks_ = 0, reserved_blocks_ = 0, component_data_blocks_ = 0;
    std::uint32_t columns_ = 0, data_units_ = 1;
    bool parity_ = false, mirrored_ = false, byte_striped_ = false;
};

}  // namespace diskwright
