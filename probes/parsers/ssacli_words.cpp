// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/ssacli_words.hpp"

#include <array>
#include <utility>

namespace diskwright {

std::optional<RaidLevel> ssacli_level(std::string_view word) {
    if (word.starts_with("RAID ")) word.remove_prefix(5);
    static constexpr std::array<std::pair<std::string_view, RaidLevel>, 7> levels{
        {{"0", RaidLevel::raid0},
         {"1", RaidLevel::raid1},
         {"1+0", RaidLevel::raid10},
         {"10", RaidLevel::raid10},
         {"5", RaidLevel::raid5},
         {"6", RaidLevel::raid6},
         {"6 (ADG)", RaidLevel::raid6}}};
    for (const auto& [name, level] : levels)
        if (word == name) return level;
    return std::nullopt;
}

SsacliCondition ssacli_condition(std::string_view text) {
    if (text == "OK") return {VolumeState::optimal, std::nullopt};
    if (text.starts_with("Interim Recovery Mode") || text.starts_with("Ready for R") ||
        text.starts_with("Ready Rebuild") || text.starts_with("Waiting for Rebuild"))
        return {VolumeState::degraded, std::nullopt};
    if (text.starts_with("Recovering") || text.starts_with("Rebuilding"))
        return {VolumeState::rebuilding, Activity::rebuild};
    if (text.starts_with("Transforming") || text.starts_with("Expanding"))
        return {VolumeState::optimal, Activity::reshape};
    if (text.starts_with("Failed")) return {VolumeState::failed, std::nullopt};
    return {};
}

std::optional<ComponentState> ssacli_drive_state(std::string_view text) {
    if (text == "OK" || text.starts_with("Predictive Failure")) return ComponentState::optimal;
    if (text.starts_with("Failed") || text.starts_with("Offline")) return ComponentState::failed;
    if (text.starts_with("Rebuilding")) return ComponentState::rebuilding;
    if (text.starts_with("Missing")) return ComponentState::missing;
    return std::nullopt;
}

}  // namespace diskwright
