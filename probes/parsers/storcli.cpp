// SPDX-License-Identifier: BSD-2-Clause
// storcli and perccli (Broadcom and Dell RAID controllers, all systems): /c0 show, /c0/vall show all, /c0/cv
// or /c0/bbu show [all], show:
//   DG/VD TYPE  State Access Consist Cache Cac sCC       Size Name
//   0/0   RAID5 Dgrd  RW     Yes     RWBD  -   ON  40.017 TB data1
//   EID:Slt DID State DG       Size Intf Med SED PI SeSz Model            Sp Type
//   134:2    17 Onln   0 557.861 GB SAS  HDD N   N  512B ST600MM0208      U  -
//   VD0 Properties :
//   Strip Size = 64 KB
//   OS Drive Name = /dev/sda
//   Model  State   Temp Mode MfgDate
//   CVPM02 Failed  22C  -    2018/05/19
// A volume is named by the system's disk where the tool tells it, else as the tool addresses it (c0/v0);
// drives likewise (c0/e134/s2). The volume "c0" stands for the controller, whose battery serves all its
// volumes. The tool's source is not public: the formats are those of 1.x (2013) to 7.x (2022) as printed.
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/parsers/storcli_words.hpp"

namespace diskwright {
namespace {

bool is_rule(std::string_view text) {
    return text.size() >= 4 && text.find_first_not_of("-=") == std::string_view::npos;
}

bool is_ours(const Output& out) {
    for (const std::string_view name :
         {"storcli", "storcli2", "storcli64", "perccli", "perccli2", "perccli64"})
        if (out.program() == name) return true;
    return false;
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    const StorcliTable table = storcli_table(words(text));
    if (table != StorcliTable::none && (table != StorcliTable::properties || is_ours(out))) return true;
    if (text.starts_with("CLI Version = ") || text.starts_with("Cachevault_Info :") ||
        text.starts_with("BBU_Info :"))
        return true;
    if (const auto address = storcli_address(text); address && address->volume && text.ends_with(':'))
        return true;
    return is_ours(out) && text.starts_with("Controller = ");
}

class Listing {
 public:
    Listing(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        for (const auto& argument : out_.argv)
            if (const auto address = storcli_address(argument)) controller_ = address->controller;
        std::size_t last = begin_;
        for (std::size_t i = begin_; i < out_.lines.size(); ++i) {
            const auto text = trim(out_.text(i));
            if (text.empty()) continue;
            if (!take(text, i) && !is_ours(out_)) break;
            last = i;
        }
        finish(last);
        return last - begin_ + 1;
    }

 private:
    struct Set {
        std::uint64_t controller = 0, group = 0, number = 0;
        Volume volume;
        std::string_view printed_size, blocks;
        std::size_t blocks_line = 0;
        std::string device;
        std::uint64_t spans = 1;
        bool drives_listed = false;
    };
    struct Drive {
        std::uint64_t controller;
        std::optional<std::uint64_t> group, volume;  // a row of "PDs for VD n" tells the volume
        Component component;
    };

    bool take(std::string_view text, std::size_t i) {
        const auto w = words(text);
        if (const StorcliTable next = storcli_table(w); next != StorcliTable::none) {
            table_ = next, header_ = w, rows_ = 0;
            return true;
        }
        if (is_rule(text)) {
            if (rows_ > 0) table_ = StorcliTable::none;
            return true;
        }
        if (table_ != StorcliTable::none) {
            ++rows_;
            row(w, text, i);
            return true;
        }
        return heading(text) || pair(text, i) || contains(text, "|") || text == "Check Consistency" ||
               text.starts_with("Generating detailed summary") || text.ends_with(" :");
    }

    bool heading(std::string_view text) {
        if (const auto address = storcli_address(text)) {
            controller_ = address->controller;
            if (address->volume) volume_ = address->volume;
            return true;
        }
        for (const std::string_view before : {"PDs for VD ", "VD"}) {
            if (!text.starts_with(before)) continue;
            const auto number = leading_unsigned(text.substr(before.size()));
            if (!number || !text.ends_with(':')) continue;
            volume_ = number->value;
            listing_volume_ = before.size() > 2;
            if (Set* s = current(); s && listing_volume_) s->drives_listed = true;
            return true;
        }
        if (text.starts_with("PD LIST") || text.starts_with("TOPOLOGY") || text.starts_with("VD LIST")) {
            listing_volume_ = false;
            whole_ = whole_ || text.starts_with("PD LIST");
            return true;
        }
        return false;
    }

