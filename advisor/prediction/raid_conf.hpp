// SPDX-License-Identifier: BSD-2-Clause
// raidctl's own reading of its configuration file, section by section, and what it says where it gives up.
// Source: NetBSD/src:sbin/raidctl/rf_configure.c (rf_MakeConfig), before and after numRow went with 9.0.
#pragma once

#include <variant>

#include "advisor/prediction/prediction.hpp"

namespace diskwright {

struct RaidConf {
    std::int64_t columns = 0, spares = 0;
    std::vector<std::string> disks, spare_disks;  // as the kernel gets them
    std::int64_t unit_sectors = 0, units_per_parity = 0, units_per_rebuild = 0;
    char level = 0;
};

/// warnings: what it prints and goes on.
std::variant<RaidConf, Refusal> read_raid_conf(const ToolRelease& release, const RaidRequest& request,
                                               std::vector<std::string>& warnings);

/// The kernel's part: components, labels, layout.
Prediction configure_set(const ToolRelease& release, const RaidRequest& request);

}  // namespace diskwright
