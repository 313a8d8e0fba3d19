// SPDX-License-Identifier: BSD-2-Clause
// mfiutil and mrsasutil (FreeBSD, LSI MegaRAID): show volumes, config, battery, adapter, progress; cache
// volume:
//   mfi0 Volumes:
//     Id     Size    Level   Stripe  State   Cache   Name
//    mfid0 (   68G) RAID-1      64K OPTIMAL Disabled <DATA>
//   mfi0 Configuration: 1 arrays, 1 volumes, 1 spares
//       array 0 of 3 drives:
//           drive 4 (  137G) ONLINE <FUJITSU MAY2073RC 5204 serial=B36> SAS
//       volume mfid0 (271G) RAID-5 64K OPTIMAL <BIGDISK> spans:
//           array 0
//       global spare 5 (137G) HOT SPARE <...>
//   mfi0: Battery State:
//                  Status: normal
//         State of Health: good
//   mfi0 volume mfid0 cache settings:
//              write caching: write-back
// The volume "mfi0" stands for the controller. Sizes are rounded and left out. Later releases print
// /dev/mfi0. Source: freebsd/freebsd-src:usr.sbin/mfiutil/mfi_show.c, mfi_volume.c, mfi_drive.c.
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/parsers/storcli_words.hpp"

namespace diskwright {
namespace {

using Words = std::vector<std::string_view>;

// "mfi0", "/dev/mfi0", "mrsas1:".
std::optional<std::string> controller_of(std::string_view word) {
    if (word.ends_with(':')) word.remove_suffix(1);
    const std::string name = device_name(word);
    for (const std::string_view driver : {"mfi", "mrsas"})
        if (name.starts_with(driver) && is_number(std::string_view(name).substr(driver.size()))) return name;
    return std::nullopt;
}

enum class Part { none, volumes, configuration, battery, cache, adapter, drives };

Part part_of(std::string_view text) {
    const auto w = words(text);
    if (w.size() < 2 || !controller_of(w[0])) return Part::none;
    if (w[1] == "Volumes:") return Part::volumes;
    if (w[1] == "Configuration:") return Part::configuration;
    if (text.ends_with(": Battery State:") || text.ends_with(": No battery present")) return Part::battery;
    if (w[1] == "volume" && text.ends_with("cache settings:")) return Part::cache;
    if (w[1] == "Adapter:") return Part::adapter;
    if (w[1] == "Physical" && w.back() == "Drives:") return Part::drives;
    return Part::none;
}

bool starts(const Output& out, std::size_t at) {
    return part_of(trim(out.text(at))) != Part::none;
}

std::optional<VolumeState> volume_state(std::string_view rest) {
    if (starts_with_word(rest, "OPTIMAL")) return VolumeState::optimal;
    if (starts_with_word(rest, "DEGRADED") || rest.starts_with("PARTIALLY DEGRADED"))
        return VolumeState::degraded;
    if (starts_with_word(rest, "OFFLINE")) return VolumeState::failed;
    return std::nullopt;
}

std::optional<ComponentState> drive_state(std::string_view rest) {
    if (rest.starts_with("ONLINE") || rest.starts_with("COPY BACK") || rest.starts_with("COPYBACK"))
        return ComponentState::optimal;
    if (rest.starts_with("REBUILD")) return ComponentState::rebuilding;
    if (rest.starts_with("FAILED") || rest.starts_with("OFFLINE") || rest.starts_with("UNCONFIGURED BAD"))
        return ComponentState::failed;
    if (rest.starts_with("HOT SPARE")) return ComponentState::spare;
    return std::nullopt;
}

// What stands behind the size in parentheses: "( 137G) ONLINE <...>" -> "ONLINE <...>".
std::string_view behind_size(std::string_view text) {
    const auto open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    return trim(text.substr(close + 1));
}

class Report {
 public:
    Report(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        const auto head = trim(out_.text(begin_));
        part_ = part_of(head);
        controller_ = *controller_of(words(head)[0]);
        if (head.ends_with("No battery present")) battery("missing", begin_);
        if (part_ == Part::cache) current_ = std::string(words(head)[2]);
        std::size_t last = begin_;
        for (std::size_t i = begin_ + 1; i < out_.lines.size(); ++i) {
            const auto text = trim(out_.text(i));
            if (text.empty() || part_of(text) != Part::none || !take(text, i)) break;
            last = i;
        }
        finish(last);
        return last - begin_ + 1;
    }

