// SPDX-License-Identifier: BSD-2-Clause
// DISK007: shingled drives in a set with parity.
#include <fmt/format.h>

#include <set>

#include "rules/rule.hpp"
#include "rules/sector_command.hpp"

namespace diskwright {
namespace {

void check(const RuleContext& context, Findings& out) {
    std::set<std::string> done;
    for (const Volume& volume : context.host.volumes) {
        if (!is_parity(volume)) continue;
        for (const Component* c : data_components(volume)) {
            if (c->name.empty()) continue;
            const Disk* disk = context.graph.disk(context.graph.start_on_base(c->name).base);
            if (disk && !disk->shingled && !disk->model && disk->rotational.value_or(true) &&
                !volume.kind.is(VolumeKind::hardware) && done.insert(disk->name).second)
                out.skip(disk->name, {sector_command(context.host, disk->name)});
            if (!disk || !disk->shingled.is(true) || !done.insert(disk->name).second) continue;
            out.report(disk->name)
                .message(fmt::format("{} is a shingled drive and a component of {}, a set with parity",
                                     disk->model ? *disk->model : std::string("the disk"), volume.name))
                .evidence(disk->shingled)
                .evidence(volume.level)
                .cost(
                    "once its cache zone is full each scattered write rewrites a zone of the medium: writes "
                    "stall for seconds and a rebuild takes many times as long, long enough for the set to "
                    "drop the drive")
                .change(Setting::disk_replace, disk->name, true)
                .note(
                    "Replace one drive at a time by a conventional one (CMR) of the same size or larger and "
                    "rebuild before the next. Shingled drives are fine for archives that are written from "
                    "one end to the other.");
        }
    }
}

}  // namespace

extern const Rule disk_smr_in_parity_set;
const Rule disk_smr_in_parity_set{
    {.code = "DISK007",
     .slug = "smr-in-parity-set",
     .severity = Severity::warning,
     .impact = 10,
     .summary = "a shingled drive in a RAID 4, 5 or 6",
     .why = "Tracks of a shingled (SMR) drive overlap, so a sector cannot be rewritten without its zone. A "
            "small zone of ordinary tracks takes writes first; parity sets write scattered and all the time, "
            "and rebuilds write the whole drive, until that zone is full and the drive stalls. Mirrors and "
            "single disks suffer less and are not reported.",
     .cost = "Rebuilds of days instead of hours and drives dropped for time-outs are reported; no figure is "
             "taken over here.",
     .remedy = "Conventional (CMR) drives for parity sets.",
     .bad =
         R"({"disks": [{"name": "sdb", "model": "WDC WD60EFAX-68SHWN0", "shingled": true}], "volumes": [{"name": "md0", "kind": "md", "level": "5",
        "parity_map": true, "spares": 1, "components": [{"name": "sdb1"}, {"name": "sdc1"}, {"name": "sdd1"}]}]})",
     .good =
         R"({"disks": [{"name": "sdb", "model": "WDC WD60EFRX-68L0BN1", "shingled": false}], "volumes": [{"name": "md0", "kind": "md", "level": "5",
        "parity_map": true, "spares": 1, "components": [{"name": "sdb1"}, {"name": "sdc1"}, {"name": "sdd1"}]}]})",
     .references = "data sheets in the table of drive models; smartctl(8)"},
    check};

}  // namespace diskwright
