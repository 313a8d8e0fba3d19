// SPDX-License-Identifier: BSD-2-Clause
// The facts of a component label: the set as raidctl -s and -g print it, and what this component is in it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/raidframe_label.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace raidframe {
namespace {

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

// What the kernel compares before it counts a component to a set
// (NetBSD/src:sys/dev/raidframe/rf_netbsdkintf.c, rf_does_it_fit).
std::vector<Member::Shared> shared_fields(const Label& label) {
    std::vector<Member::Shared> out{{"Serial Number", label.word(field::serial_number)},
                                    {"Num Rows", label.word(field::num_rows)},
                                    {"Num Columns", label.word(field::num_columns)}};
    if (!label.has_layout()) return out;
    for (const auto& [name, at] : {std::pair{"sectPerSU", field::sect_per_su},
                                   {"SUsPerPU", field::sus_per_pu},
                                   {"SUsPerRU", field::sus_per_ru},
                                   {"RAID Level", field::parity_config},
                                   {"Queue size", field::max_outstanding},
                                   {"blocksize", field::block_size},
                                   {"Autoconfig", field::autoconfigure},
                                   {"Root partition", field::root_partition},
                                   {"Last configured as unit", field::last_unit},
                                   {"Config order", field::config_order}})
        out.push_back({name, label.word(at)});
    out.push_back({"numBlocks", label.blocks()});
    return out;
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
    const bool doubted = std::any_of(label.doubts().begin(), label.doubts().end(),
                                     [](const Doubt& d) { return d.field == field::num_blocks; });
    if (label.has_layout() && !doubted) m.data_bytes = multiply(label.blocks(), sector);
    m.events = counter;
    m.shared = shared_fields(label);
    return m;
}

}  // namespace
}  // namespace raidframe

Result<bool> read_raidframe_label(ByteSource& source, Found& found) {
    using namespace raidframe;
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
