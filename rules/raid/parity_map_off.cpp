// SPDX-License-Identifier: BSD-2-Clause
// RAID003: large members without a parity map or write-intent bitmap.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// What one member holds of the set.
Number member_bytes(const StorageGraph& graph, const Volume& set) {
    Number smallest;
    for (const Component* c : data_components(set)) {
        const Number size = c->used_bytes ? c->used_bytes : component_size(graph, *c);
        if (size && (!smallest || *size < *smallest)) smallest = size;
    }
    if (smallest) return smallest;
    if (set.size_bytes && set.data_disks && *set.data_disks > 0)
        return Number(*set.size_bytes / *set.data_disks, set.size_bytes.from());
    return Number::unknown("size of a member");
}

bool has_maps(const HostFacts& host, const Volume& set) {
    if (set.kind.is(VolumeKind::raidframe)) {
        // Parity maps came with NetBSD 6; the RAIDframe of the other systems never had them.
        if (host.os.name && !host.is(Os::netbsd)) return false;
        return major_release(host).value_or(6) >= 6;
    }
    if (!set.kind.is(VolumeKind::md)) return false;
    // A journal device does the same and more; external metadata (imsm, ddf) has rules of its own.
    if (std::any_of(set.components.begin(), set.components.end(),
                    [](const Component& c) { return c.role.is("journal"); }))
        return false;
    return !set.metadata || set.metadata->starts_with("0.9") || set.metadata->starts_with("1.");
}

std::string resynchronisation_cost(std::uint64_t member, bool raidframe) {
    return fmt::format(
        "{:.1f} hours of resynchronisation after each crash at {}; what it costs to keep {} "
        "up to date is not published",
        static_cast<double>(member) / (raidframe ? 6.4e6 : 100e6) / 3600,
        raidframe ? "6.4 MB/s, a unit of 64 KiB each tick at HZ=100 (tech-kern, 2011)" : "100 MB/s",
        raidframe ? "the map" : "the bitmap");
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        if (!is_redundant(set) || !has_maps(context.host, set) || set.parity_map.is(true)) continue;
        const Number member = member_bytes(context.graph, set);
        if (member && *member <= context.thresholds.parity_map_above_bytes) continue;
        const bool raidframe = set.kind.is(VolumeKind::raidframe);
        if (!set.parity_map) {
            if (!is_only_configured(set) && (raidframe || !is_inactive(set)))
                out.skip(set.name,
                         {raidframe ? fmt::format("raidctl -m {}", set.name) : status_command(set)});
            continue;
        }
        if (!member) {
            out.skip(set.name, {status_command(set)});
            continue;
        }
        out.report(set.name)
            .message(fmt::format("no {}: after a crash all {} of each member are compared again",
                                 raidframe ? "parity map" : "write-intent bitmap", human_size(*member)))
            .evidence(set.parity_map)
            .evidence(member)
            .cost(resynchronisation_cost(*member, raidframe))
            .change(Setting::raid_parity_map, set.name, true)
            .note(raidframe ? "takes effect when the set is configured next" : "");
    }
}

}  // namespace

extern const Rule raid_parity_map_off;
const Rule raid_parity_map_off{
    {.code = "RAID003",
     .slug = "parity-map-off",
     .severity = Severity::notice,
     .impact = 3,
     .summary = "a large redundant set has no parity map or write-intent bitmap",
     .why = "The map remembers which regions were being written. With it a crash, or a member that dropped "
            "out and comes back, costs minutes of resynchronisation; without it every sector of every member "
            "is read, for hours in which the set is slow and, with a member absent, unprotected. Small "
            "members are soon done.",
     .cost = "A whole resynchronisation after each crash: a terabyte at 100 MB/s is three hours; RAIDframe "
             "at one "
             "64 KiB unit per tick and HZ=100 runs at 6.4 MB/s (tech-kern, 2011). What a map costs while "
             "writing is not published.",
     .remedy = "NetBSD 6 and later: raidctl -M yes, then configure the set again. Linux: mdadm --grow "
               "--bitmap=internal, in place. mdadm 4.4 no longer adds one by itself.",
     .bad =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "1", "columns": 2, "data_disks": 1, "size_bytes": 1000068677632, "parity_map": false, "state": "optimal"}]})",
     .good =
         R"({"os": {"name": "linux"}, "volumes": [{"name": "md0", "kind": "md", "level": "1", "columns": 2, "data_disks": 1, "size_bytes": 1000068677632, "parity_map": true, "state": "optimal"}]})",
     .references = "raidctl(8), md(4), mdadm(8)"},
    check};

}  // namespace diskwright
