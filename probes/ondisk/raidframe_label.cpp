// SPDX-License-Identifier: BSD-2-Clause
// Component labels of RAIDframe: RF_ComponentLabel_t at byte 16384 of each component, 32-bit words in the
// byte order of the machine that wrote the first one. No magic number and no checksum: version, ranges and
// the relations between the fields tell a label from other bytes, and a damaged one from a whole one.
//
// Sources: NetBSD/src:sys/dev/raidframe/raidframevar.h (fields, RF_MAXROW, RF_MAXCOL, RF_PROTECTED_SECTORS),
// rf_netbsdkintf.c (RF_COMPONENT_INFO_OFFSET, rf_parity_map_offset, rf_reasonable_label, rf_swap_label,
// rf_fix_old_label_size, rf_does_it_fit), rf_paritymap.[ch] (flags and limits of the parity map),
// rf_layout.c (mapsw: the letters of the layouts).
#include "probes/ondisk/raidframe_label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "probes/support/text.hpp"

namespace diskwright::raidframe {
namespace {

constexpr std::array<Layout, 13> layouts{{{'0', RaidLevel::raid0, {}},
                                          {'1', RaidLevel::raid1, {}},
                                          {'4', RaidLevel::raid4, {}},
                                          {'5', RaidLevel::raid5, {}},
                                          {'T', {}, "parity declustering"},
                                          {'D', {}, "parity declustering with distributed sparing"},
                                          {'Q', {}, "declustered P+Q"},
                                          {'R', {}, "RAID 5 with rotated sparing"},
                                          {'C', {}, "chained declustering"},
                                          {'I', {}, "interleaved declustering"},
                                          {'E', {}, "EvenOdd"},
                                          {'e', {}, "declustered EvenOdd"},
                                          {'L', {}, "parity logging"}}};

// A single damaged field may contradict two others; bytes that are no label contradict most.
constexpr std::size_t most_doubts = 3;

// Most bytes are no label in either order, and looking closer costs.
bool may_be_label(const Structure& in) {
    const auto version = in.u32(field::version);
    return version == 1 || version == 2 ||
           (in.u32(field::clean) <= 1 && in.u32(field::num_rows) == 1 &&
            power_of_two(in.u32(field::block_size)));
}

}  // namespace

const Layout* layout_of(std::uint64_t letter) {
    for (const Layout& l : layouts)
        if (static_cast<unsigned char>(l.letter) == letter) return &l;
    return nullptr;
}

Label::Label(Structure in, const ByteSource& source) : in_(in) {
    check_place();
    if (word(field::version) == 1) {
        has_layout_ = false;
        for (std::size_t at = field::sect_per_su; at < label_size; at += 4)
            has_layout_ = has_layout_ || word(at) != 0;
    }
    if (!has_layout_) return;
    check_layout();
    check_sizes(source.size_bytes());
    check_flags();
    check_parity_map();
}

const Doubt* Label::vital_doubt() const {
    for (const Doubt& d : doubts_)
        if (d.vital) return &d;
    return nullptr;
}

void Label::doubt(bool certain, std::size_t offset, std::string_view name, bool vital) {
    if (!certain)
        doubts_.push_back({offset,
                           fmt::format("{} {}", name,
                                       std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(word(offset)))),
                           vital});
}

void Label::check_place() {
    const auto rows = word(field::num_rows), columns = word(field::num_columns);
    doubt(rows >= 1 && rows <= most_rows, field::num_rows, "Num Rows", true);
    doubt(columns >= 1 && columns <= most_columns, field::num_columns, "Num Columns", true);
    doubt(word(field::row) < rows, field::row, "Row", true);
    doubt(word(field::column) < columns, field::column, "Column", true);
    doubt(word(field::clean) <= 1, field::clean, "Clean");
    doubt(word(field::status) < states.size(), field::status, "Status");
}

void Label::check_layout() {
    const auto positive = [&](std::size_t at) { return word(at) >= 1 && word(at) <= 0x7fffffff; };
    doubt(positive(field::sect_per_su), field::sect_per_su, "sectPerSU", true);
    doubt(positive(field::sus_per_pu), field::sus_per_pu, "SUsPerPU");
    doubt(positive(field::sus_per_ru), field::sus_per_ru, "SUsPerRU");
    doubt(layout_of(word(field::parity_config)) != nullptr, field::parity_config, "RAID Level of code");
    // A char in the configuration, signed or not.
    const auto depth = word(field::max_outstanding);
    doubt(depth <= 255 || depth >= 0xffffff80, field::max_outstanding, "Queue size");
    doubt(power_of_two(sector()) && sector() >= 512 && sector() <= 65536, field::block_size, "blocksize",
          true);
}

