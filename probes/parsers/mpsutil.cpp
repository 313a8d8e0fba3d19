// SPDX-License-Identifier: BSD-2-Clause
// mpsutil and mprutil show adapter, adapters, devices (FreeBSD 10.3 and later):
//   mps0 Adapter:
//          Board Name: SAS9211-8i
//   Firmware Revision: 20.00.07.00
//     Integrated RAID: no
//   PhyNum  CtlrHandle  DevHandle  Disabled  Speed   Min    Max      Device
//     0      0001       0009        N      6.0  1.5  6.0  SAS Initiator
//   B____T    SAS Address     Handle  Parent    Device       Speed Enc  Slot  Wdt
// These host adapters have neither a cache nor a battery, and nothing here names a disk of the system: the
// output tells the system and that it was understood; a damaged row is told. Source:
// freebsd/freebsd-src:usr.sbin/mpsutil/mps_show.c.
#include <fmt/format.h>

#include "probes/parsers/key_value.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

enum class Table { none, adapter, phys, devices, adapters };

// "mps0 Adapter:", "mpr1 Adapter:"
bool is_adapter(std::string_view text) {
    const auto w = words(text);
    return w.size() == 2 && w[1] == "Adapter:" && (w[0].starts_with("mps") || w[0].starts_with("mpr")) &&
           is_number(w[0].substr(3));
}

Table table_at(std::string_view text) {
    if (is_adapter(text)) return Table::adapter;
    const auto w = words(text);
    if (w.size() < 5) return Table::none;
    if (w[0] == "PhyNum" && w[1] == "CtlrHandle") return Table::phys;
    if (w[0] == "B____T" && w[1] == "SAS" && w[2] == "Address") return Table::devices;
    if (w[0] == "Device" && w[1] == "Name" && w[2] == "Chip" && w[3] == "Name") return Table::adapters;
    return Table::none;
}

bool starts(const Output& out, std::size_t at) {
    return table_at(trim(out.text(at))) != Table::none;
}

// Phys without a device leave their handles blank.
bool is_row(Table table, const std::vector<std::string_view>& w) {
    switch (table) {
        case Table::phys:
            return is_number(w[0]) && (w.size() >= 5 || w.back() == "progress");
        case Table::devices:
            return w.size() >= 6 && (to_hex(w[0]) || is_number(w[0]));
        case Table::adapters:
            return w.size() >= 3 && w[0].starts_with("/dev/mp");
        default:
            return false;
    }
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    scribe.suggest_os(Os::freebsd, at);
    Table table = Table::none;
    std::size_t i = at;
    std::uint64_t rows = 0;
    for (; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) continue;
        if (const Table next = table_at(text); next != Table::none) {
            table = next;
        } else if (table == Table::adapter) {
            if (!key_value(text)) break;
        } else {
            const auto w = words(text);
            if (!is_row(table, w)) {
                if (!is_number(w[0]) && !w[0].starts_with("/dev/mp")) break;
                scribe.damage(i, "mpsutil: columns of a row are missing");
            }
        }
        ++rows;
    }
    if (rows < 2) scribe.unparsed(at, at, "mpsutil: a heading without a row below it");
    return std::max<std::size_t>(i - at, 1);
}

}  // namespace

extern const CommandParser mpsutil_parser{
    .id = "mpsutil",
    .programs = {"mpsutil", "mprutil"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
