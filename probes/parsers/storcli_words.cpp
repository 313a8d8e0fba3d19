// SPDX-License-Identifier: BSD-2-Clause
// The legends below storcli's own tables explain the words.
#include "probes/parsers/storcli_words.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

template <class T, std::size_t N>
std::optional<T> look_up(const std::array<std::pair<std::string_view, T>, N>& table, std::string_view word) {
    const auto at =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return iequals(row.first, word); });
    return at == table.end() ? std::nullopt : std::optional(at->second);
}

bool is_size_unit(std::string_view word) {
    return word == "MB" || word == "GB" || word == "TB" || word == "PB";
}

std::string_view span(std::string_view first, std::string_view last) {
    return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

}  // namespace

std::string_view storcli_cell(const Cells& header, const Cells& row, std::string_view column) {
    const auto at =
        static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin());
    return at < row.size() && at < header.size() ? row[at] : std::string_view{};
}

std::optional<StorcliVolumeRow> storcli_volume_row(const Cells& header, const Cells& row) {
    if (row.size() < 8) return std::nullopt;
    const auto slash = row[0].find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto number = to_unsigned(row[0].substr(slash + 1));
    if (!number) return std::nullopt;
    StorcliVolumeRow out{to_unsigned(row[0].substr(0, slash)).value_or(*number),
                         *number,
                         storcli_cell(header, row, "TYPE"),
                         storcli_cell(header, row, "State"),
                         storcli_cell(header, row, "Cache"),
                         {}};
    const auto unit = std::find_if(row.begin() + 6, row.end(), is_size_unit);
    if (unit != row.end()) out.size = span(*(unit - 1), *unit);
    return out;
}

std::optional<StorcliDriveRow> storcli_drive_row(const Cells& header, const Cells& row) {
    const auto colon = row.empty() ? std::string_view::npos : row[0].find(':');
    if (colon == std::string_view::npos || row.size() < 9) return std::nullopt;
    StorcliDriveRow out;
    out.enclosure = row[0].substr(0, colon), out.slot = row[0].substr(colon + 1);
    if (!to_unsigned(out.slot) || (!out.enclosure.empty() && !to_unsigned(out.enclosure)))
        return std::nullopt;
    out.state = storcli_cell(header, row, "State");
    out.group = to_unsigned(storcli_cell(header, row, "DG"));
    // Behind the size, of two words, come interface, medium, SED, PI, sector ("512B" or "4 KB") and the
    // model.
    const auto medium = std::find_if(row.begin() + 4, row.end(),
                                     [](std::string_view word) { return word == "HDD" || word == "SSD"; });
    if (row.end() - medium < 5) return out;
    out.rotational = *medium == "HDD";
    auto next = medium + 3;
    const bool apart = next + 1 != row.end() && *(next + 1) == "KB";
    const auto sector = to_size(apart ? span(*next, *(next + 1)) : *next);
    if (sector && (*sector == 512 || *sector == 4096)) out.sector_bytes = sector;
    next += apart ? 2 : 1;
    const std::ptrdiff_t behind = header.back() == "Type" ? 2 : 1;
    if (row.end() - next > behind) out.model = span(*next, *(row.end() - behind - 1));
    return out;
}

std::optional<RaidLevel> controller_level(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, RaidLevel>, 5> levels{
        {{"RAID0", RaidLevel::raid0},
         {"RAID1", RaidLevel::raid1},
         {"RAID5", RaidLevel::raid5},
         {"RAID6", RaidLevel::raid6},
         {"RAID10", RaidLevel::raid10}}};
    return look_up(levels, word);
}

std::optional<VolumeState> storcli_volume_state(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, VolumeState>, 6> states{
        {{"Optl", VolumeState::optimal},
         {"Dgrd", VolumeState::degraded},
         {"Pdgd", VolumeState::degraded},
         {"OfLn", VolumeState::failed},
         {"Offln", VolumeState::failed},
         {"Rec", VolumeState::rebuilding}}};
    return look_up(states, word);
}

std::optional<ComponentState> storcli_drive_state(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, ComponentState>, 9> states{
        {{"Onln", ComponentState::optimal},
         {"Cpybck", ComponentState::optimal},
         {"Offln", ComponentState::failed},
         {"Failed", ComponentState::failed},
         {"UBad", ComponentState::failed},
         {"Rbld", ComponentState::rebuilding},
         {"Msng", ComponentState::missing},
         {"GHS", ComponentState::spare},
         {"DHS", ComponentState::spare}}};
    return look_up(states, word);
}

std::optional<CachePolicy> storcli_cache(std::string_view word) {
    if (word.starts_with('N')) word.remove_prefix(1);
    if (!word.starts_with('R')) return std::nullopt;
    word.remove_prefix(1);
    if (word.starts_with("AWB")) return CachePolicy{true, true};
    if (word.starts_with("WB")) return CachePolicy{true, false};
    if (word.starts_with("WT")) return CachePolicy{false, false};
    return std::nullopt;
}

std::string_view battery_word(std::string_view state) {
    if (icontains(state, "learn")) return "learning";
    if (icontains(state, "missing") || iequals(state, "Msng") || iequals(state, "Absent")) return "missing";
    if (icontains(state, "charging")) return {};
    if (iequals(state, "Optimal") || iequals(state, "Opt") || iequals(state, "OK")) return "ok";
    if (icontains(state, "fail") || icontains(state, "degraded") || icontains(state, "attention") ||
        icontains(state, "replace"))
        return "failed";
    return {};
}

StorcliTable storcli_table(const Cells& w) {
    const auto has = [&](std::string_view word) { return std::find(w.begin(), w.end(), word) != w.end(); };
    if (w.size() < 2) return StorcliTable::none;
    if (w[0] == "DG/VD" && has("State")) return StorcliTable::volumes;
    if (w[0] == "EID:Slt" && has("State")) return StorcliTable::drives;
    if (w[0] == "DG" && has("Row") && has("Type")) return StorcliTable::topology;
    if (w[0] == "Model" && w[1] == "State" && has("Temp")) return StorcliTable::battery;
    if (w[0] == "Property" && w[1] == "Value") return StorcliTable::properties;
    if (w[0] == "Ctl" && has("BBU")) return StorcliTable::overview;
    return StorcliTable::none;
}

std::optional<StorcliAddress> storcli_address(std::string_view word) {
    if (!word.starts_with("/c")) return std::nullopt;
    const auto controller = leading_unsigned(word.substr(2));
    if (!controller) return std::nullopt;
    StorcliAddress out{controller->value, std::nullopt};
    if (controller->rest.starts_with("/v"))
        if (const auto volume = leading_unsigned(controller->rest.substr(2))) out.volume = volume->value;
    return out;
}

}  // namespace diskwright
