// SPDX-License-Identifier: BSD-2-Clause
// Words of ssacli, hpssacli and hpacucli for levels and states.
#pragma once

#include <optional>
#include <string_view>

#include "probes/model/enums.hpp"

namespace diskwright {

/// "RAID 1+0", "6 (ADG)", "5".
std::optional<RaidLevel> ssacli_level(std::string_view word);

/// Of a logical drive: "OK", "Interim Recovery Mode", "Recovering, 26% complete".
struct SsacliCondition {
    std::optional<VolumeState> state;
    std::optional<Activity> activity;
};
SsacliCondition ssacli_condition(std::string_view text);
/// Of a physical drive: "OK", "Predictive Failure", "Failed".
std::optional<ComponentState> ssacli_drive_state(std::string_view text);

}  // namespace diskwright
