// SPDX-License-Identifier: BSD-2-Clause
// The stripe that a file system was told of, against that of the set below: shared by RAID010 and RAID018.
#pragma once

#include <cstdint>
#include <optional>

#include "probes/model/host_facts.hpp"
#include "probes/model/setting.hpp"
#include "rules/rule.hpp"

namespace diskwright {

struct StripeGeometry {
    const Volume* set = nullptr;
    Number unit, width;  // as the file system has them; unknown when not set
    Setting unit_setting{}, width_setting{};
    std::uint64_t right_width = 0;  // bytes; the set's
    bool unit_wrong = false, width_wrong = false;
    std::optional<std::uint64_t>
        older_disks;  // the width is that of a recorded, smaller number of data disks
};

/// Nothing when the file system records no stripe, or the set's is unknown.
std::optional<StripeGeometry> stripe_geometry(const RuleContext& context, const Filesystem& fs);

}  // namespace diskwright
