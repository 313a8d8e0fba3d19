// SPDX-License-Identifier: BSD-2-Clause
// MegaCli -PDList, -LDPDInfo, -PDInfo (LSI, PERC 5 and later): the physical drives of a controller:
//   Enclosure Device ID: 32
//   Slot Number: 0
//   Media Error Count: 12
//   Firmware state: Online, Spun Up
//   Inquiry Data: WD-WCC4N0000000WDC WD30EFRX-68EUZN0   80.00A80
//   Media Type: Hard Disk Device
//   Drive has flagged a S.M.A.R.T alert : No
// A drive is named as the tool's commands address it, [32:0] (of adapter 1 and later with the adapter before
// it). The set it belongs to is told by disk groups, which the listing of volumes does not print, so that
// drives are facts of their own. The inquiry data of SATA drives run serial number and model together and are
// not used.
#include <fmt/format.h>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"

namespace diskwright {
namespace {

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (text.starts_with("Enclosure Device ID:")) return true;
    // "PD: 0 Information" of -LDPDInfo.
    return text.starts_with("PD: ") && text.ends_with(" Information");
}

class Drives {
 public:
    Drives(const Output& out, std::size_t at, Scribe& scribe) : out_(out), scribe_(scribe), begin_(at) {}

    std::size_t read() {
        find_adapter();
        std::size_t last = begin_, idle = 0;
        for (std::size_t i = begin_; i < out_.lines.size(); ++i) {
            const auto text = trim(out_.text(i));
            if (text.empty()) {
                if (++idle > 4) break;
                continue;
            }
            if (text.starts_with("Adapter #")) {
                if (const auto number = leading_unsigned(text.substr(9))) adapter_ = number->value;
            } else if (const auto p = key_value(text)) {
                // The next volume of -LDPDInfo.
                if (p->key == "Virtual Drive" || p->key == "Virtual Disk") break;
                take(*p, i);
            } else {
                break;
            }
            idle = 0;
            last = i;
        }
        if (!any_) scribe_.unparsed(begin_, last, "MegaCli: a drive without its slot");
        return last - begin_ + 1;
    }

 private:
    // The heading "Adapter #1" stands above the first drive, or above the volumes before it.
    void find_adapter() {
        constexpr std::size_t furthest = 2000;
        for (std::size_t back = 1; back <= begin_ && back < furthest; ++back) {
            const auto text = trim(out_.text(begin_ - back));
            if (!text.starts_with("Adapter #") && !text.starts_with("Adapter ")) continue;
            if (const auto number = leading_unsigned(text.substr(text[8] == '#' ? 9 : 8)))
                adapter_ = number->value;
            return;
        }
    }

    void take(const KeyValue& p, std::size_t i) {
        if (p.key == "Enclosure Device ID") {
            enclosure_ = is_number(p.value) ? std::string(p.value) : std::string{};
            current_.clear();
        } else if (p.key == "Slot Number") {
            if (!is_number(p.value))
                return scribe_.unparsed(i, i, "MegaCli: the slot of a drive is no number");
            current_ = adapter_ == 0 ? fmt::format("[{}:{}]", enclosure_, p.value)
                                     : fmt::format("adapter{}[{}:{}]", adapter_, enclosure_, p.value);
            any_ = true;
        }
        if (current_.empty()) return;
        if (p.key == "Media Error Count") {
            if (const auto count = scribe_.number(p.value, i, "media errors of a drive"))
                disk(scribe_.facts, current_).media_errors = scribe_.known(*count, i);
        } else if (p.key == "Drive has flagged a S.M.A.R.T alert") {
            disk(scribe_.facts, current_).health_passed = scribe_.known(!iequals(p.value, "Yes"), i);
        } else if (p.key == "Media Type") {
            if (p.value.starts_with("Hard Disk"))
                disk(scribe_.facts, current_).rotational = scribe_.known(true, i);
            if (p.value.starts_with("Solid State"))
                disk(scribe_.facts, current_).rotational = scribe_.known(false, i);
        } else if (p.key == "Logical Sector Size" || p.key == "Physical Sector Size") {
            const auto bytes = to_unsigned(p.value);
            if (!bytes || *bytes < 512) return;
            Disk& d = disk(scribe_.facts, current_);
            (p.key.starts_with("Logical") ? d.logical_sector_bytes : d.physical_sector_bytes) =
                scribe_.known(*bytes, i);
        }
    }

    const Output& out_;
    Scribe& scribe_;
    const std::size_t begin_;
    std::uint64_t adapter_ = 0;
    std::string enclosure_, current_;
    bool any_ = false;
};

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    return Drives(out, at, scribe).read();
}

}  // namespace

extern const CommandParser megacli_drives_parser{
    .id = "megacli-drives",
    .programs = {"MegaCli", "MegaCli64", "megacli"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