void Label::check_sizes(std::optional<std::uint64_t> device_bytes) {
    const auto sum = [&](std::size_t low, std::size_t high) { return word(high) << 32 | word(low); };
    blocks_ = sum(field::num_blocks, field::num_blocks_hi);
    partition_ = sum(field::partition_size, field::partition_size_hi);
    // Kernels from before the high halves left other bytes there. Those of today drop them on a device that
    // needs none.
    const bool small = device_bytes && *device_bytes / std::max<std::uint64_t>(sector(), 1) < 1ULL << 32;
    const bool contradictory = blocks_ > partition_ && word(field::num_blocks) <= word(field::partition_size);
    if (small || contradictory) {
        doubt(word(field::num_blocks_hi) == 0, field::num_blocks_hi, "high half of numBlocks, ignored,");
        doubt(word(field::partition_size_hi) == 0 || !small, field::partition_size_hi,
              "high half of partitionSize, ignored,");
        blocks_ = word(field::num_blocks);
        if (small) partition_ = word(field::partition_size);
    }
    doubt(blocks_ > 0, field::num_blocks, "numBlocks", true);
    const auto unit = word(field::sect_per_su);
    if (unit > 0 && blocks_ % unit != 0)
        doubts_.push_back(
            {field::num_blocks, fmt::format("numBlocks {} is no multiple of sectPerSU {}", blocks_, unit)});
    if (partition_ < protected_sectors || blocks_ > partition_ - protected_sectors)
        doubts_.push_back({field::num_blocks,
                           fmt::format("numBlocks {} and {} reserved sectors do not fit in partitionSize {}",
                                       blocks_, protected_sectors, partition_)});
    if (device_bytes && multiply(partition_, sector()).value_or(~0ULL) > *device_bytes)
        doubts_.push_back(
            {field::partition_size, fmt::format("partitionSize {} is more than the {} bytes of the device",
                                                partition_, *device_bytes)});
}

void Label::check_flags() {
    doubt(word(field::autoconfigure) <= 1, field::autoconfigure, "Autoconfig");
    doubt(word(field::root_partition) <= 2, field::root_partition, "Root partition");
    doubt(word(field::last_unit) < most_units, field::last_unit, "Last configured as unit");
}

void Label::check_parity_map() {
    const auto flags = word(field::map_flags);
    doubt(flags <= map_all_flags, field::map_flags, "flags of the parity map");
    if (flags & map_valid) {
        const auto ticks = word(field::map_ntick), ms = word(field::map_tickms);
        doubt(ms >= shortest_tick_ms && ms <= 0x7fffffff, field::map_tickms, "tick of the parity map");
        doubt(ticks >= 1 && ticks <= most_ticks, field::map_ntick, "cooldown of the parity map");
        doubt(word(field::map_regions) <= most_regions, field::map_regions, "regions of the parity map");
    }
    if ((flags & map_valid || word(field::map_modcount) != 0) &&
        word(field::map_modcount) != word(field::mod_counter))
        doubts_.push_back(
            {field::map_modcount,
             fmt::format("the parity map counts {} changes where the label counts {}: one of the two is "
                         "damaged, or a kernel older than the map has used the set",
                         word(field::map_modcount), word(field::mod_counter))});
}

std::string said(const Label& label, const Doubt& d) {
    return fmt::format("{}: component label: {}", label.in().place(d.field), d.text);
}

Result<std::optional<Label>> find_label(const Structure& bytes, const ByteSource& source) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        if (!may_be_label(bytes.in_order(order))) continue;
        const Label label(bytes.in_order(order), source);
        const auto version = label.word(field::version);
        const std::size_t doubts = label.doubts().size();
        if (version == 1 || version == 2) {
            // So little is in a label of version 1 that all of it must fit.
            if (doubts > (version == 2 ? most_doubts : 0)) continue;
            return std::optional(label);
        }
        if (doubts == 0)
            return Error{ErrorKind::bad_data,
                         said(label, {field::version, fmt::format("version {:#x}", version)})};
    }
    return std::optional<Label>{};
}

}  // namespace diskwright::raidframe
