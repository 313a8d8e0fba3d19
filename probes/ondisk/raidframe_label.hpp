// SPDX-License-Identifier: BSD-2-Clause
// The component label of RAIDframe: its fields, and what speaks against its being a whole one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/ondisk/structure.hpp"

namespace diskwright::raidframe {

/// Of the label, and of the area in which the parity map follows it.
inline constexpr std::size_t label_size = 392, label_area = 1024;
inline constexpr std::uint64_t protected_sectors = 64;
inline constexpr std::uint64_t most_rows = 10, most_columns = 40, most_units = 4096;

namespace field {
inline constexpr std::size_t version = 0, serial_number = 4, mod_counter = 8, row = 12, column = 16,
                             num_rows = 20, num_columns = 24, clean = 28, status = 32;
inline constexpr std::size_t sect_per_su = 36, sus_per_pu = 40, sus_per_ru = 44, parity_config = 48,
                             max_outstanding = 52, block_size = 56, num_blocks = 60, partition_size = 64;
inline constexpr std::size_t map_modcount = 68, map_flags = 72, map_tickms = 76, map_ntick = 80,
                             map_regions = 84;
inline constexpr std::size_t autoconfigure = 200, root_partition = 204, last_unit = 208, config_order = 212,
                             num_blocks_hi = 216, partition_size_hi = 220;
}  // namespace field

// rf_paritymap.h: RF_PMLABEL_VALID, RF_PMLABEL_WASUSED and all of them.
inline constexpr std::uint64_t map_valid = 1, map_was_used = 2, map_all_flags = 7;
inline constexpr std::uint64_t most_regions = 4096, most_ticks = 128, shortest_tick_ms = 10;

struct Layout {
    char letter;
    std::optional<RaidLevel> level;  // nothing: no kernel is built with it, and none of ours maps it
    std::string_view name;
};
/// Null when no layout has that letter.
const Layout* layout_of(std::uint64_t letter);

// RF_DiskStatus_t.
inline constexpr std::array<ComponentState, 8> states{
    ComponentState::optimal, ComponentState::failed, ComponentState::rebuilding, ComponentState::failed,
    ComponentState::failed,  ComponentState::spare,  ComponentState::used_spare, ComponentState::rebuilding};

struct Doubt {
    std::size_t field;
    std::string text;
    bool vital = false;  // nothing of the set can be read without it
};

class Label {
 public:
    Label(Structure in, const ByteSource& source);

    std::uint64_t word(std::size_t offset) const { return in_.u32(offset); }
    const Structure& in() const { return in_; }
    std::uint64_t blocks() const { return blocks_; }
    std::uint64_t sector() const { return word(field::block_size); }
    /// Version 1 ends behind the status; later kernels filled the rest in all the same.
    bool has_layout() const { return has_layout_; }
    const std::vector<Doubt>& doubts() const { return doubts_; }
    const Doubt* vital_doubt() const;

 private:
    void doubt(bool certain, std::size_t offset, std::string_view name, bool vital = false);
    void check_place();
    void check_layout();
    void check_sizes(std::optional<std::uint64_t> device_bytes);
    void check_flags();
    void check_parity_map();

    Structure in_;
    std::uint64_t blocks_ = 0, partition_ = 0;
    bool has_layout_ = true;
    std::vector<Doubt> doubts_;
};

/// "wd0e@0x4018: component label: Num Columns 0".
std::string said(const Label& label, const Doubt& doubt);
/// Nothing where those bytes are no label in either order; bad_data for a label of a version that is not
/// known.
Result<std::optional<Label>> find_label(const Structure& bytes, const ByteSource& source);

}  // namespace diskwright::raidframe
