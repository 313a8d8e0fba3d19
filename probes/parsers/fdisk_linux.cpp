// SPDX-License-Identifier: BSD-2-Clause
// fdisk -l [-u] /dev/sda of util-linux, all generations, and busybox:
//   Disk /dev/sda: 293.4 GB, 293378981888 bytes                        (to 2.22)
//   Units = cylinders of 16065 * 512 = 8225280 bytes
//      Device Boot      Start         End      Blocks   Id  System
//   /dev/sda1   *           1          64      512000   83  Linux
//   Disk /dev/sdb: 931.51 GiB, 1000204886016 bytes, 1953525168 sectors (2.26 on)
//   Device     Start        End    Sectors   Size Type                 (GPT)
//   /dev/sdb1   2048 1953523711 1953521664 931.5G Linux RAID
//   #         Start          End    Size  Type            Name         (GPT, 2.23)
// Cylinder units: a row's place is not told to the sector, so its start stays unknown. Blocks are KiB; a "+"
// after them stands for an odd 512 bytes. Which unit a row uses follows from its own numbers: end - start + 1
// is the count of sectors, or twice the blocks. Format: util-linux/util-linux:disk-utils/fdisk-list.c and
// fdisk/fdisk.c of 2.20.
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/fdisk_head.hpp"
#include "probes/parsers/linux_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_device_row(std::string_view line) {
    auto w = words(line);
    if (w.size() < 5 || !w[0].starts_with("/dev/") || w[0].ends_with(':')) return false;
    const std::size_t first = w[1] == "*" ? 2 : 1;
    const auto plain = [](std::string_view word) {
        return is_number(word.ends_with('+') ? word.substr(0, word.size() - 1) : word);
    };
    return w.size() >= first + 4 && plain(w[first]) && plain(w[first + 1]) && plain(w[first + 2]);
}

bool is_device_header(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 5 && w[0] == "Device" && (w[1] == "Start" || (w[1] == "Boot" && w[2] == "Start"));
}

// Of 2.23 for GPT: "#  Start  End  Size  Type  Name".
bool is_numbered_header(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 5 && w[0] == "#" && w[1] == "Start" && w[2] == "End" && w[3] == "Size" &&
           w[4] == "Type";
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (!fdisk_disk(line).empty() && fdisk_size(line)) return true;
    return is_device_header(line) || (is_device_row(line) && out.program() == "fdisk");
}

struct Listing {
    LinuxDevice device;
    Scheme scheme = Scheme::mbr;
    std::uint64_t sector = 512, rows = 0;
    bool numbered = false, header = false, whole = true, protective = false;
    bool translated = false;  // a header in another language: the rows tell which columns there are
    std::size_t header_line = 0, scheme_line = 0;
};

struct Extent {
    std::optional<std::uint64_t> start, size;  // in bytes
    bool cylinders = false;
};

std::string_view without_plus(std::string_view word) {
    return word.ends_with('+') ? word.substr(0, word.size() - 1) : word;
}

// start, end and a third number that is sectors or KiB blocks.
Extent extent_of(std::string_view start_word, std::string_view end_word, std::string_view count_word,
                 std::uint64_t sector) {
    Extent out;
    const auto start = to_unsigned(without_plus(start_word)), end = to_unsigned(without_plus(end_word));
    const auto count = to_unsigned(without_plus(count_word));
    if (!start || !end || !count || *end < *start) return out;
    const std::uint64_t length = *end - *start + 1;
    const std::uint64_t half = count_word.ends_with('+') ? 512 : 0;
    const auto blocks = multiply(*count, 1024);
    const auto bytes = multiply(length, sector);
    if (*count == length) {
        out.start = multiply(*start, sector);
        out.size = bytes;
    } else if (blocks && bytes && *blocks + half == *bytes) {
        out.start = multiply(*start, sector);
        out.size = bytes;
    } else {
        out.cylinders = true;
        if (blocks) out.size = add(*blocks, half);
    }
    return out;
}

void write_extent(const Extent& extent, Partition& p, std::size_t at, Scribe& scribe) {
    if (extent.start)
        p.start_bytes = scribe.known(*extent.start, at);
    else if (extent.cylinders)
        p.start_bytes =
            Number::unknown(fmt::format("fdisk -l -u /dev/{} (cylinders were printed)", p.parent));
    if (extent.size) p.size_bytes = scribe.known(*extent.size, at);
    if (!extent.size)
        scribe.unparsed(at, at, fmt::format("fdisk: start and end of {} make no extent", p.name));
}

bool has_unit(std::string_view word) {
    return word.size() >= 2 && word.find_first_of("BKMGTPE") == word.size() - 1 && to_size(word).has_value();
}

