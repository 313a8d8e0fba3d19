// SPDX-License-Identifier: BSD-2-Clause
// fdisk ada0 of FreeBSD (to 12) and DragonFly:
//   ******* Working on device /dev/ad0 *******
//   The data for partition 1 is:
//   sysid 165 (0xa5),(FreeBSD/NetBSD/386BSD)
//       start 63, size 78156225 (38162 Meg), flag 80 (active)
// and fdisk -s: "   1:          63  1465144002 0xa5 0x80". DragonFly writes no hexadecimal sysid and its own
// name. Format: freebsd/freebsd-src:sbin/fdisk/fdisk.c (stable/12),
// DragonFlyBSD/DragonFlyBSD:sbin/fdisk/fdisk.c.
#include <fmt/format.h>

#include "probes/parsers/gpart_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::string_view data_for = "The data for partition ";

// Some mail readers quote with a colon.
std::string_view unquoted(std::string_view line) {
    line = trim(line);
    while (line.starts_with(':')) line = trim(line.substr(1));
    return line;
}

bool is_sysid(std::string_view text) {
    return text.starts_with("sysid ") && contains(text, ",(");
}

bool is_summary_header(std::string_view text) {
    const auto w = words(text);
    return w.size() >= 5 && w[0] == "Part" && w[1] == "Start" && w[2] == "Size" && w[3] == "Type" &&
           w[4] == "Flags";
}

bool starts(const Output& out, std::size_t at) {
    const auto text = unquoted(out.text(at));
    return text.starts_with("******* Working on device ") || text.starts_with(data_for) ||
           is_summary_header(text) || (is_sysid(text) && contains(out.text(at + 1), "start "));
}

bool is_filler(std::string_view text) {
    constexpr std::string_view known[] = {
        "parameters ", "cylinders=",       "Figures below", "Media sector size",
        "Warning:",    "Information from", "beg:",          "end:",
        "<UNUSED>",    "start ",           "in BIOS"};
    for (const auto prefix : known)
        if (text.starts_with(prefix)) return true;
    return false;
}

struct Slices {
    std::string device;
    bool dragonfly = false;
    std::uint64_t sector = 512, rows = 0, slots = 0;
    std::optional<std::uint64_t> number;  // from "The data for partition N"

    std::string name(std::uint64_t index) const {
        // DragonFly's fdisk counts entries that its devices number otherwise; an unnamed disk has no devices.
        if (dragonfly || device == unnamed_disk) return fmt::format("{}:{}", device, index);
        return gpart_provider(device, Scheme::mbr, index);
    }
};

void take_entry(const Output& out, std::size_t at, Slices& slices, Scribe& scribe) {
    const auto sysid = leading_unsigned(unquoted(out.text(at)).substr(6));
    const auto extent = unquoted(out.text(at + 1));
    const auto start = between(extent, "start ", ","), size = after(extent, "size ");
    const std::uint64_t index = slices.number.value_or(slices.rows + 1);
    ++slices.rows;
    slices.number.reset();
    if (!sysid || !start || !size) {
        scribe.unparsed(at, at, fmt::format("fdisk: entry {} has no start and size", index));
        return;
    }
    Partition& p = listed_partition(scribe, slices.name(index), slices.device, Scheme::mbr, at);
    p.index = scribe.known(index, at);
    p.type = scribe.text(fmt::format("{}", sysid->value), at);
    set_extent(scribe, p, trim(*start), size->substr(0, size->find_first_of(" (,")), slices.sector, at + 1);
    if (contains(extent, "(active)")) p.attributes = scribe.known(std::vector<std::string>{"active"}, at + 1);
    if (sysid->value == 238)
        table(scribe.facts, slices.device, Scheme::mbr).protective = scribe.known(true, at);
}

// "   1:          63  1465144002 0xa5 0x80"
bool take_summary(std::string_view text, std::size_t at, Slices& slices, Scribe& scribe) {
    const auto w = words(text);
    if (w.size() < 4 || !w[0].ends_with(':') || !w[3].starts_with("0x")) return false;
    const auto index = to_unsigned(w[0].substr(0, w[0].size() - 1)), type = to_hex(w[3]);
    if (!index || !type) return false;
    Partition& p = listed_partition(scribe, slices.name(*index), slices.device, Scheme::mbr, at);
    p.index = scribe.known(*index, at);
    p.type = scribe.text(fmt::format("{}", *type), at);
    set_extent(scribe, p, w[1], w[2], slices.sector, at);
    ++slices.rows;
    return true;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Slices slices;
    if (out.program() == "fdisk") slices.device = table_device(out.operand(0, "bf"));
    // fdisk -s names the disk in the line above: "/dev/ada0: 1453521 cyl 16 hd 63 sec".
    const auto above = at > 0 ? words(out.text(at - 1)) : std::vector<std::string_view>{};
    if (above.size() >= 3 && above[0].ends_with(':') && above[2] == "cyl")
        slices.device = table_device(above[0].substr(0, above[0].size() - 1));
    // The sysid text tells the system before the first name is made.
    for (std::size_t i = at; i < out.lines.size() && i < at + 40; ++i)
        if (contains(out.text(i), "DragonFly/")) slices.dragonfly = true;
    std::size_t last = at;
    const bool summary = is_summary_header(unquoted(out.text(at)));
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto text = unquoted(out.text(i));
        if (text.empty()) {
            if (summary) break;
            continue;
        }
        if (const auto device = after(text, "Working on device ")) {
            if (slices.slots > 0) break;
            slices.device = table_device(device->substr(0, device->find(' ')));
        }
        if (slices.device.empty()) slices.device = std::string(unnamed_disk);
        if (text.starts_with(data_for)) {
            const auto number = leading_unsigned(text.substr(data_for.size()));
            slices.number = number ? std::optional(number->value) : std::nullopt;
            ++slices.slots;
        } else if (is_sysid(text)) {
            take_entry(out, i, slices, scribe);
        } else if (const auto sector = after(text, "Media sector size is ")) {
            const auto value = leading_unsigned(*sector);
            if (value && value->value >= 128 && value->value <= 65536) {
                slices.sector = value->value;
                set_device_size(scribe, slices.device, std::nullopt, slices.sector, i);
            }
        } else if (!is_summary_header(text) && !(summary && take_summary(text, i, slices, scribe)) &&
                   !is_filler(text) && !contains(text, "Working on device ")) {
            break;
        }
        last = i;
    }
    if (slices.dragonfly) scribe.suggest_os(Os::dragonfly, at);
    if (slices.rows == 0 && slices.slots == 0) {
        scribe.unparsed(at, last, "fdisk: no slice listed");
        return last - at + 1;
    }
    PartitionTable& t = table(scribe.facts, slices.device, Scheme::mbr);
    t.scheme = scribe.known(Scheme::mbr, at);
    if ((slices.slots >= 4 || summary) && !out.filtered) t.entries_shown = scribe.known(slices.rows, last);
    return last - at + 1;
}

}  // namespace

extern const CommandParser fdisk_freebsd_parser{
    .id = "fdisk-freebsd",
    .programs = {"fdisk"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::dragonfly, {"fdisk", "{disk}"}, true}},
};

}  // namespace diskwright