 private:
    bool take(std::string_view text, std::size_t i) {
        if (part_ == Part::volumes) return volume_row(text, i);
        if (part_ == Part::configuration) return configuration(text, i);
        if (part_ == Part::drives) return drive_row(text, i);
        const auto p = key_value(text);
        if (part_ == Part::cache && text.starts_with("Cache Disabled Due to Dead Battery")) {
            battery("failed", i);
            writes_ = false;
            return true;
        }
        if (!p) return false;
        if (part_ == Part::battery) battery_key(*p, i);
        if (part_ == Part::cache) cache_key(*p, i);
        if (part_ == Part::adapter && p->key == "Battery Backup" && p->value == "not present")
            battery("missing", i);
        return true;
    }

    // Level, stripe and state in both listings.
    void describe(Volume& v, std::string_view rest, std::size_t i) {
        const auto w = words(rest);
        v.kind = scribe_.known(VolumeKind::hardware, i);
        if (w.size() < 3 || !w[0].starts_with("RAID-"))
            return scribe_.unparsed(i, i, "mfiutil: a volume without level, stripe and state");
        const auto level = controller_level(fmt::format("RAID{}", w[0].substr(5)));
        if (level)
            v.level = scribe_.known(*level, i);
        else
            v.layout = scribe_.text(w[0], i);
        if (const auto unit = to_size(w[1]); unit && *unit >= 512)
            v.stripe_unit_bytes = scribe_.known(*unit, i);
        else
            scribe_.unparsed(i, i, "mfiutil: the stripe is no size");
        const char* state = w[2].data();
        const std::string_view behind(state, static_cast<std::size_t>(rest.data() + rest.size() - state));
        if (const auto known = volume_state(behind)) v.state = scribe_.known(*known, i);
    }

    bool volume_row(std::string_view text, std::size_t i) {
        if (starts_with_word(text, "Id")) return true;
        const auto rest = behind_size(text);
        if (rest.empty()) return false;
        Volume& v = volume(scribe_.facts, words(text)[0]);
        describe(v, rest, i);
        // "Enabled" and "Writes" only allow write-back; whether it is on, "mfiutil cache" tells.
        const auto before_name = trim(rest.substr(0, rest.find('<')));
        const auto w = words(before_name);
        if (std::find(w.begin(), w.end(), "Disabled") != w.end() ||
            std::find(w.begin(), w.end(), "Reads") != w.end())
            v.cache_policy = scribe_.text("write-through", i);
        return true;
    }

    bool configuration(std::string_view text, std::size_t i) {
        const auto w = words(text);
        if (w[0] == "array" && w.size() >= 5 && w[2] == "of") {
            arrays_.push_back({std::string(w[1]), {}});
            return true;
        }
        if (w[0] == "drive" && w.size() >= 2 && !arrays_.empty()) {
            arrays_.back().components.push_back(drive(w[1], text, i));
            return true;
        }
        if (w[0] == "volume" && w.size() >= 2) {
            Set set{{}, {}};
            set.volume.name = std::string(w[1]);
            describe(set.volume, behind_size(text), i);
            sets_.push_back(std::move(set));
            return true;
        }
        if (w[0] == "array" && w.size() == 2) {
            if (in_spare_ && !spares_.empty())
                spares_.back().arrays.emplace_back(w[1]);
            else if (!sets_.empty())
                sets_.back().arrays.emplace_back(w[1]);
            return true;
        }
        if ((w[0] == "global" || w[0] == "dedicated") && w.size() >= 3 && w[1] == "spare") {
            in_spare_ = true;
            spares_.push_back({{}, drive(w[2], text, i)});
            return true;
        }
        return false;
    }

    Component drive(std::string_view id, std::string_view text, std::size_t i) {
        Component c;
        if (id == "MISSING" || contains(text, "MISSING")) {
            c.state = scribe_.known(ComponentState::missing, i);
            return c;
        }
        c.name = fmt::format("{}/drive{}", controller_, id);
        const auto rest = behind_size(text);
        if (const auto state =
                drive_state(rest.empty() ? trim(text.substr(text.find(id) + id.size())) : rest))
            c.state = scribe_.known(*state, i);
        describe_drive(c.name, text, i);
        return c;
    }

    // "<FUJITSU MAY2073RC 5204 serial=B36> SAS": the word before the serial number is the revision.
    void describe_drive(const std::string& name, std::string_view text, std::size_t i) {
        const auto inside = between(text, "<", ">");
        if (!inside) return;
        const auto w = words(inside->substr(0, inside->find(" serial=")));
        if (w.size() < 2) return;
        const auto& last = w[w.size() - 2];
        disk(scribe_.facts, name).model =
            scribe_.text({w[0].data(), static_cast<std::size_t>(last.data() + last.size() - w[0].data())}, i);
    }

