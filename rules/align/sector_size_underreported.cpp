// SPDX-License-Identifier: BSD-2-Clause
// ALIGN008: a drive that reports a smaller physical sector than it has.
#include <fmt/format.h>

#include "probes/model/drive_models.hpp"
#include "probes/model/profile_facts.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

constexpr std::string_view what_to_do =
    "tools that ask the drive choose starts and fragments for {} bytes: give them {} yourself "
    "(gpart add -a 1m, newfs -f 4096, vfs.zfs.min_auto_ashift=12 before a pool is made)";

// What the probe timed against what was told.
bool check_measured(const RuleContext& context, const Disk& d, Findings& out) {
    for (const Conflict& c : context.host.conflicts) {
        if (c.what != fmt::format("disks.{}.physical_sector_bytes", d.name) || c.values.size() != 2) continue;
        const bool first = is_measured(c.values[0].from);
        const Conflict::Value &measured = c.values[first ? 0 : 1], &told = c.values[first ? 1 : 0];
        const auto is = to_unsigned(measured.value), says = to_unsigned(told.value);
        if (!is_measured(measured.from) || !is || !says || *is <= *says) continue;
        out.report(d.name)
            .message(fmt::format("reports physical sectors of {} bytes, but writes tell that they have {}", *says,
                                 *is))
            .evidence(told.from)
            .evidence(measured.from)
            .note(fmt::format(what_to_do, *says, *is));
        return true;
    }
    return false;
}

void check(const RuleContext& context, Findings& out) {
    for (const Disk& d : context.host.disks) {
        if (check_measured(context, d, out)) continue;
        if (!d.model || !d.physical_sector_bytes) continue;
        const DriveModel* model = find_drive_model(*d.model);
        if (!model || model->physical_sector <= *d.physical_sector_bytes) continue;
        out.report(d.name)
            .message(fmt::format("reports physical sectors of {} bytes, but drives of this model have {}",
                                 *d.physical_sector_bytes, model->physical_sector))
            .evidence(d.physical_sector_bytes)
            .evidence(d.model)
            .note(fmt::format(what_to_do, *d.physical_sector_bytes, model->physical_sector));
    }
}

}  // namespace

extern const Rule align_sector_size_underreported;
const Rule align_sector_size_underreported{
    {.code = "ALIGN008",
     .slug = "sector-size-underreported",
     .severity = Severity::notice,
     .impact = 1.5,
     .summary = "a drive reports a smaller physical sector than it has",
     .why = "Early drives of 4096-byte sectors, and some behind USB bridges and RAID cards, answer 512 when "
            "asked for the physical sector. Nothing goes wrong by itself, but every tool that believes the "
            "answer will place partitions and choose fragments and ashift for 512 bytes. The larger size "
            "counts for the other rules.",
     .cost = "Nothing while starts and fragments are right; 3 to 10 times slower small writes where they are "
             "not (see ALIGN001).",
     .remedy = "Nothing to change on the drive. Align by hand and choose 4096-byte fragments; FreeBSD knows "
               "most of these drives (quirk table of ada and da, or kern.cam.ada.N.quirks=1).",
     .bad =
         R"({"disks": [{"name": "ada2", "model": "WDC WD20EARS-00S8B1", "logical_sector_bytes": 512, "physical_sector_bytes": 512, "size_bytes": 2000398934016}]})",
     .good =
         R"({"disks": [{"name": "ada2", "model": "WDC WD20EARS-00MVWB0", "logical_sector_bytes": 512, "physical_sector_bytes": 4096, "size_bytes": 2000398934016}]})",
     .references = "camcontrol(8), ada(4); FreeBSD sys/cam/ata/ata_da.c"},
    check};

}  // namespace diskwright
