// SPDX-License-Identifier: BSD-2-Clause
// ssacli, hpssacli, hpacucli (HPE Smart Array): ctrl all show config [detail], show detail, status:
//   Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)
//      Cache Status: OK
//      Battery/Capacitor Status: Failed (Replace Batteries/Capacitors)
//      Array: A
//         Logical Drive: 1
//            Fault Tolerance: 5
//            Strip Size: 256 KB
//            Full Stripe Size: 512 KB
//            Caching:  Enabled
//            Disk Name: /dev/sda
//         physicaldrive 1I:1:1
//            Status: OK
//            Drive Type: Data Drive
//      logicaldrive 2 (558.7 GB, RAID 1+0, Interim Recovery Mode)
//      physicaldrive 2I:3:7 (port 2I:box 3:bay 7, SAS, 600 GB, OK, spare)
// A logical drive is named by the system's disk where the tool tells it, else slot0-ld1; "slot0" stands for
// the controller. Without a good battery the controller stops its write cache unless "No-Battery Write Cache"
// is on. The tool's source is not public; formats as in libstorage/libstoragemgmt:test/ and the tools'
// documentation.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/parsers/ssacli_words.hpp"

namespace diskwright {
namespace {

std::optional<std::uint64_t> slot_of(std::string_view text) {
    const auto rest = after(text, " in Slot ");
    const auto number = rest ? leading_unsigned(*rest) : std::nullopt;
    return number ? std::optional(number->value) : std::nullopt;
}

bool is_logical_row(std::string_view text) {
    return text.starts_with("logicaldrive ") && contains(text, "(") && contains(text, "RAID ");
}
bool is_drive(std::string_view text) {
    return text.starts_with("physicaldrive ") && text.find(':') != std::string_view::npos;
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    return slot_of(text).has_value() || is_logical_row(text) || (is_drive(text) && contains(text, "(port "));
}

// One controller: the heading "... in Slot n" to the next.
class Controller {
 public:
    Controller(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        const auto slot = slot_of(out_.text(begin_));
        name_ = fmt::format("slot{}", slot.value_or(0));
        std::size_t last = begin_, idle = 0;
        for (std::size_t i = begin_; i < out_.lines.size(); ++i) {
            const auto text = trim(out_.text(i));
            if (text.empty()) {
                if (++idle > 4) break;
                continue;
            }
            if (i > begin_ && slot_of(text)) break;
            if (!take(text, i) && i > begin_) break;
            idle = 0;
            last = i;
        }
        finish(last);
        return last - begin_ + 1;
    }

 private:
    enum class Place { controller, array, logical, drive, elsewhere };

    bool take(std::string_view text, std::size_t i) {
        if (heading(text, i)) return true;
        const auto p = key_value(text);
        // Headings of parts without facts of ours: an enclosure, an expander, "Mirror Group 1".
        if (!p) return i == begin_ || is_other_heading(text);
        if (place_ == Place::controller) controller_key(*p, i);
        if (place_ == Place::logical) logical_key(*p, i);
        if (place_ == Place::drive) drive_key(*p, i);
        return true;
    }

    static bool is_other_heading(std::string_view text) {
        for (const std::string_view word :
             {"Enclosure SEP", "Expander ", "SEP (", "Port Name:", "Internal Drive Cage", "Sensor ID:"})
            if (text.starts_with(word)) return true;
        return contains(text, " Enclosure at ") || contains(text, " at Port ");
    }

    bool heading(std::string_view text, std::size_t i) {
        const auto w = words(text);
        if (text.starts_with("Array: ") || (w[0] == "array" && w.size() >= 2) ||
            (w[0] == "Array" && w.size() >= 2)) {
            place_ = Place::array, array_ = std::string(w[1]);
            return true;
        }
        if (text.starts_with("Logical Drive: ")) {
            logical(trim(text.substr(15)), i);
            return true;
        }
        if (is_logical_row(text)) {
            logical_row(text, i);
            return true;
        }
        if (is_drive(text)) {
            drive_heading(text, i);
            return true;
        }
        if (text.starts_with("Unassigned") || text.starts_with("unassigned") ||
            text.starts_with("Physical Drives"))
            place_ = Place::elsewhere, array_.clear();
        else if (is_other_heading(text))
            place_ = Place::elsewhere;
        else
            return false;
        return true;
    }

    void logical(std::string_view number, std::size_t i) {
        place_ = Place::logical;
        sets_.push_back({array_, fmt::format("{}-ld{}", name_, number), {}});
        sets_.back().volume.kind = scribe_.known(VolumeKind::hardware, i);
        if (!is_number(number)) scribe_.unparsed(i, i, "ssacli: a logical drive without its number");
    }

