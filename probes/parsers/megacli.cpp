// SPDX-License-Identifier: BSD-2-Clause
// MegaCli -LDInfo, -LDGetProp, -AdpBbuCmd -GetBbuStatus (LSI, PERC 5 and later):
//   Virtual Drive: 0 (Target Id: 0)
//   RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
//   Strip Size          : 64 KB
//   Current Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU
//   Adapter 0-VD 0(target id: 0): Disk Write Cache : Disabled
//   Battery State: Failed
//     Battery Pack Missing                    : No
// A volume is named "adapter0-vd0", since nothing ties a target to a disk name of the system. The
// controller's battery serves all its volumes: the volume "adapter0" stands for the controller.
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Pair {
    std::string_view key, value;
};
std::optional<Pair> pair_of(std::string_view line) {
    const auto text = trim(line);
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    return Pair{trim(text.substr(0, colon)), trim(text.substr(colon + 1))};
}

std::optional<Pair> property_of(std::string_view line) {
    // "Adapter 0-VD 3(target id: 3): Disk Write Cache : Disabled"
    const auto text = trim(line);
    if (!text.starts_with("Adapter ")) return std::nullopt;
    const auto close = text.find("):");
    if (close == std::string_view::npos || text.find("-VD ") == std::string_view::npos) return std::nullopt;
    return pair_of(text.substr(close + 2));
}

constexpr std::string_view volume_keys[] = {"Virtual Drive",
                                            "CacheCade Virtual Drive",
                                            "Virtual Disk",
                                            "RAID Level",
                                            "Strip Size",
                                            "Stripe Size",
                                            "Number Of Drives",
                                            "Span Depth",
                                            "Number Of Drives per span",
                                            "Current Cache Policy",
                                            "Default Cache Policy",
                                            "Disk Cache Policy"};
constexpr std::string_view battery_keys[] = {
    "Battery State",      "BatteryType", "Battery Pack Missing",   "Battery Replacement required",
    "Learn Cycle Active", "isSOHGood",   "Remaining Capacity Low", "Learn Cycle Requested"};
constexpr std::string_view other_keys[] = {"Name",
                                           "Size",
                                           "Sector Size",
                                           "Mirror Data",
                                           "Parity Size",
                                           "State",
                                           "Default Access Policy",
                                           "Current Access Policy",
                                           "Encryption Type",
                                           "Is VD Cached",
                                           "Is VD emulated",
                                           "Bad Blocks Exist",
                                           "Ongoing Progresses",
                                           "Voltage",
                                           "Current",
                                           "Temperature",
                                           "Charging Status",
                                           "Learn Cycle Status",
                                           "Learn Cycle Timeout",
                                           "I2c Errors Detected",
                                           "BBU Firmware Status",
                                           "GasGuageStatus",
                                           "Number of Spans",
                                           "Span",
                                           "BBU status for Adapter",
                                           "Pack is about to fail & should be replaced",
                                           "Fully Discharged",
                                           "Fully Charged",
                                           "Discharging",
                                           "Initialized",
                                           "Remaining Time Alarm",
                                           "Discharge Terminated",
                                           "Over Temperature",
                                           "Charging Terminated",
                                           "Over Charged",
                                           "Relative State of Charge",
                                           "Charger System State",
                                           "Charger System Ctrl",
                                           "Charging current",
                                           "Absolute state of charge",
                                           "Max Error",
                                           "Exit Code",
                                           "Access Policy",
                                           "VD has Emulated PD",
                                           "Type",
                                           "Periodic Learn Required",
                                           "Transparent Learn",
                                           "No space to cache offload",
                                           "Cache Offload premium feature required",
                                           "Module microcode update required",
                                           "Data"};

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view key) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

bool is_heading(std::string_view text) {
    return text.starts_with("Adapter ") || text.starts_with("BBU status for Adapter") ||
           text.starts_with("BBU Firmware Status");
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (property_of(text)) return true;
    const auto pair = pair_of(text);
    if (!pair) return text.starts_with("Adapter ") && contains(text, "Virtual Drive Information");
    if ((pair->key == "Virtual Drive" || pair->key == "Virtual Disk") && contains(pair->value, "arget Id"))
        return true;
    if (pair->key == "Current Cache Policy" || pair->key == "Default Cache Policy")
        return contains(pair->value, "Write");
    if (pair->key == "BBU status for Adapter") return true;
    if (pair->key == "Battery State" || pair->key == "Battery Pack Missing" ||
        pair->key == "Battery Replacement required")
        return true;
    return false;
}