    bool pair(std::string_view text, std::size_t i) {
        const auto p = key_value(text, '=');
        if (!p) return false;
        if (p->key == "Controller") {
            if (const auto number = to_unsigned(p->value)) controller_ = *number;
            volume_.reset(), listing_volume_ = false;
            return true;
        }
        if (p->key == "Operating system") system(p->value, i);
        Set* s = current();
        if (!s) return true;
        if (p->key == "Strip Size") {
            const auto size = to_size(p->value);
            if (size && *size >= 512)
                s->volume.stripe_unit_bytes = scribe_.known(*size, i);
            else
                scribe_.unparsed(i, i, "storcli: the strip size is no size");
        } else if (p->key == "Number of Blocks") {
            s->blocks = p->value, s->blocks_line = i;
        } else if (p->key == "Span Depth") {
            s->spans = to_unsigned(p->value).value_or(1);
        } else if (p->key == "Number of Drives Per Span") {
            const auto count = to_unsigned(p->value);
            const auto all = count ? multiply(*count, s->spans) : std::nullopt;
            if (all && *all > 0 && *all <= 1024) s->volume.columns = scribe_.known(*all, i);
        } else if (p->key == "OS Drive Name" && p->value.starts_with("/dev/")) {
            s->device = device_name(p->value);
        }
        return true;
    }

    // "Linux 5.10.19stock-1", "FreeBSD 12.1-RELEASE"
    void system(std::string_view value, std::size_t i) {
        const auto w = words(value);
        const auto name = w.empty() ? std::nullopt : from_string<Os>(lowercase(w[0]));
        if (!name) return;
        scribe_.facts.os.name = scribe_.known(*name, i);
        if (w.size() > 1) scribe_.facts.os.release = scribe_.text(w[1], i);
    }

    Set* find(std::uint64_t number) {
        const auto at = std::find_if(sets_.begin(), sets_.end(), [&](const Set& s) {
            return s.controller == controller_ && s.number == number;
        });
        return at == sets_.end() ? nullptr : &*at;
    }
    Set* current() { return volume_ ? find(*volume_) : nullptr; }

    void row(const Cells& w, std::string_view text, std::size_t i) {
        if (table_ == StorcliTable::volumes) volume_row(w, i);
        if (table_ == StorcliTable::drives) drive_row(w, i);
        if (table_ == StorcliTable::topology) topology_row(w, i);
        if (table_ == StorcliTable::battery) battery(controller_, storcli_cell(header_, w, "State"), i);
        if (table_ == StorcliTable::properties) property_row(text, i);
        if (table_ == StorcliTable::overview) {
            const auto number = to_unsigned(w[0]);
            // The model may hold blanks; the columns behind it are counted from the end.
            const auto from_end =
                static_cast<std::size_t>(header_.end() - std::find(header_.begin(), header_.end(), "BBU"));
            if (number && w.size() >= from_end) battery(*number, w[w.size() - from_end], i);
        }
    }

    void volume_row(const Cells& w, std::size_t i) {
        const auto row = storcli_volume_row(header_, w);
        if (!row) return scribe_.unparsed(i, i, "storcli: a row of volumes that is not understood");
        if (const Set* known = find(row->number)) sets_.erase(sets_.begin() + (known - sets_.data()));
        Set s;
        s.controller = controller_, s.group = row->group, s.number = row->number;
        s.printed_size = row->size;
        s.volume.kind = scribe_.known(VolumeKind::hardware, i);
        if (const auto level = controller_level(row->type))
            s.volume.level = scribe_.known(*level, i);
        else
            s.volume.layout = scribe_.text(row->type, i);
        if (const auto state = storcli_volume_state(row->state)) s.volume.state = scribe_.known(*state, i);
        if (const auto cache = storcli_cache(row->cache)) {
            s.volume.cache_policy = scribe_.text(cache->write_back ? "write-back" : "write-through", i);
            if (cache->write_back) s.volume.write_back_forced = scribe_.known(cache->forced, i);
        }
        volume_ = row->number;
        sets_.push_back(std::move(s));
    }

    std::string drive_name(const StorcliDriveRow& row) const {
        return row.enclosure.empty() ? fmt::format("c{}/s{}", controller_, row.slot)
                                     : fmt::format("c{}/e{}/s{}", controller_, row.enclosure, row.slot);
    }

    void drive_row(const Cells& w, std::size_t i) {
        const auto row = storcli_drive_row(header_, w);
        if (!row) return scribe_.unparsed(i, i, "storcli: a row of drives that is not understood");
        Disk& d = disk(scribe_.facts, drive_name(*row));
        if (row->rotational) d.rotational = scribe_.known(*row->rotational, i);
        if (row->sector_bytes) d.logical_sector_bytes = scribe_.known(*row->sector_bytes, i);
        if (!row->model.empty()) d.model = scribe_.text(row->model, i);
        const auto state = storcli_drive_state(row->state);
        const bool global = row->state == "GHS";
        if (!state || (!row->group && !global)) return;
        Drive member{
            controller_, global ? std::nullopt : row->group, listing_volume_ ? volume_ : std::nullopt, {}};
        member.component.name = d.name;
        member.component.state = scribe_.known(*state, i);
        drives_.push_back(std::move(member));
    }

    // Only the topology lists the slot of a drive that is gone.
    void topology_row(const Cells& w, std::size_t i) {
        const auto type = std::find(w.begin(), w.end(), "DRIVE");
        const auto group = to_unsigned(w[0]);
        if (type == w.end() || !group || type + 1 == w.end()) return;
        if (*(type + 1) != "Msng") return;
        Drive d{controller_, group, std::nullopt, {}};
        d.component.state = scribe_.known(ComponentState::missing, i);
        drives_.push_back(std::move(d));
    }

