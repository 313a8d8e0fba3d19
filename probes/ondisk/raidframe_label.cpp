// SPDX-License-Identifier: BSD-2-Clause
// Component labels of RAIDframe: RF_ComponentLabel_t at byte 16384 of each component, 32-bit words in the
// byte order of the machine that wrote the first one. No magic number and no checksum: version, ranges and
// the relations between the fields tell a label from other bytes, and a damaged one from a whole one.
//
// Sources: NetBSD/src:sys/dev/raidframe/raidframevar.h (fields, RF_MAXROW, RF_MAXCOL, RF_PROTECTED_SECTORS),
// rf_netbsdkintf.c (RF_COMPONENT_INFO_OFFSET, rf_parity_map_offset, rf_reasonable_label, rf_swap_label,
// rf_fix_old_label_size, rf_does_it_fit), rf_paritymap.[ch] (flags and limits of the parity map),
// rf_layout.c (mapsw: the letters of the layouts).
#include <fmt/format.h>

#include <array>
#include <bit>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t label_size = 392, label_area = 1024;
constexpr std::uint64_t protected_sectors = 64;
constexpr std::uint64_t most_rows = 10, most_columns = 40, most_units = 4096;

namespace field {
constexpr std::size_t version = 0, serial_number = 4, mod_counter = 8, row = 12, column = 16, num_rows = 20,
                      num_columns = 24, clean = 28, status = 32;
constexpr std::size_t sect_per_su = 36, sus_per_pu = 40, sus_per_ru = 44, parity_config = 48,
                      max_outstanding = 52, block_size = 56, num_blocks = 60, partition_size = 64;
constexpr std::size_t map_modcount = 68, map_flags = 72, map_tickms = 76, map_ntick = 80, map_regions = 84;
constexpr std::size_t autoconfigure = 200, root_partition = 204, last_unit = 208, num_blocks_hi = 216,
                      partition_size_hi = 220;
}  // namespace field

// rf_paritymap.h: RF_PMLABEL_VALID, RF_PMLABEL_WASUSED and all of them.
constexpr std::uint64_t map_valid = 1, map_was_used = 2, map_all_flags = 7;
constexpr std::uint64_t most_regions = 4096, most_ticks = 128, shortest_tick_ms = 10;

struct Layout {
    char letter;
    std::optional<RaidLevel> level;  // nothing: no kernel is built with it, and none of ours maps it
    std::string_view name;
};
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

const Layout* layout_of(std::uint64_t letter) {
    for (const Layout& l : layouts)
        if (static_cast<unsigned char>(l.letter) == letter) return &l;
    return nullptr;
}