void take_device_row(std::string_view line, std::size_t at, Listing& listing, Scribe& scribe) {
    const auto w = words(line);
    const bool active = w[1] == "*";
    const std::size_t first = active ? 2 : 1;
    const std::string name = device_name(w[0]);
    if (listing.device.name.empty()) {
        const auto number = linux_partition_number(name);
        auto disk_part = number ? name.substr(0, name.find_last_not_of("0123456789") + 1) : name;
        // nvme0n1p1 -> nvme0n1
        if (disk_part.size() > 2 && disk_part.back() == 'p' &&
            is_number(disk_part.substr(disk_part.size() - 2, 1)))
            disk_part.pop_back();
        listing.device.name = disk_part;
    }
    Partition& p = listed_partition(scribe, name, listing.device.name, listing.scheme, at);
    if (const auto number = linux_partition_number(name)) p.index = scribe.known(*number, at);
    write_extent(extent_of(w[first], w[first + 1], w[first + 2], listing.sector), p, at, scribe);
    if (active) p.attributes = scribe.known(std::vector<std::string>{"active"}, at);
    ++listing.rows;
    std::size_t rest = first + 3;
    if (rest < w.size() && has_unit(w[rest])) ++rest;
    if (rest >= w.size()) return;
    if (listing.scheme == Scheme::mbr) {
        const auto id = to_hex(w[rest]);
        if (!id && (!listing.header || listing.translated)) {
            // Rows alone, with a type in words: only a GPT has those.
            listing.scheme = Scheme::gpt;
            p.scheme = scribe.known(Scheme::gpt, at);
            p.type =
                scribe.text(trim(line.substr(static_cast<std::size_t>(w[rest].data() - line.data()))), at);
            return;
        }
        if (!id || *id > 0xff) {
            scribe.unparsed(at, at, fmt::format("fdisk: '{}' is no partition id", escaped(w[rest])));
            return;
        }
        p.type = scribe.text(fmt::format("0x{:02x}", *id), at);
        if (*id == 0xee) listing.protective = true;
        return;
    }
    p.type = scribe.text(trim(line.substr(static_cast<std::size_t>(w[rest].data() - line.data()))), at);
}

bool take_numbered_row(std::string_view line, std::size_t at, Listing& listing, Scribe& scribe) {
    const auto w = words(line);
    if (w.size() < 5 || !is_number(w[0]) || !is_number(w[1]) || !is_number(w[2])) return false;
    const auto number = to_unsigned(w[0]), start = to_unsigned(w[1]), end = to_unsigned(w[2]);
    if (!number || !start || !end || *end < *start) return false;
    Partition& p = listed_partition(scribe, linux_partition(listing.device.name, *number),
                                    listing.device.name, Scheme::gpt, at);
    p.index = scribe.known(*number, at);
    if (const auto bytes = multiply(*start, listing.sector)) p.start_bytes = scribe.known(*bytes, at);
    if (const auto bytes = multiply(*end - *start + 1, listing.sector))
        p.size_bytes = scribe.known(*bytes, at);
    // Type and name are both of several words; two blanks or more part them.
    const auto rest = line.substr(static_cast<std::size_t>(w[4].data() - line.data()));
    const auto gap = std::min(rest.find("  "), rest.size());
    p.type = scribe.text(trim(rest.substr(0, gap)), at);
    if (const auto name = trim(rest.substr(gap)); !name.empty()) p.label = scribe.text(name, at);
    ++listing.rows;
    return true;
}

// "Partition 2 does not start on physical sector boundary."
bool take_warning(std::string_view text, std::size_t at, Listing& listing, Scribe& scribe) {
    if (!text.starts_with("Partition ")) return false;
    const auto number = leading_unsigned(text.substr(10));
    if (!number) return false;
    if (contains(text, "does not start on physical sector boundary")) {
        const std::string name = linux_partition(listing.device.name, number->value);
        partition(scribe.facts, name).misaligned_reported = scribe.known(true, at);
        scribe.event(Event::Kind::misaligned, name, "does not start on physical sector boundary", at);
    }
    return true;
}

bool is_filler(std::string_view text) {
    constexpr std::string_view known[] = {"Units",
                                          "I/O size",
                                          "Disk identifier",
                                          "Alignment offset",
                                          "WARNING:",
                                          "switch off",
                                          "sectors (command",
                                          "Found valid GPT",
                                          "First sector",
                                          "Warning",
                                          "Partition table entries are not",
                                          "Command (m for help)",
                                          "...",
                                          "***",
                                          "This doesn't look",
                                          "Welcome to fdisk",
                                          "Changes will"};
    for (const auto prefix : known)
        if (text.starts_with(prefix)) return true;
    return contains(text, " heads, ") || contains(text, " cylinders") || contains(text, "* 512 =") ||
           text.starts_with("Geometry:");
}

