// SPDX-License-Identifier: BSD-2-Clause
// arcconf getconfig N [AD|LD|PD|AL] of Adaptec, PMC and Microchip controllers, firmware 5 to SmartRAID:
//   Controller Battery Information               later: Controller ZMM Information, ... Cache Backup Unit ...
//      Status                                   : Optimal
//   Logical device number 0                      later: Logical Device number 0
//      RAID level                               : 5        "6 Reed-Solomon", "Simple_volume"
//      Stripe-unit size                         : 256 KB
//      Write-cache mode                         : Enabled (write-back)            firmware 5: what is in
//      force Write-cache setting                      : Enabled (write-back) when protected by battery
//      Write-cache status                       : On                              since firmware 7
//      Group 0, Segment 1                       : Present (0,1) 3QN26HL400009009KZ0Q
//      Segment 1                                : Missing
//   Device #8 / Device is a Hard drive / Disk Name : /dev/sdb / Physical Block Size : 4K Bytes
// Sizes are whole mebibytes, rounded, and left out. A volume is named by its disk name where that is shown,
// else "controller1-ld0"; the volume "controller1" stands for the controller, whose battery serves all its
// sets. A drive without a disk name is named by channel and device ("0,8"). Samples: percona/percona-toolkit
// t/pt-summary/samples (firmware 5), posted listings of firmware 7 and of SmartIOC 2000.
#include <fmt/format.h>

#include <array>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::optional<std::uint64_t> logical_number(std::string_view text) {
    const auto w = words(text);
    if (w.size() != 4 || w[0] != "Logical" || !iequals(w[1], "device") || w[2] != "number")
        return std::nullopt;
    return to_unsigned(w[3]);
}

// The colon of "Reported Channel,Device(T:L)" is no separator: that one has a blank behind it.
std::optional<KeyValue> pair_of(std::string_view text) {
    for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1))
        if (colon > 0 && (colon + 1 == text.size() || text[colon + 1] == ' '))
            return KeyValue{trim(text.substr(0, colon)), trim(text.substr(colon + 1))};
    return std::nullopt;
}

bool is_heading(std::string_view text) {
    return text == "Controller information" || iequals(text, "Logical device information") ||
           text == "Physical Device information";
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (text.starts_with("Controllers found: ")) return true;
    return is_heading(text) || logical_number(text).has_value();
}

bool belongs(std::string_view text) {
    if (text.empty() || text.starts_with("---") || text.find(':') != std::string_view::npos) return true;
    constexpr std::array<std::string_view, 12> parts{
        "nformation", "Properties",           "Device #", "Device is a", "Phy #",  "Counters",
        "Channel #",  "Temperature Recorded", "Lane ",    "number",      "Number", "Segment"};
    for (const auto part : parts)
        if (contains(text, part)) return true;
    return false;
}

std::string_view battery_word(std::string_view status) {
    const auto s = lowercase(status);
    if (contains(s, "not installed") || contains(s, "not present") || contains(s, "absent")) return "missing";
    if (contains(s, "fail") || contains(s, "not ready") || contains(s, "replace") || contains(s, "error"))
        return "failed";
    if (contains(s, "charging") || contains(s, "recondition")) return "learning";
    if (contains(s, "optimal") || s == "ready" || contains(s, "ok")) return "ok";
    return {};
}