    // "logicaldrive 1 (136.7 GB, RAID 1, OK)"
    void logical_row(std::string_view text, std::size_t i) {
        logical(words(text)[1], i);
        const auto inside = text.substr(text.find('(') + 1);
        const auto parts = split(inside.substr(0, inside.rfind(')')), ',');
        Volume& v = sets_.back().volume;
        if (parts.size() < 3)
            return scribe_.unparsed(i, i, "ssacli: a logical drive without level and state");
        level(v, trim(parts[1]), i);
        condition(v, trim(parts[2]), i);
        if (parts.size() > 3) percent(v, trim(parts[3]), i);
        place_ = Place::array;
    }

    void drive_heading(std::string_view text, std::size_t i) {
        const std::string name(words(text)[1]);
        const bool row = contains(text, "(port ");
        if (!row) place_ = Place::drive, drive_ = name;
        if (array_.empty()) return;
        Component& c = member(name);
        if (!row) return;
        const auto inside = text.substr(text.find('(') + 1);
        const auto parts = split(inside.substr(0, inside.rfind(')')), ',');
        for (const auto part : parts) {
            const auto word = trim(part);
            if (const auto state = ssacli_drive_state(word); state && !c.state)
                c.state = scribe_.known(*state, i);
            if (word == "spare" && !c.state.is(ComponentState::failed))
                make_spare(c, ComponentState::spare, i);
            if (word.starts_with("active spare")) make_spare(c, ComponentState::used_spare, i);
        }
    }

    Component& member(const std::string& name) {
        auto& list = members_[members_index(array_)].components;
        const auto at =
            std::find_if(list.begin(), list.end(), [&](const Component& c) { return c.name == name; });
        if (at != list.end()) return *at;
        list.emplace_back().name = name;
        return list.back();
    }
    std::size_t members_index(const std::string& array) {
        for (std::size_t n = 0; n < members_.size(); ++n)
            if (members_[n].array == array) return n;
        members_.push_back({array, {}});
        return members_.size() - 1;
    }

    void make_spare(Component& c, ComponentState state, std::size_t i) {
        c.state = scribe_.known(state, i);
        c.role = scribe_.text("spare", i);
    }

    void level(Volume& v, std::string_view word, std::size_t i) {
        if (const auto level = ssacli_level(word))
            v.level = scribe_.known(*level, i);
        else if (!word.empty())
            v.layout = scribe_.text(word, i);
    }
    void condition(Volume& v, std::string_view word, std::size_t i) {
        const SsacliCondition c = ssacli_condition(word);
        if (c.state) v.state = scribe_.known(*c.state, i);
        if (!c.activity) return;
        v.activity = scribe_.known(*c.activity, i);
        v.activity_progress = scribe_.known(Progress::running, i);
        if (const auto comma = word.find(','); comma != std::string_view::npos)
            percent(v, trim(word.substr(comma + 1)), i);
    }
    void percent(Volume& v, std::string_view word, std::size_t i) {
        const auto value = to_double(word.substr(0, word.find('%')));
        if (value && *value >= 0 && *value <= 100) v.activity_percent = scribe_.known(*value, i);
    }

    void controller_key(const KeyValue& p, std::size_t i) {
        if (p.key == "Battery/Capacitor Status" || p.key == "Battery Status") {
            if (p.value == "OK") battery("ok", i);
            if (icontains(p.value, "fail") || icontains(p.value, "replace")) battery("failed", i);
            if (icontains(p.value, "not present") || icontains(p.value, "missing")) battery("missing", i);
        } else if (p.key == "Battery/Capacitor Count" && p.value == "0") {
            battery("missing", i);
        } else if (p.key == "No-Battery Write Cache") {
            forced_ = scribe_.known(p.value == "Enabled", i);
        } else if (p.key == "Cache Status") {
            stopped_ = icontains(p.value, "disabled");
        } else if (p.key == "Driver Version" && p.value.starts_with("Linux")) {
            scribe_.suggest_os(Os::linux_, i);
        }
    }
    void battery(std::string_view word, std::size_t i) {
        if (!battery_ || *battery_ == "ok") battery_ = scribe_.text(word, i);
    }

    void logical_key(const KeyValue& p, std::size_t i) {
        Volume& v = sets_.back().volume;
        if (p.key == "Fault Tolerance") {
            level(v, p.value, i);
        } else if (p.key == "Strip Size" || p.key == "Full Stripe Size") {
            const auto size = to_size(p.value);
            if (!size || *size < 512)
                return scribe_.unparsed(i, i, fmt::format("ssacli: {} is no size", p.key));
            if (p.key == "Strip Size")
                v.stripe_unit_bytes = scribe_.known(*size, i);
            else if (v.stripe_unit_bytes && *size % *v.stripe_unit_bytes == 0)
                v.data_disks = scribe_.known(*size / *v.stripe_unit_bytes, i);
        } else if (p.key == "Status") {
            condition(v, p.value, i);
        } else if (p.key == "Caching") {
            sets_.back().caching = scribe_.known(p.value == "Enabled", i);
        } else if (p.key == "Disk Name" && p.value.starts_with("/dev/")) {
            sets_.back().device = device_name(words(p.value)[0]);
        }
    }

