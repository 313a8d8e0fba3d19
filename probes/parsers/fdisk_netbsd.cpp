// SPDX-License-Identifier: BSD-2-Clause
// fdisk [-v] wd0 of NetBSD:
//   Disk: /dev/rwd0d
//   NetBSD disklabel disk geometry:
//   cylinders: 127, heads: 8, sectors/track: 128 (1024 sectors/cylinder)
//   total sectors: 130944, bytes/sector: 512
//   Partition table:
//   0: NetBSD (sysid 169)
//       start 63, size 100000 (49 MB, Cyls 0-6/58/19), Active
//   1: <UNUSED>
// Starts are absolute, those of the extended table ("E0: ...") too. Format: NetBSD/src:sbin/fdisk/fdisk.c.
#include <fmt/format.h>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "0: NetBSD (sysid 169)", "3: <UNUSED>", "E0: ...": the number, and what follows it.
struct Slot {
    std::string_view number, rest;
};
std::optional<Slot> slot_of(std::string_view line) {
    const auto text = trim(line);
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 3) return std::nullopt;
    const auto number = text.substr(0, colon);
    if (!is_number(number.substr(number.starts_with('E') ? 1 : 0))) return std::nullopt;
    const auto rest = trim(text.substr(colon + 1));
    if (rest != "<UNUSED>" && !contains(rest, "(sysid ")) return std::nullopt;
    return Slot{number, rest};
}

bool is_geometry(std::string_view line) {
    const auto text = trim(line);
    return text == "NetBSD disklabel disk geometry:" || text == "BIOS disk geometry:";
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (text.starts_with("Disk: ") && is_geometry(out.text(at + 1))) return true;
    if (is_geometry(text)) return true;
    if (text == "Partition table:") {
        const auto next = next_filled(out, at + 1, 1);
        return next && slot_of(out.text(*next));
    }
    const auto slot = slot_of(text);
    return slot && (slot->rest == "<UNUSED>" ? slot_of(out.text(at + 1)).has_value()
                                             : trim(out.text(at + 1)).starts_with("start "));
}

// Lines of the listing that carry nothing for us.
bool is_filler(std::string_view line) {
    const auto text = trim(line);
    constexpr std::string_view known[] = {"cylinders:",
                                          "total sectors:",
                                          "Partitions aligned",
                                          "Partition table:",
                                          "Do you want to",
                                          "PBR is",
                                          "bootmenu:",
                                          "Bootselector",
                                          "No active",
                                          "First active",
                                          "Drive serial",
                                          "Extended partition table:",
                                          "beg:",
                                          "end:",
                                          "Active partition",
                                          "Infinite timeout",
                                          "Default",
                                          "Boot ",
                                          "...",
                                          "start "};
    for (const auto prefix : known)
        if (text.starts_with(prefix)) return true;
    return is_geometry(text);
}

void take_slot(const Slot& slot, const std::string& device, const Output& out, std::size_t at,
               std::uint64_t sector, Scribe& scribe) {
    const bool logical = slot.number.starts_with('E');
    Partition& p = listed_partition(scribe, fmt::format("{}:{}", device, slot.number), device,
                                    logical ? Scheme::ebr : Scheme::mbr, at);
    if (const auto index = to_unsigned(slot.number)) p.index = scribe.known(*index, at);
    if (const auto sysid = between(slot.rest, "(sysid ", ")")) p.type = scribe.text(*sysid, at);
    const auto line = out.text(at + 1);
    const auto start = between(line, "start ", ","), size = after(line, "size ");
    if (!start || !size) {
        scribe.unparsed(at, at, fmt::format("fdisk: {} has no start and size", p.name));
        return;
    }
    set_extent(scribe, p, trim(*start), size->substr(0, size->find_first_of(" (,")), sector, at + 1);
    if (contains(line, ", Active")) p.attributes = scribe.known(std::vector<std::string>{"active"}, at + 1);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::string device;
    std::uint64_t sector = 512, rows = 0, slots = 0;
    bool protective = false, label_geometry = false;
    std::size_t last = at, protective_line = at;
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) continue;
        if (text.starts_with("Disk: ")) {
            if (!device.empty() || rows > 0) break;
            device = table_device(trim(text.substr(6)));
            last = i;
            continue;
        }
        if (device.empty() && out.program() == "fdisk") device = table_device(out.operand(0, "Abcfs"));
        if (device.empty()) device = std::string(unnamed_disk);
        if (const auto slot = slot_of(text)) {
            ++slots;
            if (slot->rest != "<UNUSED>") {
                take_slot(*slot, device, out, i, sector, scribe);
                ++rows;
                if (contains(slot->rest, "(sysid 238)")) protective = true, protective_line = i;
            }
        } else if (const auto total = after(text, "total sectors: "); total && label_geometry) {
            label_geometry = false;
            const auto count = leading_unsigned(*total);
            const auto unit = after(text, "bytes/sector: ");
            const auto bytes = unit ? to_unsigned(trim(*unit)) : std::nullopt;
            if (bytes && *bytes > 0) sector = *bytes;
            const auto size = count ? multiply(count->value, sector) : std::nullopt;
            set_device_size(scribe, device, size, bytes, i);
            if (size) table(scribe.facts, device, Scheme::mbr).total_bytes = scribe.known(*size, i);
        } else if (!is_filler(text)) {
            break;
        }
        if (is_geometry(text)) label_geometry = text.starts_with("NetBSD");
        last = i;
    }
    scribe.suggest_os(Os::netbsd, at);
    if (slots == 0) {
        scribe.unparsed(at, last, "fdisk: no partition table below the geometry");
        return last - at + 1;
    }
    PartitionTable& t = table(scribe.facts, device, Scheme::mbr);
    t.scheme = scribe.known(Scheme::mbr, at);
    if (protective) t.protective = scribe.known(true, protective_line);
    if (slots >= 4 && !out.filtered) t.entries_shown = scribe.known(rows, last);
    return last - at + 1;
}

}  // namespace

extern const CommandParser fdisk_netbsd_parser{
    .id = "fdisk-netbsd",
    .programs = {"fdisk"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"fdisk", "{disk}"}, true}},
};

}  // namespace diskwright
