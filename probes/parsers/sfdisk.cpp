// SPDX-License-Identifier: BSD-2-Clause
// sfdisk -d of Linux, all generations:
//   label: gpt / label-id: ... / device: /dev/sda / unit: sectors / first-lba: 34 / sector-size: 512
//   /dev/sda1 : start=        2048, size=     1048576, type=c12a7328-..., name="EFI", bootable
//   # partition table of /dev/sda                                           (to 2.25)
//   /dev/sda1 : start=       63, size=  1024002, Id=83, bootable
// Format: util-linux/util-linux:libfdisk/src/script.c.
#include <fmt/format.h>

#include "probes/parsers/linux_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_dump_row(std::string_view line) {
    const auto text = trim(line);
    // An image is named as it was given: "disk.img1 : start=".
    const auto colon = text.find(" : start=");
    return colon != std::string_view::npos && contains(text, "size=") &&
           (text.starts_with("/dev/") || text.substr(0, colon).find(' ') == std::string_view::npos);
}

bool dump_starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (is_dump_row(text) || text.starts_with("# partition table of /dev/")) return true;
    return text.starts_with("label: ") && trim(out.text(at + 1)).starts_with("label-id: ");
}

struct Dump {
    LinuxDevice device;
    Scheme scheme = Scheme::mbr;
    std::optional<std::uint64_t> first, last;
    std::uint64_t rows = 0;
    std::size_t label_line = 0;
    bool label = false;
};

std::string_view field(std::string_view line, std::string_view key) {
    const auto rest = after(line, key);
    if (!rest) return {};
    return trim(trim(*rest).substr(0, trim(*rest).find_first_of(", ")));
}

void take_dump_row(std::string_view text, std::size_t at, Dump& dump, Scribe& scribe) {
    const std::string name = device_name(trim(text.substr(0, text.find(" :"))));
    const auto start = field(text, "start="), size = field(text, "size=");
    if (dump.device.name.empty()) {
        dump.device.name = name.substr(0, name.find_last_not_of("0123456789") + 1);
        if (dump.device.name.size() > 1 && dump.device.name.back() == 'p' &&
            is_number(dump.device.name.substr(dump.device.name.size() - 2, 1)))
            dump.device.name.pop_back();
    }
    // Unused slots of an MBR.
    if (start == "0" && size == "0") return;
    Partition& p = listed_partition(scribe, name, dump.device.name, dump.scheme, at);
    if (const auto index = linux_partition_number(name)) p.index = scribe.known(*index, at);
    set_extent(scribe, p, start, size, dump.device.logical_sector.value_or(512), at);
    const auto type = field(text, "type=");
    const auto id = to_hex(type.empty() ? field(text, "Id=") : type);
    if (id && *id <= 0xff)
        p.type = scribe.text(fmt::format("0x{:02x}", *id), at);
    else if (!type.empty())
        p.type = scribe.text(type, at);
    if (const auto label = between(text, "name=\"", "\"")) p.label = scribe.text(*label, at);
    if (contains(text, "bootable")) p.attributes = scribe.known(std::vector<std::string>{"active"}, at);
    ++dump.rows;
}

std::size_t dump_parse(const Output& out, std::size_t at, Scribe& scribe) {
    Dump dump;
    std::size_t last = at;
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) {
            if (dump.rows > 0) break;
            continue;
        }
        if (is_dump_row(text))
            take_dump_row(text, i, dump, scribe);
        else if (dump.rows > 0)
            break;
        else if (const auto old = after(text, "# partition table of "))
            dump.device.name = device_name(*old);
        else if (text.starts_with("label: "))
            dump.scheme = text == "label: gpt" ? Scheme::gpt : Scheme::mbr, dump.label = true,
            dump.label_line = i;
        else if (text.starts_with("device: "))
            dump.device.name = device_name(trim(text.substr(8)));
        else if (text.starts_with("sector-size: ")) {
            dump.device.logical_sector = scribe.number(trim(text.substr(13)), i, "sector-size");
            dump.device.sector_line = i;
        } else if (text.starts_with("first-lba: "))
            dump.first = to_unsigned(trim(text.substr(11)));
        else if (text.starts_with("last-lba: "))
            dump.last = to_unsigned(trim(text.substr(10)));
        else if (!text.starts_with("label-id:") && !text.starts_with("unit:") &&
                 !text.starts_with("grain:") && !text.starts_with("table-length:"))
            break;
        last = i;
    }
    scribe.suggest_os(Os::linux_, at);
    if (dump.device.name.empty()) {
        scribe.unparsed(at, last, "sfdisk: of which disk is not shown");
        return last - at + 1;
    }
    write_linux_device(dump.device, scribe);
    PartitionTable& t = table(scribe.facts, dump.device.name, dump.scheme);
    t.scheme = scribe.known(dump.scheme, dump.label ? dump.label_line : at);
    const std::uint64_t sector = dump.device.logical_sector.value_or(512);
    if (const auto first = dump.first ? multiply(*dump.first, sector) : std::nullopt)
        t.first_usable_bytes = scribe.known(*first, at);
    const auto end = dump.last ? add(*dump.last, 1) : std::nullopt;
    if (const auto bytes = end ? multiply(*end, sector) : std::nullopt)
        t.last_usable_bytes = scribe.known(*bytes, at);
    if (!out.filtered) t.entries_shown = scribe.known(dump.rows, last);
    return last - at + 1;
}

}  // namespace

extern const CommandParser sfdisk_parser{
    .id = "sfdisk",
    .programs = {"sfdisk"},
    .starts = dump_starts,
    .parse = dump_parse,
    .live = {{Os::linux_, {"sfdisk", "-d", "/dev/{disk}"}, true}},
};

}  // namespace diskwright