// "Primary-5, Secondary-0, RAID Level Qualifier-3"; spans of mirrors are RAID 10.
std::optional<RaidLevel> level_of(std::string_view text, std::uint64_t spans) {
    const auto primary = after(text, "Primary-");
    const auto number = primary ? leading_unsigned(*primary) : std::nullopt;
    if (!number) return std::nullopt;
    switch (number->value) {
        case 0:
            return RaidLevel::raid0;
        case 1:
            return spans > 1 ? RaidLevel::raid10 : RaidLevel::raid1;
        case 5:
            return spans > 1 ? std::nullopt : std::optional(RaidLevel::raid5);
        case 6:
            return spans > 1 ? std::nullopt : std::optional(RaidLevel::raid6);
        default:
            return std::nullopt;
    }
}

struct Controller {
    std::uint64_t adapter = 0;
    std::string current;  // name of the volume the next lines speak of
    std::string_view level_text;
    std::optional<std::uint64_t> per_span;
    std::size_t level_line = 0;
    Text battery;
    bool missing = false, failed = false, learning = false, good = false;
    std::size_t battery_line = 0;
};

Volume& hardware(std::string_view name, std::size_t at, Scribe& scribe) {
    Volume& v = volume(scribe.facts, name);
    if (!v.kind) v.kind = scribe.known(VolumeKind::hardware, at);
    return v;
}

void note_policy(const Pair& pair, std::size_t at, Volume& v, Scribe& scribe) {
    const bool write_back = contains(pair.value, "WriteBack") || contains(pair.value, "Write Back");
    if (!write_back && !contains(pair.value, "WriteThrough") && !contains(pair.value, "Write Through"))
        return;
    v.cache_policy = scribe.text(write_back ? "write-back" : "write-through", at);
    if (contains(pair.value, "OK if Bad BBU"))
        v.write_back_forced = scribe.known(true, at);
    else if (contains(pair.value, "No Write Cache if Bad BBU"))
        v.write_back_forced = scribe.known(false, at);
}

void note_volume(const Pair& pair, std::size_t at, Controller& controller, Scribe& scribe) {
    if (pair.key == "Virtual Drive" || pair.key == "Virtual Disk" || pair.key == "CacheCade Virtual Drive") {
        const auto number = leading_unsigned(pair.value);
        controller.current = fmt::format("adapter{}-vd{}", controller.adapter, number ? number->value : 0);
        hardware(controller.current, at, scribe);
        return;
    }
    const std::string of_controller = fmt::format("adapter{}", controller.adapter);
    if (controller.current.empty()) controller.current = of_controller;
    if (pair.key == "Current Cache Policy") {
        // The battery is the controller's, so what relies on it is told there too.
        Volume& whole = hardware(of_controller, at, scribe);
        if (!whole.cache_policy || *whole.cache_policy != "write-back") note_policy(pair, at, whole, scribe);
    }
    Volume& v = hardware(controller.current, at, scribe);
    if (pair.key == "Current Cache Policy")
        note_policy(pair, at, v, scribe);
    else if (pair.key == "RAID Level")
        controller.level_text = pair.value, controller.level_line = at;
    else if (pair.key == "Strip Size" || pair.key == "Stripe Size") {
        const auto size = to_size(pair.value);
        if (size && *size > 0) v.stripe_unit_bytes = scribe.known(*size, at);
    } else if (pair.key == "Number Of Drives" || pair.key == "Number Of Drives per span") {
        controller.per_span = to_unsigned(pair.value);
        if (controller.per_span) v.columns = scribe.known(*controller.per_span, at);
    } else if (pair.key == "Span Depth" || pair.key == "Number of Spans") {
        const auto spans = to_unsigned(pair.value).value_or(1);
        if (const auto level = level_of(controller.level_text, spans))
            v.level = scribe.known(*level, controller.level_line);
        const auto all = controller.per_span ? multiply(*controller.per_span, spans) : std::nullopt;
        if (all && spans > 1) v.columns = scribe.known(*all, at);
    } else if (pair.key == "State") {
        const auto state = pair.value;
        if (state == "Optimal")
            v.state = scribe.known(VolumeState::optimal, at);
        else if (state == "Degraded" || state == "Partially Degraded")
            v.state = scribe.known(VolumeState::degraded, at);
        else if (state == "Offline" || state == "Failed")
            v.state = scribe.known(VolumeState::failed, at);
    }
}

