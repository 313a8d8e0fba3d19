// SPDX-License-Identifier: BSD-2-Clause
// CACHE004: write-back without the battery that makes it safe.
#include <fmt/format.h>

#include <vector>

#include "rules/rule.hpp"

namespace diskwright {
namespace {

bool bad(const Volume& v) {
    return v.battery && (*v.battery == "failed" || *v.battery == "missing");
}
bool learning(const Volume& v) {
    return v.battery && *v.battery == "learning";
}
bool write_back(const Volume& v) {
    return (v.cache_policy && *v.cache_policy == "write-back") || v.write_back_forced.is(true);
}

void report_on(const Volume& set, const Volume& controller, Findings& out) {
    auto report = out.report(set.name);
    const bool forced = set.write_back_forced.is(true);
    if (learning(controller)) {
        report
            .message(fmt::format("the battery of the controller is in a learn cycle{}",
                                 forced ? ", and write-back is kept on meanwhile" : ""))
            .at_most(Severity::notice)
            .impact(5)
            .cost(forced ? "data in the cache is at risk until it ends"
                         : "writes go through to the disks until it ends, hours at most")
            .note("Nothing to do but wait, or set the time of the cycle outside working hours.");
    } else {
        report
            .message(
                fmt::format("the battery of the controller is {} and the cache still holds writes back{}",
                            *controller.battery, forced ? " (write-back is forced with a bad battery)" : ""))
            .cost("data at risk: what the cache holds is lost with the power, and the file system with it")
            .change(Setting::controller_battery, controller.name, std::string("ok"))
            .note(
                "Until the battery is replaced set the volume to write-through, or at least to 'no write "
                "cache if bad BBU'; it will be slower and safe.");
    }
    report.evidence(controller.battery).evidence(set.cache_policy).evidence(set.write_back_forced);
}

void check(const RuleContext& context, Findings& out) {
    std::vector<const Volume*> batteries, sets;
    for (const Volume& v : context.host.volumes) {
        if (bad(v) || learning(v)) batteries.push_back(&v);
        if (write_back(v)) sets.push_back(&v);
    }
    if (batteries.empty()) return;
    // Battery and policy come from two commands: one entry may hold both, or the controller and its volumes
    // are two.
    bool reported = false;
    for (const Volume* b : batteries)
        if (write_back(*b) || learning(*b)) report_on(*b, *b, out), reported = true;
    if (reported) return;
    if (batteries.size() == 1 && !sets.empty()) {
        for (const Volume* s : sets)
            if (!s->battery) report_on(*s, *batteries.front(), out), reported = true;
        if (reported) return;
    }
    for (const Volume* b : batteries)
        if (!b->cache_policy && sets.empty()) out.skip(b->name, {"megacli -LDInfo -Lall -aAll"});
}

}  // namespace

extern const Rule cache_battery_failed;
const Rule cache_battery_failed{
    {.code = "CACHE004",
     .slug = "battery-failed",
     .severity = Severity::error,
     .impact = 150,
     .summary = "the controller's battery failed while write-back is relied on",
     .why = "A controller that answers writes from its cache depends on a battery or flash to keep them over "
            "a power failure. With the battery failed or missing, write-back that stays on (forced, or not "
            "yet fallen back) holds data that vanishes with the power. During a learn cycle most controllers "
            "fall back to write-through for some hours, which is slow and harmless.",
     .cost = "Data after a power failure; with write-through instead, small writes on RAID 5 fall to the "
             "disks' own rate. No figure applies.",
     .remedy = "Replace the battery; write-through until then.",
     .bad =
         R"({"volumes": [{"name": "system", "kind": "hardware", "level": "1", "cache_policy": "write-back", "battery": "failed", "write_back_forced": true}]})",
     .good =
         R"({"volumes": [{"name": "system", "kind": "hardware", "level": "1", "cache_policy": "write-back", "battery": "ok"}]})",
     .references = "bioctl(8), mfiutil(8), MegaCli, storcli"},
    check};

}  // namespace diskwright
