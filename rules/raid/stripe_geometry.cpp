// SPDX-License-Identifier: BSD-2-Clause
#include "rules/raid/stripe_geometry.hpp"

#include <algorithm>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"

namespace diskwright {
namespace {

// Numbers of data disks that the input says the set had before: a later listing took the place of an earlier
// one, or members record a reshape ("4->5" raid devices).
std::vector<std::uint64_t> older_data_disks(const HostFacts& host, const Volume& set) {
    std::vector<std::uint64_t> out;
    if (!set.data_disks || !set.columns || *set.columns < *set.data_disks) return out;
    const std::uint64_t redundancy = *set.columns - *set.data_disks;
    const auto from_columns = [&](std::uint64_t columns) {
        if (columns > redundancy && columns - redundancy < *set.data_disks)
            out.push_back(columns - redundancy);
    };
    for (const Conflict& c : host.conflicts) {
        if (c.subject != set.name || !c.superseded) continue;
        for (const auto& v : c.values)
            if (const auto n = to_unsigned(v.value); n && c.what.ends_with(".columns")) from_columns(*n);
    }
    if (set.reshape_change)
        if (const auto arrow = set.reshape_change->find("->"); arrow != std::string::npos) {
            std::size_t begin = arrow;
            while (begin > 0 && (*set.reshape_change)[begin - 1] >= '0' &&
                   (*set.reshape_change)[begin - 1] <= '9')
                --begin;
            if (const auto n =
                    to_unsigned(std::string_view(*set.reshape_change).substr(begin, arrow - begin)))
                from_columns(*n);
        }
    return out;
}

bool is_set(const Number& value) {
    return value.known() && *value != 0;
}

}  // namespace

std::optional<StripeGeometry> stripe_geometry(const RuleContext& context, const Filesystem& fs) {
    const bool xfs = is_set(fs.sunit_bytes) || is_set(fs.swidth_bytes);
    const bool ext = is_set(fs.stride_bytes) || is_set(fs.stripe_width_bytes);
    if (!xfs && !ext) return std::nullopt;
    StripeGeometry out;
    out.set = set_below(context.graph, fs.device);
    if (!out.set || !is_striped(*out.set) || !is_set(out.set->stripe_unit_bytes)) return std::nullopt;
    const auto widths = stripe_widths(*out.set);
    if (widths.empty()) return std::nullopt;
    const std::uint64_t unit = *out.set->stripe_unit_bytes;
    out.unit = xfs ? fs.sunit_bytes : fs.stride_bytes;
    out.width = xfs ? fs.swidth_bytes : fs.stripe_width_bytes;
    out.unit_setting = xfs ? Setting::xfs_sunit : Setting::ext_stride;
    out.width_setting = xfs ? Setting::xfs_swidth : Setting::ext_stripe_width;
    const auto is_width = [&](std::uint64_t disks) { return multiply(unit, disks) == *out.width; };
    out.unit_wrong = is_set(out.unit) && *out.unit != unit;
    out.width_wrong = is_set(out.width) && std::none_of(widths.begin(), widths.end(), is_width);
    const auto right = multiply(unit, widths.front());
    if (!right) return std::nullopt;
    out.right_width = *right;
    if (!out.unit_wrong && out.width_wrong)
        for (const std::uint64_t disks : older_data_disks(context.host, *out.set))
            if (is_width(disks)) out.older_disks = disks;
    return out;
}

}  // namespace diskwright