    void property_row(std::string_view text, std::size_t i) {
        const auto value = [&](std::string_view key) -> std::optional<std::string_view> {
            if (!starts_with_word(text, key)) return std::nullopt;
            return trim(text.substr(key.size()));
        };
        for (const std::string_view key : {"State", "Battery State"})
            if (const auto state = value(key)) battery(controller_, *state, i);
        for (const std::string_view key : {"Replacement required", "Battery Replacement required",
                                           "Pack is about to fail & should be replaced"})
            if (const auto yes = value(key); yes && iequals(*yes, "Yes")) battery(controller_, "Failed", i);
        if (const auto yes = value("Battery Pack Missing"); yes && iequals(*yes, "Yes"))
            battery(controller_, "Missing", i);
        if (const auto yes = value("Learn Cycle Active"); yes && iequals(*yes, "Yes"))
            battery(controller_, "Learning", i);
    }

    // "Optimal" does not take back what another line complained of.
    void battery(std::uint64_t controller, std::string_view state, std::size_t i) {
        const auto word = battery_word(state);
        if (word.empty()) return;
        Volume& whole = volume(scribe_.facts, fmt::format("c{}", controller));
        whole.kind = scribe_.known(VolumeKind::hardware, i);
        if (!whole.battery || *whole.battery == "ok") whole.battery = scribe_.text(word, i);
    }

    void finish(std::size_t last) {
        for (Set& s : sets_) finish_set(s);
        const bool nothing = scribe_.facts.volumes.empty() && scribe_.facts.disks.empty();
        if (nothing && scribe_.facts.unparsed.empty())
            scribe_.unparsed(begin_, last, "storcli: neither a volume nor a drive nor a battery");
    }

    void finish_set(Set& s) {
        const std::string address = fmt::format("c{}/v{}", s.controller, s.number);
        s.volume.name = s.device.empty() ? address : s.device;
        if (!s.device.empty()) s.volume.set_name = Text(address, s.volume.kind.from());
        std::uint64_t spares = 0;
        for (const Drive& d : drives_) {
            if (d.controller != s.controller) continue;
            const bool spare = d.component.state.is(ComponentState::spare);
            const bool mine = d.volume ? *d.volume == s.number : d.group ? *d.group == s.group : spare;
            if (!mine || !add(s.volume, d.component)) continue;
            if (spare) ++spares;
        }
        const bool listed = (whole_ || s.drives_listed) && !s.volume.components.empty();
        if (listed && !out_.filtered) s.volume.components_complete = Flag(true, s.volume.kind.from());
        if (whole_ && listed && !out_.filtered) s.volume.spares = Number(spares, s.volume.kind.from());
        set_size(s);
        if (s.volume.cache_policy && *s.volume.cache_policy == "write-back") note_write_back(s);
        scribe_.facts.volumes.push_back(std::move(s.volume));
    }

    static bool add(Volume& set, const Component& c) {
        const bool known =
            !c.name.empty() && std::any_of(set.components.begin(), set.components.end(),
                                           [&](const Component& x) { return x.name == c.name; });
        if (!known) set.components.push_back(c);
        return !known;
    }

    // The blocks are the disk's own; the printed size tells which.
    void set_size(Set& s) {
        const auto blocks = to_unsigned(s.blocks);
        const auto unit = blocks ? sector_from_printed_size(*blocks, s.printed_size) : std::nullopt;
        const auto bytes = unit ? multiply(*blocks, *unit) : std::nullopt;
        if (!bytes) return;
        s.volume.size_bytes = scribe_.known(*bytes, s.blocks_line);
        s.volume.logical_sector_bytes = scribe_.known(*unit, s.blocks_line);
    }

    // The battery is the controller's, so what relies on it is told there too.
    void note_write_back(const Set& s) {
        const auto whole =
            std::find_if(scribe_.facts.volumes.begin(), scribe_.facts.volumes.end(),
                         [&](const Volume& v) { return v.name == fmt::format("c{}", s.controller); });
        if (whole == scribe_.facts.volumes.end()) return;
        whole->cache_policy = s.volume.cache_policy;
        if (!whole->write_back_forced.is(true)) whole->write_back_forced = s.volume.write_back_forced;
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    std::uint64_t controller_ = 0;
    std::optional<std::uint64_t> volume_;  // that the lines speak of
    bool listing_volume_ = false;          // inside "PDs for VD n"
    bool whole_ = false;                   // all drives of the controller are listed
    StorcliTable table_ = StorcliTable::none;
    Cells header_;
    std::size_t rows_ = 0;
    std::vector<Set> sets_;
    std::vector<Drive> drives_;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Listing(out, at, scribe).read();
}

}  // namespace

extern const CommandParser storcli_parser{
    .id = "storcli",
    .programs = {"storcli", "storcli64", "storcli2", "perccli", "perccli64", "perccli2"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
