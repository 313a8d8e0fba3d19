// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/simulator/disksim_keys.hpp"

namespace diskwright::disksim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_track = 1 << 20, most_zones = 4096, most_blocks = std::uint64_t{1} << 42;
constexpr double most_ms = 1e6;

std::vector<std::uint64_t> ascending(JsonObject& from, std::string_view key) {
    std::vector<std::uint64_t> out;
    for (const Json* element : from.list(key)) {
        if (!element->is_number_unsigned()) {
            from.fail(key, "not a list of whole numbers");
            return {};
        }
        out.push_back(element->get<std::uint64_t>());
    }
    return out;
}

// Skews are whole blocks there, or revolutions.
double skew(JsonObject& from, std::string_view key, bool revolutions, double track) {
    const double value = from.has(key) ? number(from, key, 0, double(most_track)) : 0;
    from.any(key);
    return revolutions ? value : std::floor(value) / track;
}

DriveZone read_zone(JsonObject& from, bool revolutions) {
    DriveZone zone;
    zone.first_cylinder = static_cast<std::uint32_t>(whole(from, "First cylinder number", 0, most_cylinders));
    zone.last_cylinder =
        static_cast<std::uint32_t>(whole(from, "Last cylinder number", zone.first_cylinder, most_cylinders));
    zone.blocks_per_track = static_cast<std::uint32_t>(whole(from, "Blocks per track", 1, most_track));
    if (const auto units = from.word("Skew units", {"sectors", "revolutions"}))
        revolutions = *units == "revolutions";
    const double track = zone.blocks_per_track;
    zone.first_block = skew(from, "Offset of first block", revolutions, track);
    zone.track_skew = skew(from, "Skew for track switch", revolutions, track);
    zone.cylinder_skew = skew(from, "Skew for cylinder switch", revolutions, track);
    zone.front_blocks = whole(from, "Empty space at zone front", 0, most_blocks);
    zone.spares = whole(from, "Number of spares", 0, std::uint64_t{1} << 32);
    zone.slips = ascending(from, "slips");
    std::sort(zone.slips.begin(), zone.slips.end());
    zone.slips.erase(std::unique(zone.slips.begin(), zone.slips.end()), zone.slips.end());
    const auto defects = ascending(from, "defects");
    if (defects.size() % 2 != 0) from.fail("defects", "not pairs of a place and its replacement");
    for (std::size_t i = 0; i + 1 < defects.size(); i += 2)
        if (defects[i] != defects[i + 1]) zone.remaps.emplace_back(defects[i], defects[i + 1]);
    pass_over(from, {"type"});
    from.reject_unknown_keys();
    return zone;
}

}  // namespace

void read_layout(JsonObject& from, DriveLayout& layout) {
    layout.order = static_cast<SurfaceOrder>(whole(from, "LBN-to-PBN mapping scheme", 0, 2));
    layout.sparing = static_cast<Sparing>(whole(from, "Sparing scheme used", 0, 10));
    layout.range_cylinders =
        static_cast<std::uint32_t>(whole(from, "Rangesize for sparing", 1, most_cylinders));
    const auto units = from.word("Skew units", {"sectors", "revolutions"});
    const auto zones = from.list("Zones");
    if (zones.empty() || zones.size() > most_zones)
        return from.fail("Zones", fmt::format("not from 1 to {}", most_zones));
    for (const Json* element : zones) {
        auto zone = from.element("Zones", layout.zones.size(), *element);
        layout.zones.push_back(read_zone(zone, units == "revolutions"));
        if (from.error()) return;
    }
    pass_over(from, {"type"});
    from.reject_unknown_keys();
}