class Listing {
 public:
    Listing(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {
        const auto number = to_unsigned(out.operand(1));
        controller_ =
            out.program() == "arcconf" && number ? fmt::format("controller{}", *number) : "controller";
    }

    std::size_t read() {
        std::size_t i = begin_;
        for (; i < out_.lines.size(); ++i) {
            const auto text = trim(out_.text(i));
            if (text.starts_with("Command completed")) {
                ++i;
                break;
            }
            if (!belongs(text)) break;
            take_line(text, i);
        }
        finish(i - 1);
        return i - begin_;
    }

 private:
    struct Set {
        Volume volume;
        std::string device;
        std::optional<bool> writes_back;  // as in force
        Flag forced;
        bool segment_left_out = false;
    };

    void take_line(std::string_view text, std::size_t i) {
        if (const auto number = logical_number(text)) {
            sets_.emplace_back().volume.name = fmt::format("{}-ld{}", controller_, *number);
            sets_.back().volume.kind = scribe_.known(VolumeKind::hardware, i);
            place_ = Place::set;
        } else if (text.starts_with("Device #")) {
            close_drive(), drive_ = Disk{}, place_ = Place::drive, is_disk_ = false;
        } else if (text.starts_with("Device is a")) {
            is_disk_ = text == "Device is a Hard drive";
        } else if (text.find(':') == std::string_view::npos) {
            take_heading(text);
        } else if (const auto pair = pair_of(text)) {
            if (place_ == Place::set) take_set(*pair, i);
            if (place_ == Place::battery) take_battery(*pair, i);
            if (place_ == Place::drive) take_drive(*pair, i);
        }
    }

    void take_heading(std::string_view text) {
        if (text.starts_with("Controller ") && text.ends_with(" Information"))
            place_ = contains(text, "Battery") || contains(text, "ZMM") || contains(text, "Backup Unit")
                         ? Place::battery
                         : Place::other;
        // "Logical device segment information" goes on with the set.
        if (is_heading(text) || text == "Array Information") place_ = Place::other;
    }

    void take_battery(const KeyValue& pair, std::size_t i) {
        if (pair.key != "Status" && pair.key != "Overall Backup Unit Status") return;
        const auto word = battery_word(pair.value);
        if (word.empty())
            scribe_.unparsed(i, i,
                             "arcconf: state of the battery '" + escaped(pair.value) + "' is not known");
        else
            battery_ = scribe_.text(word, i);
    }

    void take_set(const KeyValue& pair, std::size_t i) {
        Set& s = sets_.back();
        Volume& v = s.volume;
        if (iequals(pair.key, "RAID level")) {
            const auto w = words(pair.value);
            const auto level = w.empty() ? std::nullopt : from_string<RaidLevel>(w[0]);
            if (level) v.level = scribe_.known(*level, i);
        } else if (iequals(pair.key, "Status of logical device")) {
            take_state(pair.value, v, i);
        } else if (pair.key == "Stripe-unit size") {
            const auto w = words(pair.value);
            const auto bytes = w.size() == 2 && w[1] == "KB"
                                   ? scribe_.scaled(w[0], KiB, i, "arcconf: stripe-unit size")
                                   : std::nullopt;
            if (bytes && *bytes > 0) v.stripe_unit_bytes = scribe_.known(*bytes, i);
        } else if (pair.key == "Disk Name" && pair.value.starts_with("/dev/")) {
            s.device = device_name(words(pair.value)[0]);
        } else if (pair.key.starts_with("Write-cache") || pair.key == "Caching") {
            take_cache(pair, s, i);
        } else if (pair.key.starts_with("Segment ") || pair.key.starts_with("Group ") ||
                   (pair.key.starts_with("Device ") && to_unsigned(pair.key.substr(7)))) {
            take_member(pair.value, s, i);
        }
    }

    void take_state(std::string_view status, Volume& v, std::size_t i) {
        const auto rebuild = contains(status, "Rebuilding");
        const auto build = contains(status, "Build/") || contains(status, "Reconfiguring");
        if (rebuild)
            v.state = scribe_.known(VolumeState::rebuilding, i);
        else if (status.starts_with("Optimal"))
            v.state = scribe_.known(VolumeState::optimal, i);
        else if (status.starts_with("Degraded") || status.starts_with("Suboptimal"))
            v.state = scribe_.known(VolumeState::degraded, i);
        else if (status.starts_with("Failed") || status.starts_with("Offline"))
            v.state = scribe_.known(VolumeState::failed, i);
        if (!rebuild && !build) return;
        v.activity = scribe_.known(rebuild                             ? Activity::rebuild
                                   : contains(status, "Reconfiguring") ? Activity::reshape
                                                                       : Activity::resync,
                                   i);
        v.activity_progress = scribe_.known(Progress::running, i);
        // "Impacted ( Build/Verify with fix : 0 % )"
        const auto w = words(status);
        for (std::size_t k = 1; k < w.size(); ++k)
            if (const auto percent = to_double(w[k - 1]); percent && w[k].starts_with('%'))
                v.activity_percent = scribe_.known(*percent, i);
    }

    // "Not supported" and "Unknown" are neither on nor off.
    std::optional<bool> switched(std::string_view what, std::string_view value, std::size_t i) {
        if (value.starts_with("On") || value.starts_with("Enabled")) return true;
        if (value.starts_with("Off") || value.starts_with("Disabled")) return false;
        scribe_.unparsed(
            i, i, fmt::format("arcconf: {} '{}' is neither enabled nor disabled", what, escaped(value)));
        return std::nullopt;
    }

    // "setting" is what was asked for, "mode" and "status" what is in force; a setting alone is believed.
    void take_cache(const KeyValue& pair, Set& s, std::size_t i) {
        const auto on = switched("write cache", pair.value, i);
        if (!on) return;
        const bool through = contains(pair.value, "write-through");
        if (pair.key == "Write-cache setting") {
            if (*on && !through) s.forced = scribe_.known(!contains(pair.value, "when protected"), i);
            if (s.writes_back) return;
            if (contains(pair.value, "when protected")) return;  // depends on the battery
        }
        s.writes_back = *on && !through;
        s.volume.cache_policy = scribe_.text(*s.writes_back ? "write-back" : "write-through", i);
    }

    // "Present (0,1) SERIAL", "Present (Controller:1,Enclosure:0,Slot:30) SERIAL", "Missing", "Rebuilding
    // (0,1)"
    void take_member(std::string_view text, Set& s, std::size_t i) {
        Component c;
        const auto place = between(text, "(", ")");
        if (text.starts_with("Missing")) c.state = scribe_.known(ComponentState::missing, i);
        if (text.starts_with("Present")) c.state = scribe_.known(ComponentState::optimal, i);
        if (text.starts_with("Rebuilding")) c.state = scribe_.known(ComponentState::rebuilding, i);
        if (text.starts_with("Failed")) c.state = scribe_.known(ComponentState::failed, i);
        if (!c.state) {
            s.segment_left_out = true;
            return scribe_.unparsed(i, i, "arcconf: state of a segment '" + escaped(text) + "' is not known");
        }
        if (place) {
            const auto enclosure = place->find("Enclosure:");
            for (const char letter : place->substr(enclosure == std::string_view::npos ? 0 : enclosure))
                if (letter != ' ') c.name += letter;
        } else if (!c.state.is(ComponentState::missing)) {
            scribe_.damage(i, "arcconf: a segment ends before its place");
        }
        s.volume.components.push_back(std::move(c));
    }

    void take_drive(const KeyValue& pair, std::size_t i) {
        const auto set = [&](std::string_view key, Text& into) {
            if (pair.key == key && !pair.value.empty()) into = scribe_.text(pair.value, i);
        };
        set("Model", drive_.model), set("Serial number", drive_.serial), set("Firmware", drive_.firmware);
        if (pair.key == "Disk Name" && pair.value.starts_with("/dev/"))
            drive_.name = device_name(words(pair.value)[0]);
        if (pair.key.starts_with("Reported Channel,Device") && drive_.name.empty())
            drive_.name = std::string(pair.value.substr(0, pair.value.find('(')));
        if (pair.key == "Block Size") sector(pair.value, drive_.logical_sector_bytes, i);
        if (pair.key == "Physical Block Size") sector(pair.value, drive_.physical_sector_bytes, i);
        if (pair.key == "SSD" && (pair.value == "Yes" || pair.value == "No"))
            drive_.rotational = scribe_.known(pair.value == "No", i);
        if (const auto rpm = leading_unsigned(pair.value);
            pair.key == "Rotational Speed" && rpm && trim(rpm->rest) == "RPM")
            drive_.rpm = scribe_.known(rpm->value, i);
        if (pair.key == "Write Cache" || pair.key == "Write-Cache")
            if (const auto on = switched("write cache of a drive", pair.value, i))
                drive_.write_cache = scribe_.known(*on ? Switch::on : Switch::off, i);
    }

    // "512 Bytes", "4K Bytes"
    void sector(std::string_view value, Number& into, std::size_t i) {
        const auto w = words(value);
        const auto bytes = w.size() == 2 && w[1] == "Bytes" ? to_size(w[0]) : std::nullopt;
        if (bytes && *bytes >= 512)
            into = scribe_.known(*bytes, i);
        else if (!value.starts_with("Unknown"))
            scribe_.unparsed(i, i, "arcconf: expected a block size, found '" + escaped(value) + "'");
    }

    void close_drive() {
        if (is_disk_ && !drive_.name.empty()) scribe_.facts.disks.push_back(std::move(drive_));
        drive_ = Disk{};
    }

    void finish(std::size_t last) {
        close_drive();
        Volume whole;
        whole.name = controller_;
        for (Set& s : sets_) {
            Volume& v = s.volume;
            if (!s.device.empty()) v.set_name = Text(v.name, v.kind.from()), v.name = s.device;
            if (s.writes_back == true) {
                v.write_back_forced = s.forced;
                whole.cache_policy = v.cache_policy;
                if (!whole.write_back_forced.is(true)) whole.write_back_forced = s.forced;
            }
            if (s.segment_left_out) {
                v.components_complete = Flag(false, v.kind.from());
            } else if (!v.components.empty() && !out_.filtered) {
                v.columns = Number(v.components.size(), v.kind.from());
                v.components_complete = Flag(true, v.kind.from());
            }
        }
        if (battery_) {
            whole.kind = Known<VolumeKind>(VolumeKind::hardware, battery_.from());
            whole.battery = battery_;
            scribe_.facts.volumes.push_back(std::move(whole));
        }
        for (Set& s : sets_) scribe_.facts.volumes.push_back(std::move(s.volume));
        if (scribe_.facts.volumes.empty() && scribe_.facts.disks.empty() && scribe_.facts.unparsed.empty())
            scribe_.unparsed(begin_, last, "arcconf: neither a logical device nor a drive nor a battery");
    }

    enum class Place { other, battery, set, drive };

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    std::string controller_;
    Place place_ = Place::other;
    Text battery_;
    std::vector<Set> sets_;
    Disk drive_;
    bool is_disk_ = false;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Listing(out, at, scribe).read();
}

}  // namespace

extern const CommandParser arcconf_parser{
    .id = "arcconf",
    .programs = {"arcconf"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