    void drive_key(const KeyValue& p, std::size_t i) {
        Disk& d = disk(scribe_.facts, drive_);
        if (p.key == "Model")
            d.model = scribe_.text(words(p.value).size() > 1 ? words(p.value).back() : p.value, i);
        else if (p.key == "Interface Type")
            d.rotational = scribe_.known(!contains(p.value, "Solid State"), i);
        else if (p.key == "Logical/Physical Block Size")
            sectors(d, p.value, i);
        else if (p.key == "Shingled Magnetic Recording Support")
            d.shingled = scribe_.known(p.value != "None", i);
        if (array_.empty()) return;
        Component& c = member(drive_);
        if (p.key == "Status")
            if (const auto state = ssacli_drive_state(p.value); state && !c.role)
                c.state = scribe_.known(*state, i);
        if (p.key == "Drive Type" && p.value.starts_with("Spare") && !c.state.is(ComponentState::failed))
            make_spare(c, ComponentState::spare, i);
    }
    void sectors(Disk& d, std::string_view value, std::size_t i) {
        const auto parts = split(value, '/');
        const auto logical = to_unsigned(parts[0]),
                   physical = parts.size() > 1 ? to_unsigned(parts[1]) : std::nullopt;
        if (!logical || !physical)
            return scribe_.unparsed(i, i, "ssacli: the block sizes of a drive are no numbers");
        d.logical_sector_bytes = scribe_.known(*logical, i);
        d.physical_sector_bytes = scribe_.known(*physical, i);
    }

    struct Set {
        std::string array, address;
        Volume volume;
        std::string device = {};
        Flag caching = {};
    };
    struct Members {
        std::string array;
        std::vector<Component> components;
    };

    void finish(std::size_t last) {
        Volume whole;
        whole.name = name_;
        whole.battery = battery_;
        for (Set& s : sets_) {
            s.volume.name = s.device.empty() ? s.address : s.device;
            if (!s.device.empty()) s.volume.set_name = Text(s.address, s.volume.kind.from());
            policy(s);
            if (s.volume.cache_policy && *s.volume.cache_policy == "write-back" && battery_)
                whole.cache_policy = s.volume.cache_policy,
                whole.write_back_forced = s.volume.write_back_forced;
            if (!s.array.empty()) take_members(s);
        }
        if (battery_) {
            whole.kind = Known<VolumeKind>(VolumeKind::hardware, battery_.from());
            scribe_.facts.volumes.push_back(std::move(whole));
        }
        for (Set& s : sets_) scribe_.facts.volumes.push_back(std::move(s.volume));
        const bool nothing = scribe_.facts.volumes.empty() && scribe_.facts.disks.empty();
        if (nothing && scribe_.facts.unparsed.empty())
            scribe_.unparsed(begin_, last, "ssacli: neither a logical drive nor a battery");
    }

    void policy(Set& s) const {
        if (!s.caching) return;
        Volume& v = s.volume;
        const bool no_battery = battery_ && *battery_ != "ok";
        const bool writes = *s.caching && !stopped_ && (forced_.is(true) || !no_battery);
        if (*s.caching && !battery_ && !forced_) return;
        v.cache_policy = Text(writes ? "write-back" : "write-through", s.caching.from());
        if (writes && forced_) v.write_back_forced = forced_;
    }

    void take_members(Set& s) {
        const auto& list = members_[members_index(s.array)].components;
        s.volume.components = list;
        if (list.empty() || out_.filtered) return;
        s.volume.components_complete = Flag(true, s.volume.kind.from());
        const auto spares =
            std::count_if(list.begin(), list.end(), [](const Component& c) { return c.role.known(); });
        s.volume.spares = Number(static_cast<std::uint64_t>(spares), s.volume.kind.from());
        s.volume.columns = Number(list.size() - static_cast<std::size_t>(spares), s.volume.kind.from());
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    std::string name_, array_, drive_;
    Place place_ = Place::controller;
    Text battery_;
    Flag forced_;
    bool stopped_ = false;
    std::vector<Set> sets_;
    std::vector<Members> members_;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Controller(out, at, scribe).read();
}

}  // namespace

extern const CommandParser ssacli_parser{
    .id = "ssacli",
    .programs = {"ssacli", "hpssacli", "hpacucli"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
