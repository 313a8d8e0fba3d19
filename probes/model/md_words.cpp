// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/md_words.hpp"

#include <array>
#include <utility>

#include "probes/support/text.hpp"

namespace diskwright {

std::optional<RaidLevel> md_level(std::string_view word) {
    if (word.starts_with("raid")) word.remove_prefix(4);
    constexpr std::array<std::pair<std::string_view, RaidLevel>, 9> levels{{{"0", RaidLevel::raid0},
                                                                            {"stripe", RaidLevel::raid0},
                                                                            {"1", RaidLevel::raid1},
                                                                            {"mirror", RaidLevel::raid1},
                                                                            {"4", RaidLevel::raid4},
                                                                            {"5", RaidLevel::raid5},
                                                                            {"6", RaidLevel::raid6},
                                                                            {"10", RaidLevel::raid10},
                                                                            {"linear", RaidLevel::concat}}};
    for (const auto& [name, level] : levels)
        if (name == word) return level;
    return std::nullopt;
}

bool md_is_redundant(RaidLevel level) {
    return level != RaidLevel::raid0 && level != RaidLevel::concat;
}

std::optional<std::string_view> md_layout_name(std::uint64_t algorithm) {
    // md-raid-utilities/mdadm:maps.c; 16 to 20 are RAID 6 layouts that a RAID 5 is converted through.
    switch (algorithm) {
        case 0:
            return "left-asymmetric";
        case 1:
            return "right-asymmetric";
        case 2:
            return "left-symmetric";
        case 3:
            return "right-symmetric";
        case 4:
            return "parity-first";
        case 5:
            return "parity-last";
        case 8:
            return "ddf-zero-restart";
        case 9:
            return "ddf-N-restart";
        case 10:
            return "ddf-N-continue";
        case 16:
            return "left-asymmetric-6";
        case 17:
            return "right-asymmetric-6";
        case 18:
            return "left-symmetric-6";
        case 19:
            return "right-symmetric-6";
        case 20:
            return "parity-first-6";
        default:
            return std::nullopt;
    }
}

std::string md_device_name(std::string_view as_written) {
    const std::string name = device_name(as_written);
    if (name.starts_with("md/") && to_unsigned(std::string_view(name).substr(3)))
        return "md" + name.substr(3);
    return name;
}

std::string md_name_of_set(std::string_view set_name) {
    const auto colon = set_name.rfind(':');
    const auto number = colon == std::string_view::npos ? set_name : set_name.substr(colon + 1);
    if (to_unsigned(number)) return "md" + std::string(number);
    return std::string(set_name);
}

VolumeState md_state(RaidLevel level, std::uint64_t columns, std::uint64_t absent, bool rebuilding) {
    if (absent == 0) return VolumeState::optimal;
    std::uint64_t bearable = 0;
    switch (level) {
        case RaidLevel::raid1:
            bearable = columns == 0 ? 0 : columns - 1;
            break;
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            bearable = 1;
            break;
        case RaidLevel::raid6:
            bearable = 2;
            break;
        // Which members of a RAID 10 may go together depends on its layout; md stops by itself when data is
        // lost.
        case RaidLevel::raid10:
            bearable = columns;
            break;
        default:
            break;
    }
    if (absent > bearable) return VolumeState::failed;
    return rebuilding ? VolumeState::rebuilding : VolumeState::degraded;
}

std::optional<std::uint64_t> md_chunk_bytes(std::string_view text) {
    const auto number = leading_unsigned(text);
    if (!number) return std::nullopt;
    if (number->rest.empty()) return multiply(number->value, KiB);
    return to_size(text);
}

}  // namespace diskwright