// A line in another language. util-linux translates its head and its remarks, while the names of devices and
// the order of the columns stay: so the line belongs to the listing when a row of this disk follows.
bool take_translated(const Output& out, std::size_t at, Listing& listing) {
    constexpr std::size_t longest_head = 12, longest_remark = 2;
    if (listing.device.name.empty()) return false;
    const std::size_t end =
        std::min(out.lines.size(), at + 1 + (listing.rows ? longest_remark : longest_head));
    std::size_t row = at + 1;
    while (row < end && !is_device_row(trim(out.text(row))) && fdisk_disk(out.text(row)).empty()) ++row;
    const auto below = words(out.text(row));
    if (row == end || !is_device_row(trim(out.text(row))) ||
        !device_name(below[0]).starts_with(listing.device.name))
        return false;
    if (listing.rows) return true;
    if (row == at + 1) {
        listing.header = listing.translated = true;
        listing.header_line = at;
        return true;
    }
    const auto text = trim(out.text(at));
    if (take_translated_sectors(text, at, listing.device)) {
        if (listing.device.logical_sector) listing.sector = *listing.device.logical_sector;
    } else if (const auto scheme = translated_scheme(text)) {
        listing.scheme = *scheme, listing.scheme_line = at;
    } else if (at == listing.device.size_line + 1) {
        // util-linux 2.33 and later print the model below the disk.
        const auto model = fdisk_value(text);
        if (!model.empty() && text.find_first_of("=,") == std::string_view::npos)
            listing.device.model = model, listing.device.model_line = at;
    }
    return true;
}

// Header lines by their key.
bool take_header(std::string_view text, std::size_t at, Listing& listing) {
    if (take_sector_sizes(text, at, listing.device)) {
        if (listing.device.logical_sector) listing.sector = *listing.device.logical_sector;
        return true;
    }
    auto label = after(text, "Disklabel type:");
    if (!label) label = after(text, "Disk label type:");
    if (label) {
        listing.scheme = trim(*label) == "gpt" ? Scheme::gpt : Scheme::mbr;
        listing.scheme_line = at;
        return true;
    }
    if (const auto model = after(text, "Disk model:"); model && text.starts_with("Disk model:")) {
        listing.device.model = trim(*model);
        listing.device.model_line = at;
        return true;
    }
    return is_filler(text);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Listing listing;
    std::size_t last = at;
    std::size_t begin = at;
    if (const auto path = fdisk_disk(out.text(at)); !path.empty()) {
        listing.device.name = device_name(path);
        listing.device.size_bytes = fdisk_size(out.text(at));
        listing.device.size_line = at;
        begin = at + 1;
    } else if (out.program() == "fdisk" && out.operand(0).starts_with("/dev/")) {
        listing.device.name = device_name(out.operand(0));
    }
    for (std::size_t i = begin; i < out.lines.size(); ++i) {
        const auto line = out.text(i);
        const auto text = trim(line);
        if (text.empty()) continue;
        if (!fdisk_disk(line).empty() && fdisk_size(line)) break;
        if (is_device_header(text)) {
            listing.header = true;
            listing.header_line = i;
            if (!contains(text, "Id")) listing.scheme = Scheme::gpt;
        } else if (is_numbered_header(text)) {
            listing.header = listing.numbered = true;
            listing.header_line = i;
            listing.scheme = Scheme::gpt;
        } else if (is_device_row(text)) {
            take_device_row(text, i, listing, scribe);
        } else if (listing.numbered && take_numbered_row(text, i, listing, scribe)) {
        } else if (!take_warning(text, i, listing, scribe) && !take_header(text, i, listing) &&
                   !take_translated(out, i, listing)) {
            break;
        }
        if (text.starts_with("...")) listing.whole = false;
        last = i;
    }
    scribe.suggest_os(Os::linux_, at);
    write_linux_device(listing.device, scribe);
    if (!listing.header && listing.rows == 0) {
        if (!listing.device.size_bytes) scribe.unparsed(at, last, "fdisk: neither a disk nor a partition");
        return last - at + 1;
    }
    PartitionTable& t = table(scribe.facts, listing.device.name, listing.scheme);
    t.scheme = scribe.known(listing.scheme, listing.scheme_line ? listing.scheme_line : at);
    if (listing.device.size_bytes)
        t.total_bytes = scribe.known(*listing.device.size_bytes, listing.device.size_line);
    if (listing.device.logical_sector)
        t.sector_bytes = scribe.known(*listing.device.logical_sector, listing.device.sector_line);
    if (listing.protective) t.protective = scribe.known(true, last);
    if (listing.header && listing.rows == 0 && !out.filtered)
        scribe.unparsed(listing.header_line, last, "fdisk: no partition below the header");
    else if (listing.header && listing.whole && !out.filtered)
        t.entries_shown = scribe.known(listing.rows, last);
    return last - at + 1;
}

}  // namespace

extern const CommandParser fdisk_linux_parser{
    .id = "fdisk-linux",
    .programs = {"fdisk", "cfdisk"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"fdisk", "-l"}, true}},
};

}  // namespace diskwright