    bool drive_row(std::string_view text, std::size_t i) {
        const auto id = words(text)[0];
        if (!is_number(id) || behind_size(text).empty()) return false;
        describe_drive(fmt::format("{}/drive{}", controller_, id), text, i);
        return true;
    }

    void battery_key(const KeyValue& p, std::size_t i) {
        if (p.key == "Status") {
            if (contains(p.value, "PACK_MISSING")) battery("missing", i);
            if (contains(p.value, "LEARN_CYCLE_ACTIVE")) battery("learning", i);
            if (contains(p.value, "LEARN_CYCLE_FAIL")) battery("failed", i);
            if (p.value == "normal") battery("ok", i);
        } else if (p.key == "State of Health") {
            battery(p.value == "good" ? "ok" : "failed", i);
        }
    }
    void battery(std::string_view word, std::size_t i) {
        Volume& whole = volume(scribe_.facts, controller_);
        whole.kind = scribe_.known(VolumeKind::hardware, i);
        if (!whole.battery || *whole.battery == "ok") whole.battery = scribe_.text(word, i);
    }

    void cache_key(const KeyValue& p, std::size_t i) {
        if (p.key == "I/O caching") {
            writes_ = p.value.starts_with("writes");
        } else if (p.key == "write caching") {
            write_back_ = p.value == "write-back";
            policy_line_ = i;
        } else if (p.key == "write cache with bad BBU") {
            forced_ = scribe_.known(p.value == "enabled", i);
        }
    }

    struct Array {
        std::string number;
        std::vector<Component> components;
    };
    struct Set {
        std::vector<std::string> arrays;
        Volume volume;
    };
    struct Spare {
        std::vector<std::string> arrays;  // none: it stands by for all
        Component component;
    };

    void finish(std::size_t last) {
        scribe_.suggest_os(Os::freebsd, begin_);
        if (policy_line_) {
            Volume& v = volume(scribe_.facts, current_);
            const bool on = write_back_ && writes_;
            v.kind = scribe_.known(VolumeKind::hardware, begin_);
            v.cache_policy = scribe_.text(on ? "write-back" : "write-through", *policy_line_);
            if (on && forced_) v.write_back_forced = forced_;
        }
        for (Set& set : sets_) finish_set(set);
        const bool nothing = scribe_.facts.volumes.empty() && scribe_.facts.disks.empty();
        if (nothing && scribe_.facts.unparsed.empty() && part_ != Part::adapter)
            scribe_.unparsed(begin_, last, "mfiutil: neither a volume nor a battery nor a drive");
    }

    void finish_set(Set& set) {
        const auto uses = [&](const std::string& array) {
            return std::find(set.arrays.begin(), set.arrays.end(), array) != set.arrays.end();
        };
        for (const Array& array : arrays_)
            if (uses(array.number))
                set.volume.components.insert(set.volume.components.end(), array.components.begin(),
                                             array.components.end());
        const auto columns = set.volume.components.size();
        for (const Spare& spare : spares_)
            if (spare.arrays.empty() || std::any_of(spare.arrays.begin(), spare.arrays.end(), uses))
                set.volume.components.push_back(spare.component);
        if (columns > 0 && !out_.filtered) {
            const Provenance& from = set.volume.kind.from();
            set.volume.columns = Number(columns, from);
            set.volume.spares = Number(set.volume.components.size() - columns, from);
            set.volume.components_complete = Flag(true, from);
        }
        scribe_.facts.volumes.push_back(std::move(set.volume));
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    Part part_ = Part::none;
    std::string controller_, current_;
    bool writes_ = true, write_back_ = false, in_spare_ = false;
    std::optional<std::size_t> policy_line_;
    Flag forced_;
    std::vector<Array> arrays_;
    std::vector<Set> sets_;
    std::vector<Spare> spares_;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Report(out, at, scribe).read();
}

}  // namespace

extern const CommandParser mfiutil_parser{
    .id = "mfiutil",
    .programs = {"mfiutil", "mrsasutil"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"mfiutil", "show", "config"}, true},
             {Os::freebsd, {"mfiutil", "show", "volumes"}, true},
             {Os::freebsd, {"mfiutil", "show", "battery"}, true}},
};

}  // namespace diskwright
