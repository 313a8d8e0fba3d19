// SPDX-License-Identifier: BSD-2-Clause
// sgdisk -p and gdisk's p of Linux:
//   Disk /dev/sda: 1953525168 sectors, 931.5 GiB
//   Number  Start (sector)    End (sector)  Size       Code  Name
//      1            2048         1050623   512.0 MiB   EF00  EFI System
// Format: gdisk's gpt.cc.
#include "probes/parsers/linux_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_sgdisk_disk(std::string_view text) {
    return text.starts_with("Disk /dev/") && contains(text, " sectors, ") && !contains(text, " bytes");
}
bool is_sgdisk_header(std::string_view text) {
    return text.starts_with("Number ") && contains(text, "Start (sector)");
}

bool sgdisk_starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    return is_sgdisk_disk(text) || is_sgdisk_header(text);
}

bool take_sgdisk_row(std::string_view text, std::size_t at, const LinuxDevice& device, Scribe& scribe) {
    const auto w = words(text);
    if (w.size() < 6 || !is_number(w[0]) || !is_number(w[1]) || !is_number(w[2])) return false;
    const auto number = to_unsigned(w[0]), start = to_unsigned(w[1]), end = to_unsigned(w[2]);
    if (!number || !start || !end || *end < *start) {
        scribe.unparsed(at, at, "sgdisk: start and end make no extent");
        return true;
    }
    Partition& p =
        listed_partition(scribe, linux_partition(device.name, *number), device.name, Scheme::gpt, at);
    p.index = scribe.known(*number, at);
    const std::uint64_t sector = device.logical_sector.value_or(512);
    if (const auto bytes = multiply(*start, sector)) p.start_bytes = scribe.known(*bytes, at);
    if (const auto bytes = multiply(*end - *start + 1, sector)) p.size_bytes = scribe.known(*bytes, at);
    p.type = scribe.text(w[5], at);
    if (w.size() > 6)
        p.label = scribe.text(trim(text.substr(static_cast<std::size_t>(w[6].data() - text.data()))), at);
    return true;
}

std::size_t sgdisk_parse(const Output& out, std::size_t at, Scribe& scribe) {
    LinuxDevice device;
    std::optional<std::uint64_t> total, first, last_usable, free;
    std::size_t last = at;
    std::uint64_t rows = 0;
    bool header = false;
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) {
            if (header) break;
            continue;
        }
        if (is_sgdisk_disk(text)) {
            if (i != at) break;
            device.name = device_name(text.substr(5, text.find(':') - 5));
            const auto count = leading_unsigned(trim(text.substr(text.find(':') + 1)));
            if (count) total = count->value;
            device.size_line = i;
        } else if (const auto size = after(text, "Logical sector size:")) {
            if (const auto value = leading_unsigned(trim(*size)); value && value->value >= 512)
                device.logical_sector = value->value, device.sector_line = i;
        } else if (const auto usable = after(text, "First usable sector is ")) {
            const auto from = leading_unsigned(*usable);
            const auto to = after(*usable, "last usable sector is ");
            const auto end = to ? leading_unsigned(*to) : std::nullopt;
            if (from) first = from->value;
            if (end) last_usable = end->value;
        } else if (const auto space = after(text, "Total free space is ")) {
            if (const auto count = leading_unsigned(*space)) free = count->value;
        } else if (is_sgdisk_header(text)) {
            header = true;
        } else if (header
                       ? !take_sgdisk_row(text, i, device, scribe)
                       : !(take_sector_sizes(text, i, device) || text.starts_with("Model:") ||
                           text.starts_with("Disk identifier") || text.starts_with("Partition table holds") ||
                           text.starts_with("Main partition table") || text.starts_with("Partitions will"))) {
            break;
        } else if (header) {
            ++rows;
        }
        last = i;
    }
    scribe.suggest_os(Os::linux_, at);
    if (device.name.empty()) {
        scribe.unparsed(at, last, "sgdisk: of which disk is not shown");
        scribe.facts.partitions.clear();
        return last - at + 1;
    }
    const std::uint64_t sector = device.logical_sector.value_or(512);
    if (total) device.size_bytes = multiply(*total, sector);
    write_linux_device(device, scribe);
    PartitionTable& t = table(scribe.facts, device.name, Scheme::gpt);
    t.scheme = scribe.known(Scheme::gpt, at);
    const auto put = [&](Number& into, std::optional<std::uint64_t> count) {
        if (const auto bytes = count ? multiply(*count, sector) : std::nullopt)
            into = scribe.known(*bytes, at);
    };
    put(t.total_bytes, total), put(t.first_usable_bytes, first), put(t.free_bytes, free);
    put(t.last_usable_bytes, last_usable ? add(*last_usable, 1) : std::nullopt);
    if (header && !out.filtered) t.entries_shown = scribe.known(rows, last);
    return last - at + 1;
}

}  // namespace

extern const CommandParser sgdisk_parser{
    .id = "sgdisk",
    .programs = {"sgdisk", "gdisk"},
    .starts = sgdisk_starts,
    .parse = sgdisk_parse,
    .live = {},
};

}  // namespace diskwright
