// SPDX-License-Identifier: BSD-2-Clause
// parted [-m] DEV [unit U] print [free] of Linux, 1.8 to 3.6:
//   Disk /dev/md50: 30.0TB
//   Sector size (logical/physical): 512B/4096B
//   Partition Table: gpt
//   Number  Start   End     Size    File system  Name         Flags
//    1      3146kB  30.0TB  30.0TB  xfs          data50
// -m: BYT; / /dev/sda:1000204886016B:scsi:512:4096:gpt:MODEL:; /
// 1:1048576B:537919487B:536870912B:ext4:boot:esp; Only units of sectors and bytes are exact; the rounded
// figures of the default unit make no start of them. Format: GNU parted, parted/parted.c (mirror/parted).
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/linux_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_header(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 4 && w[0] == "Number" && w[1] == "Start" && w[2] == "End" && w[3] == "Size";
}

bool is_disk_line(std::string_view text) {
    const auto w = words(text);
    return w.size() == 3 && w[0] == "Disk" && w[1].starts_with("/dev/") && w[1].ends_with(':') &&
           w[2].find_first_of("Bs") == w[2].size() - 1;
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (text == "BYT;" || text == "CHS;" || text == "CYL;") return true;
    if (is_disk_line(text) || is_header(text)) return true;
    return text.starts_with("Model: ") && is_disk_line(trim(out.text(at + 1)));
}

struct Listing {
    LinuxDevice device;
    Scheme scheme = Scheme::gpt;
    bool table = false, header = false, exact = true;
    std::uint64_t rows = 0, free = 0, largest_free = 0;
    bool free_shown = false;
    std::size_t table_line = 0;
    std::uint64_t sector() const { return device.logical_sector.value_or(512); }
};

// "2048s", "1048576B": exact; "3146kB", "1.0MiB": not.
std::optional<std::uint64_t> exact_bytes(std::string_view word, std::uint64_t sector) {
    const auto number = leading_unsigned(word);
    if (!number) return std::nullopt;
    if (number->rest == "s") return multiply(number->value, sector);
    if (number->rest == "B") return number->value;
    return std::nullopt;
}

bool is_amount(std::string_view word) {
    return word.size() >= 2 && word[0] >= '0' && word[0] <= '9' &&
           (word.ends_with('B') || word.ends_with('s') || word.ends_with('%'));
}

void set_table(std::string_view name, std::size_t at, Listing& listing) {
    listing.table = name != "loop" && name != "unknown";
    listing.scheme = name == "gpt" || name == "gpt_sync_mbr" ? Scheme::gpt
                     : name == "mac"                         ? Scheme::apm
                     : name == "bsd"                         ? Scheme::disklabel
                                                             : Scheme::mbr;
    listing.table_line = at;
}

void note_free(std::string_view size, Listing& listing) {
    auto bytes = exact_bytes(size, listing.sector());
    if (!bytes) bytes = to_size(size, true);  // rounded, good enough to tell much from little
    if (!bytes) return;
    listing.free_shown = true;
    listing.free = add(listing.free, *bytes).value_or(listing.free);
    listing.largest_free = std::max(listing.largest_free, *bytes);
}

void note_row(std::uint64_t number, std::string_view start, std::string_view size, std::size_t at,
              Listing& listing, Scribe& scribe) {
    Partition& p = listed_partition(scribe, linux_partition(listing.device.name, number), listing.device.name,
                                    listing.scheme, at);
    p.index = scribe.known(number, at);
    if (const auto bytes = exact_bytes(start, listing.sector()))
        p.start_bytes = scribe.known(*bytes, at);
    else
        p.start_bytes = Number::unknown(
            fmt::format("parted /dev/{} unit s print (the start is printed rounded)", listing.device.name));
    if (const auto bytes = exact_bytes(size, listing.sector())) p.size_bytes = scribe.known(*bytes, at);
    ++listing.rows;
}

bool take_row(std::string_view text, std::size_t at, Listing& listing, Scribe& scribe) {
    const auto w = words(text);
    if (w.size() >= 5 && is_amount(w[0]) && w[w.size() - 2] == "Free" && w.back() == "Space") {
        note_free(w[2], listing);
        return true;
    }
    if (w.size() < 4 || !is_number(w[0]) || !is_amount(w[1]) || !is_amount(w[2]) || !is_amount(w[3]))
        return false;
    const auto number = scribe.number(w[0], at, "number of the partition");
    if (number) note_row(*number, w[1], w[3], at, listing, scribe);
    return true;
}

