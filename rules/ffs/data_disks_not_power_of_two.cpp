// SPDX-License-Identifier: BSD-2-Clause
// FFS004: a parity volume on which no FFS block can be a stripe.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rules/ffs/ffs.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// Volumes on which, or on whose partitions, something else than FFS is known to lie, and no FFS.
std::set<const Volume*> without_ffs(const RuleContext& context) {
    std::set<const Volume*> ffs, other;
    for (const Filesystem& fs : context.host.filesystems) {
        const Volume* volume = fs.type ? context.graph.on_volume(fs.device).volume : nullptr;
        if (volume) (is_ffs(fs) ? ffs : other).insert(volume);
    }
    for (const Volume* volume : ffs) other.erase(volume);
    return other;
}

void check(const RuleContext& context, Findings& out) {
    if (context.host.is(Os::linux_)) return;  // no FFS to be read and written there
    // A controller's set may serve any system.
    const bool ffs_host = context.host.os.name.known() || std::any_of(context.host.filesystems.begin(),
                                                                      context.host.filesystems.end(), is_ffs);
    const auto other_use = without_ffs(context);
    for (const Volume& v : context.host.volumes) {
        if (!v.kind || v.kind.is(VolumeKind::md) || v.kind.is(VolumeKind::zfs) || v.kind.is(VolumeKind::lvm))
            continue;
        if (v.kind.is(VolumeKind::hardware) && !ffs_host) continue;
        if (v.kind.is(VolumeKind::graid3)) continue;  // takes no other number, so that one is misread
        if (!is_parity(v)) continue;
        if (!v.data_disks) {
            out.skip(v.name, {status_command(v)});
            continue;
        }
        const std::uint64_t n = *v.data_disks;
        if (n == 0 || (n & (n - 1)) == 0 || other_use.contains(&v)) continue;
        out.report(v.name)
            .message(
                fmt::format("{} data disks: no FFS block, always a power of two, can be a whole stripe", n))
            .evidence(v.data_disks)
            .evidence(v.level)
            .note(
                "one disk more or less (two, four or eight data disks) when the set is next made; until then "
                "a unit that is a multiple of the block keeps each block on one data disk");
    }
}

}  // namespace

extern const Rule ffs_data_disks_not_power_of_two;
const Rule ffs_data_disks_not_power_of_two{
    {.code = "FFS004",
     .slug = "data-disks-not-power-of-two",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "no FFS block can be a whole stripe of this parity volume",
     .why = "FFS blocks are powers of two from 4 to 64 KiB. Stripe unit times data disks is one only when "
            "the number of data disks is one too: RAID 5 of 3, 5 or 9 components, RAID 6 of 4, 6 or 10. With "
            "any other number every block write pays for reading old data and parity. md and ZFS collect "
            "writes themselves and are not judged.",
     .cost = "raidctl(8): a short write is 2 to 4 times slower than a full stripe.",
     .remedy = "Choose the number of components when the set is made; spare disks can be hot spares.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 16384, "data_disks": 3, "columns": 4, "spares": 1, "autoconfigure": true, "parity_clean": true, "parity_map": true}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "stripe_unit_bytes": 16384, "data_disks": 4, "columns": 5, "spares": 1, "autoconfigure": true, "parity_clean": true, "parity_map": true}]})",
     .references = "raidctl(8), newfs(8) -b"},
    check};

}  // namespace diskwright
