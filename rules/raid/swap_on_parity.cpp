// SPDX-License-Identifier: BSD-2-Clause
// RAID022: paging on to a parity set.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

struct Swap {
    std::string device;
    Provenance from;
};

std::vector<Swap> swap_areas(const HostFacts& host) {
    std::vector<Swap> out;
    const auto add = [&](const std::string& device, const Provenance& from) {
        const bool known =
            std::any_of(out.begin(), out.end(), [&](const Swap& s) { return same_device(s.device, device); });
        if (!known && device.find('/') != 0) out.push_back({device, from});
    };
    for (const SwapArea& s : host.swap) add(device_name(s.device), s.size_bytes.from());
    for (const FstabEntry& e : host.fstab)
        if (e.type.is("swap")) add(device_name(e.device), e.type.from());
    // A partition made for it, where no list says what is in use.
    if (host.swap.empty() && host.fstab.empty())
        for (const Partition& p : host.partitions)
            if (p.type && icontains(*p.type, "swap")) add(p.name, p.type.from());
    return out;
}

void check(const RuleContext& context, Findings& out) {
    for (const Swap& swap : swap_areas(context.host)) {
        const Volume* set = set_below(context.graph, swap.device);
        if (set && !set->level && !set->kind.is(VolumeKind::crypto) && !set->kind.is(VolumeKind::lvm))
            out.skip(swap.device, {status_command(*set)});
        if (!set || !has_parity_units(*set) || set->kind.is(VolumeKind::zfs)) continue;
        auto report = out.report(swap.device);
        report
            .message(fmt::format(
                "swap lies on {}, a RAID {}: each page written costs reads and writes on several disks when "
                "memory is short already",
                set->name, to_string(*set->level)))
            .evidence(swap.from)
            .evidence(set->level)
            .change(Setting::swap_remove, swap.device, true)
            .note("swap on a mirror, or on plain partitions of several disks, in its place");
        if (set->kind.is(VolumeKind::hardware)) report.at_most(Severity::info);
    }
}

}  // namespace

extern const Rule raid_swap_on_parity;
const Rule raid_swap_on_parity{
    {.code = "RAID022",
     .slug = "swap-on-parity",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "swap on RAID 4, 5 or 6",
     .why = "Pages are written in small pieces at random places, which is what parity sets do worst, and at "
            "a time when the system waits for them. raidctl(8) advises against swap on RAID 5; degraded sets "
            "may even need memory to write. A mirror keeps the host alive through a disk failure just as "
            "well.",
     .cost =
         "4 disk operations for each page on RAID 5, 6 on RAID 6. No figure is published for paging itself.",
     .remedy = "Swap on RAID 1 or on plain partitions.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 16384, "spares": 1, "autoconfigure": true, "parity_map": true, "state": "optimal"}], "partitions": [{"name": "raid0b", "parent": "raid0", "scheme": "disklabel", "start_bytes": 0, "size_bytes": 8589934592, "type": "swap"}], "swap": [{"device": "raid0b", "size_bytes": 8589934592}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "1", "columns": 2, "data_disks": 1, "stripe_unit_bytes": 16384, "autoconfigure": true, "parity_map": true, "state": "optimal"}], "swap": [{"device": "raid0b", "size_bytes": 8589934592}]})",
     .references = "raidctl(8), swapctl(8)"},
    check};

}  // namespace diskwright