namespace {

void read_seek_table(JsonObject& top, DriveSeek& seek) {
    for (const Json* row : top.list("seek_curve_cylinders_ms")) {
        const bool pair =
            row->is_array() && row->size() >= 2 && (*row)[0].is_number_unsigned() && (*row)[1].is_number();
        const std::uint64_t distance = pair ? (*row)[0].get<std::uint64_t>() : 0;
        const double time = pair ? (*row)[1].get<double>() : -1;
        if (distance == 0 || distance > most_cylinders || time < 0 || time > most_ms ||
            (!seek.table.empty() && distance <= seek.table.back().first))
            return top.fail("seek_curve_cylinders_ms", "not rising [cylinders, milliseconds]");
        seek.table.emplace_back(static_cast<std::uint32_t>(distance), time * ms);
    }
    if (seek.table.empty()) top.fail("seek_curve_cylinders_ms", "missing, and the seek type is extracted");
}

std::vector<double> numbers(JsonObject& from, std::string_view key, std::size_t count) {
    std::vector<double> out;
    for (const Json* element : from.list(key))
        out.push_back(element->is_number() ? element->get<double>() : -most_ms);
    const auto in_range = [](double value) { return value >= -most_ms && value <= double(most_cylinders); };
    if (out.size() != count || !std::all_of(out.begin(), out.end(), in_range)) {
        from.fail(key, fmt::format("not {} numbers", count));
        out.assign(count, 0);
    }
    return out;
}

void read_seek(JsonObject& from, JsonObject& top, DriveSeek& seek) {
    struct Type {
        std::string_view word;
        SeekKind kind;
    };
    constexpr std::array<Type, 6> types{{{"constant", SeekKind::constant},
                                         {"linear", SeekKind::three_point_line},
                                         {"curve", SeekKind::three_point_curve},
                                         {"hpl", SeekKind::hpl},
                                         {"hplplus10", SeekKind::hpl_first_ten},
                                         {"extracted", SeekKind::table}}};
    std::vector<std::string_view> words;
    for (const Type& type : types) words.push_back(type.word);
    const auto word = from.word("Seek type", words);
    if (!word) return from.fail("Seek type", "missing");
    for (const Type& type : types)
        if (type.word == *word) seek.kind = type.kind;
    const auto optional_seconds = [&](std::string_view key) {
        return from.has(key) ? seconds(from, key) : 0;
    };
    seek.constant_s = optional_seconds("Constant seek time");
    seek.single_s = optional_seconds("Single cylinder seek time");
    seek.average_s = optional_seconds("Average seek time");
    seek.full_s = optional_seconds("Full strobe seek time");
    if (seek.kind == SeekKind::table) read_seek_table(top, seek);
    if (seek.kind == SeekKind::hpl || seek.kind == SeekKind::hpl_first_ten) {
        const auto values = numbers(from, "HPL seek equation values", 6);
        seek.hpl_from = values[0];
        for (std::size_t i = 0; i < 4; ++i) seek.hpl[i] = values[i + 1] * ms;
        seek.single_s = std::max(0.0, values[5] * ms);
    }
    if (seek.kind == SeekKind::hpl_first_ten) {
        const auto values = numbers(from, "First ten seek times", 10);
        for (std::size_t i = 0; i < 10; ++i) seek.first_ten[i] = values[i] * ms;
    }
    pass_over(from, {"Full seek curve", "HPL seek equation values", "First ten seek times"});
}

}  // namespace

void read_mechanics(JsonObject& from, JsonObject& top, DriveMechanics& to) {
    const auto access =
        from.word("Access time type", {"constant", "averageRotation", "trackSwitchPlusRotation"});
    if (!access) from.fail("Access time type", "missing");
    if (access == "constant") to.access = AccessKind::constant;
    if (access == "averageRotation") to.access = AccessKind::average_rotation;
    if (from.has("Constant access time")) to.constant_access_s = seconds(from, "Constant access time");
    read_seek(from, top, to.seek);
    to.write_settle_s = number(from, "Add. write settling delay", -most_ms, most_ms) * ms;
    to.head_switch_s = seconds(from, "Head switch time");
    to.revolution_s = 60 / number(from, "Rotation speed (in rpms)", 1, 1e6);
    // The manual advises against a random speed; the nominal one is taken.
    pass_over(from, {"Percent error in rpms", "type"});
    from.reject_unknown_keys();
}

}  // namespace diskwright::disksim
