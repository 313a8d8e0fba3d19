// SPDX-License-Identifier: BSD-2-Clause
// HOST004: far more swap than memory could ever need.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

struct Area {
    std::string device;
    Number size;
};

std::vector<Area> swap_areas(const RuleContext& context) {
    std::vector<Area> out;
    const auto add = [&](const std::string& device, Number size) {
        for (Area& a : out)
            if (same_device(a.device, device)) {
                if (!a.size) a.size = std::move(size);
                return;
            }
        out.push_back({device, std::move(size)});
    };
    for (const SwapArea& s : context.host.swap) {
        const Partition* p = context.graph.partition(s.device);
        add(device_name(s.device), p && p->size_bytes ? p->size_bytes : s.size_bytes);
    }
    for (const FstabEntry& e : context.host.fstab)
        if (e.type.is("swap"))
            if (const Partition* p = context.graph.partition(e.device)) add(p->name, p->size_bytes);
    for (const Partition& p : context.host.partitions)
        if (p.type && (icontains(*p.type, "swap") || *p.type == "82" || *p.type == "0x82"))
            add(p.name, p.size_bytes);
    return out;
}

// A listing of the table gives the size where nothing else does.
Number device_size(const RuleContext& context, const std::string& device) {
    if (Number size = context.graph.size_of(device); size.known()) return size;
    for (const PartitionTable& t : context.host.tables)
        if (same_device(t.parent, device)) return t.total_bytes ? t.total_bytes : t.last_usable_bytes;
    return {};
}

void check(const RuleContext& context, Findings& out) {
    for (const Area& area : swap_areas(context)) {
        if (!area.size || *area.size <= context.thresholds.swap_above_bytes) continue;
        const std::string disk = context.graph.start_on_base(area.device).base;
        if (disk == area.device) continue;  // a whole device given to swap
        const Number whole = device_size(context, disk);
        if (!whole) continue;
        if (static_cast<double>(*area.size) <=
            context.thresholds.swap_disk_share * static_cast<double>(*whole))
            continue;
        const Number& ram = context.host.os.ram_bytes;
        if (!ram) {
            out.skip(area.device, {context.host.is(Os::linux_)   ? "cat /proc/meminfo"
                                   : context.host.is(Os::netbsd) ? "sysctl hw.physmem64"
                                                                 : "sysctl hw.physmem"});
            continue;
        }
        const double enough = context.thresholds.swap_ram_factor * static_cast<double>(*ram);
        if (static_cast<double>(*area.size) <= enough) continue;
        out.report(area.device)
            .message(fmt::format("swap of {} beside {} of memory takes {:.0f} % of {}",
                                 human_size(*area.size), human_size(*ram),
                                 100.0 * static_cast<double>(*area.size) / static_cast<double>(*whole), disk))
            .evidence(area.size)
            .evidence(ram)
            .evidence(whole)
            .note(
                "a smaller one would do, as large as memory where crash dumps are wanted; what is freed "
                "serves the neighbouring partition. Nothing is slower for it, so there is no hurry");
    }
}

}  // namespace

extern const Rule host_swap_oversized;
const Rule host_swap_oversized{
    {.code = "HOST004",
     .slug = "swap-oversized",
     .severity = Severity::info,
     .impact = 1,
     .summary = "swap is more than twice the memory, over 16 GiB, and over a tenth of the disk",
     .why = "A machine that pages out more than its memory over again has long come to a halt. Swap sized by "
            "a rule of old, or by a slip in the installer, only takes the space from the file systems. As "
            "much as the memory is wanted where crash dumps go there.",
     .cost = "Space; no speed.",
     .remedy = "Make it smaller when the disk is partitioned next.",
     .bad =
         R"({"os": {"name": "freebsd", "ram_bytes": 8554332160}, "disks": [{"name": "nda0", "size_bytes": 322122547200}], "partitions": [{"name": "nda0p3", "parent": "nda0", "scheme": "gpt", "start_bytes": 273678336, "size_bytes": 223338299392, "type": "freebsd-swap"}], "swap": [{"device": "nda0p3", "size_bytes": 223338299392}]})",
     .good =
         R"({"os": {"name": "freebsd", "ram_bytes": 137438953472}, "disks": [{"name": "nda0", "size_bytes": 322122547200}], "partitions": [{"name": "nda0p3", "parent": "nda0", "scheme": "gpt", "start_bytes": 273678336, "size_bytes": 223338299392, "type": "freebsd-swap"}], "swap": [{"device": "nda0p3", "size_bytes": 223338299392}]})",
     .references = "swapon(8), swapctl(8), dumpon(8)"},
    check};

}  // namespace diskwright