// RF_DiskStatus_t.
constexpr std::array<ComponentState, 8> states{
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

// A single damaged field may contradict two others; bytes that are no label contradict most.
constexpr std::size_t most_doubts = 3;

std::string said(const Label& label, const Doubt& d) {
    return fmt::format("{}: component label: {}", label.in().place(d.field), d.text);
}

// Most bytes are no label in either order, and looking closer costs.
bool may_be_label(const Structure& in) {
    const auto version = in.u32(field::version);
    return version == 1 || version == 2 ||
           (in.u32(field::clean) <= 1 && in.u32(field::num_rows) == 1 &&
            power_of_two(in.u32(field::block_size)));
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

// How much may differ, of a set that is in use or was not shut down.
std::string dirty_regions(ByteSource& source, const Label& label) {
    const auto flags = label.word(field::map_flags);
    if ((flags & (map_valid | map_was_used)) != (map_valid | map_was_used)) return {};
    const std::uint64_t at = raidframe_label_at + std::max<std::uint64_t>(label_area, label.sector());
    const auto map = source.read(at, most_regions / 8);
    if (!map) return {};
    int dirty = 0;
    for (const std::byte b : *map) dirty += std::popcount(std::to_integer<unsigned>(b));
    return fmt::format("; {} regions of the parity map may differ", dirty);
}

void write_layout(const Label& label, Volume& set) {
    const Structure& in = label.in();
    const auto letter = label.word(field::parity_config);
    const Layout* layout = layout_of(letter);
    const auto rows = label.word(field::num_rows);
    const std::string text = fmt::format(
        "RAID Level {}", layout ? std::string(1, layout->letter) : fmt::format("of code {}", letter));
    if (!layout)
        set.level = Known<RaidLevel>::unknown(text);
    else if (rows > 1)
        set.level = Known<RaidLevel>::unknown(fmt::format("{} in {} rows", text, rows));
    else if (layout->level)
        set.level = Known<RaidLevel>(*layout->level, in.from(field::parity_config, text));
    else
        set.level = Known<RaidLevel>::unknown(fmt::format("{}: {}", text, layout->name));
    if (layout && !layout->level)
        set.layout = Text(std::string(layout->name), in.from(field::parity_config, text));
    set.logical_sector_bytes = in.known(label.sector(), field::block_size, "blocksize");
    const auto unit = label.word(field::sect_per_su);
    set.stripe_unit_bytes =
        Number(unit * label.sector(), in.from(field::sect_per_su, fmt::format("sectPerSU {}", unit)));
}

void write_flags(const Label& label, Volume& set) {
    const Structure& in = label.in();
    if (const auto flag = label.word(field::autoconfigure); flag <= 1)
        set.autoconfigure =
            Flag(flag == 1, in.from(field::autoconfigure, flag == 1 ? "Autoconfig: Yes" : "Autoconfig: No"));
    constexpr std::array<std::string_view, 3> roots{"No", "Force", "Soft"};
    if (const auto root = label.word(field::root_partition); root < roots.size())
        set.root = Text(std::string(roots.at(root)),
                        in.from(field::root_partition, fmt::format("Root partition: {}", roots.at(root))));
    // The map as it is, not as the next configure makes it. A set without parity has none to speak of.
    const auto flags = label.word(field::map_flags);
    if (flags & map_valid && flags <= map_all_flags && !set.level.is(RaidLevel::raid0))
        set.parity_map = Flag((flags & map_was_used) != 0,
                              in.from(field::map_flags, fmt::format("parity map flags {:#x}", flags)));
}

Volume set_of(ByteSource& source, const Label& label, const Provenance& from) {
    Volume set;
    const Structure& in = label.in();
    set.kind = Known<VolumeKind>(VolumeKind::raidframe, from);
    const auto columns = label.word(field::num_rows) * label.word(field::num_columns);
    set.columns = in.known(columns, field::num_columns, "Num Columns");
    if (label.has_layout()) {
        write_layout(label, set);
        write_flags(label, set);
        if (const auto unit = label.word(field::last_unit); unit < most_units)
            set.name = fmt::format("raid{}", unit);
    }
    if (set.level.is(RaidLevel::raid0)) return set;
    if (label.word(field::clean) == 1)
        set.parity_clean = Flag(true, in.from(field::clean, "Clean: Yes"));
    else
        set.parity_clean = Flag::unknown("the label says Clean: No: the set is in use or was not shut down" +
                                         dirty_regions(source, label));
    return set;
}

Member member_of(ByteSource& source, const Label& label) {
    Member m;
    const auto version = label.word(field::version), serial = label.word(field::serial_number),
               counter = label.word(field::mod_counter);
    m.from = label.in().from(
        0, fmt::format("component label: Version: {}, Serial Number: {}, Mod Counter: {}, Row: {}, Column: "
                       "{}{}",
                       version, serial, counter, label.word(field::row), label.word(field::column),
                       label.in().order() == ByteOrder::big ? ", big-endian" : ""));
    m.set = set_of(source, label, m.from);
    m.device = source.name();
    m.metadata_at = label.in().at();
    m.identity = fmt::format("raidframe {} {}x{} {}", serial, label.word(field::num_rows),
                             label.word(field::num_columns), m.set.name);
    if (const auto status = label.word(field::status); status < states.size())
        m.state = states.at(static_cast<std::size_t>(status));
    if (m.state != ComponentState::spare)
        m.column = label.word(field::row) * label.word(field::num_columns) + label.word(field::column);
    const std::uint64_t sector = label.has_layout() ? label.sector() : source.sector_bytes();
    m.data_offset_bytes = protected_sectors * sector;
    if (label.has_layout()) m.data_bytes = multiply(label.blocks(), sector);
    m.events = counter;
    return m;
}

}  // namespace

Result<bool> read_raidframe_label(ByteSource& source, Found& found) {
    const auto bytes = read_structure(source, raidframe_label_at, label_size);
    if (!bytes) return bytes.error();
    if (!*bytes) return false;
    const auto label = find_label(**bytes, source);
    if (!label) return label.error();
    if (!*label) return false;
    if (const Doubt* d = (*label)->vital_doubt()) return Error{ErrorKind::bad_data, said(**label, *d)};
    for (const Doubt& d : (*label)->doubts()) found.damage.push_back(said(**label, d));
    found.members.push_back(member_of(source, **label));
    suggest_os(source, found, Os::netbsd, found.members.back().from);
    return true;
}

}  // namespace diskwright