std::size_t parse_machine(const Output& out, std::size_t at, Listing& listing, Scribe& scribe) {
    std::size_t i = at + 1;
    for (; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (!text.ends_with(';')) break;
        const auto f = split(text.substr(0, text.size() - 1), ':');
        if (f.size() >= 6 && f[0].starts_with("/dev/")) {
            if (!listing.device.name.empty()) break;
            listing.device.name = device_name(f[0]);
            const auto logical = to_unsigned(f[3]), physical = to_unsigned(f[4]);
            if (logical && *logical >= 512) listing.device.logical_sector = logical;
            if (physical && *physical >= 512) listing.device.physical_sector = physical;
            listing.device.size_bytes = exact_bytes(f[1], listing.sector());
            listing.device.size_line = listing.device.sector_line = i;
            set_table(f[5], i, listing);
        } else if (f.size() >= 4 && is_number(f[0])) {
            listing.header = true;
            if (f.size() >= 5 && f[4] == "free")
                note_free(f[3], listing);
            else if (const auto number = scribe.number(f[0], i, "number of the partition"))
                note_row(*number, f[1], f[3], i, listing, scribe);
        } else {
            scribe.unparsed(i, i, "parted -m: neither a device nor a partition");
        }
    }
    return i - at;
}

std::size_t parse_table(const Output& out, std::size_t at, Listing& listing, Scribe& scribe) {
    std::size_t last = at;
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) {
            if (listing.header && listing.rows + (listing.free_shown ? 1 : 0) > 0) break;
            continue;
        }
        if (is_disk_line(text)) {
            if (!listing.device.name.empty()) break;
            const auto w = words(text);
            listing.device.name = device_name(w[1].substr(0, w[1].size() - 1));
            listing.device.size_bytes = exact_bytes(w[2], 512);
            listing.device.size_line = i;
        } else if (const auto model = after(text, "Model: "); model && text.starts_with("Model: ")) {
            // "ATA WDC WD20EARS (scsi)"; "Unknown (unknown)" and arrays have none.
            if (listing.header) break;
            const auto name = trim(model->substr(0, model->rfind('(')));
            if (name != "Unknown" && !name.starts_with("Linux "))
                listing.device.model = name, listing.device.model_line = i;
        } else if (const auto table = after(text, "Partition Table:")) {
            set_table(trim(*table), i, listing);
        } else if (is_header(text)) {
            listing.header = true;
        } else if (!take_sector_sizes(text, i, listing.device) && !text.starts_with("Disk Flags:") &&
                   !text.starts_with("Disk geometry") && !take_row(text, i, listing, scribe)) {
            break;
        }
        last = i;
    }
    return last - at + 1;
}

// "4001GB" is at least 4000.5 GB: rounded to its last digit.
std::optional<std::uint64_t> at_least(std::string_view word) {
    const auto size = to_size(word, true);
    const auto digits = word.find_first_not_of("0123456789.");
    if (!size || digits == std::string_view::npos) return std::nullopt;
    const auto point = word.substr(0, digits).find('.');
    std::string half = point == std::string_view::npos ? "0." : "0.0";
    for (std::size_t i = point; i != std::string_view::npos && i + 2 < digits; ++i) half += '0';
    const auto slack = to_size(fmt::format("{}5{}", half, word.substr(digits)), true);
    return slack && *slack < *size ? std::optional(*size - *slack) : std::nullopt;
}

// A rounded size is no fact, but it tells when a disk is surely too large for an MBR (2^32 sectors).
void note_rounded_size(const Output& out, const Listing& listing, PartitionTable& t, Scribe& scribe) {
    if (listing.scheme != Scheme::mbr || !is_disk_line(trim(out.text(listing.device.size_line)))) return;
    const auto bytes = at_least(words(out.text(listing.device.size_line))[2]);
    if (bytes && *bytes / listing.sector() >= (std::uint64_t{1} << 32U))
        t.total_bytes = scribe.known(*bytes, listing.device.size_line);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Listing listing;
    const bool machine = trim(out.text(at)).ends_with(';');
    if (out.program() == "parted" && is_header(out.text(at)))
        listing.device.name = device_name(out.operand(0, "a"));
    const std::size_t used =
        machine ? parse_machine(out, at, listing, scribe) : parse_table(out, at, listing, scribe);
    scribe.suggest_os(Os::linux_, at);
    if (listing.device.name.empty()) {
        scribe.unparsed(at, at + used - 1, "parted: of which disk is not shown");
        return used;
    }
    write_linux_device(listing.device, scribe);
    if (!listing.table) {
        if (!listing.device.size_bytes && !listing.device.logical_sector)
            scribe.unparsed(at, at + used - 1, "parted: no partition table shown");
        return used;
    }
    PartitionTable& t = table(scribe.facts, listing.device.name, listing.scheme);
    t.scheme = scribe.known(listing.scheme, listing.table_line);
    if (listing.device.size_bytes)
        t.total_bytes = scribe.known(*listing.device.size_bytes, listing.device.size_line);
    else
        note_rounded_size(out, listing, t, scribe);
    if (listing.device.logical_sector)
        t.sector_bytes = scribe.known(*listing.device.logical_sector, listing.device.sector_line);
    if (listing.header && !out.filtered) t.entries_shown = scribe.known(listing.rows, at + used - 1);
    if (listing.free_shown) {
        t.free_bytes = scribe.known(listing.free, at + used - 1);
        t.largest_free_bytes = scribe.known(listing.largest_free, at + used - 1);
    }
    return used;
}

}  // namespace

extern const CommandParser parted_parser{
    .id = "parted",
    .programs = {"parted"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"parted", "-s", "-m", "/dev/{disk}", "unit", "s", "print", "free"}, true}},
};

}  // namespace diskwright