void note_battery(const Pair& pair, std::size_t at, Controller& controller) {
    const bool yes = iequals(pair.value, "Yes");
    if (pair.key == "Battery State") {
        controller.good = iequals(pair.value, "Optimal") || iequals(pair.value, "Operational");
        controller.failed =
            controller.failed || icontains(pair.value, "fail") || icontains(pair.value, "degraded");
        controller.missing = controller.missing || icontains(pair.value, "missing");
        controller.learning = controller.learning || icontains(pair.value, "learn");
    } else if (pair.key == "Battery Pack Missing" && yes)
        controller.missing = true;
    else if (pair.key == "Battery Replacement required" && yes)
        controller.failed = true;
    else if (pair.key == "Learn Cycle Active" && yes)
        controller.learning = true;
    else if (pair.key == "isSOHGood")
        (yes ? controller.good : controller.failed) = true;
    else
        return;
    if (controller.battery_line == 0 || controller.failed || controller.missing || controller.learning)
        controller.battery_line = at + 1;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Controller controller;
    std::size_t i = at, last = at;
    bool any_battery = false;
    for (; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) continue;
        if (const auto property = property_of(text)) {
            const auto adapter = leading_unsigned(text.substr(8)),
                       drive = leading_unsigned(*after(text, "-VD "));
            if (adapter && drive) {
                const std::string name = fmt::format("adapter{}-vd{}", adapter->value, drive->value);
                if (property->key == "Disk Write Cache" &&
                    (property->value == "Disabled" || property->value == "Enabled"))
                    disk(scribe.facts, name).write_cache =
                        scribe.known(property->value == "Enabled" ? Switch::on : Switch::off, i);
                else if (contains(property->key, "Cache Policy"))
                    note_policy(*property, i, hardware(name, i, scribe), scribe);
            } else {
                scribe.unparsed(i, i, "MegaCli: no number of adapter or drive");
            }
            last = i;
            continue;
        }
        const auto pair = pair_of(text);
        if (is_heading(text)) {
            if (const auto number = leading_unsigned(
                    trim(text.starts_with("Adapter ") ? text.substr(8) : text.substr(text.rfind(':') + 1))))
                controller.adapter = number->value;
        } else if (pair && (is_one_of(volume_keys, pair->key) || pair->key == "State")) {
            note_volume(*pair, i, controller, scribe);
        } else if (pair && is_one_of(battery_keys, pair->key)) {
            note_battery(*pair, i, controller);
            any_battery = true;
        } else if (!pair || !is_one_of(other_keys, pair->key)) {
            break;
        }
        last = i;
    }
    if (any_battery && controller.battery_line > 0) {
        const std::size_t line = controller.battery_line - 1;
        const auto state = controller.missing                          ? "missing"
                           : controller.learning && !controller.failed ? "learning"
                           : controller.failed                         ? "failed"
                           : controller.good                           ? "ok"
                                                                       : "";
        if (*state != '\0') {
            hardware(fmt::format("adapter{}", controller.adapter), line, scribe).battery =
                scribe.text(state, line);
        }
    }
    if (scribe.facts.volumes.empty() && scribe.facts.disks.empty() && scribe.facts.unparsed.empty())
        scribe.unparsed(at, last, "MegaCli: neither a volume nor a battery state");
    return last - at + 1;
}

}  // namespace

extern const CommandParser megacli_parser{
    .id = "megacli",
    .programs = {"MegaCli", "MegaCli64", "megacli", "storcli", "storcli64", "perccli", "perccli64"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
