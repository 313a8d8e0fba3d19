// SPDX-License-Identifier: BSD-2-Clause
// fdisk [-v] sd0 of OpenBSD, MBR and GPT:
//   Disk: sd2       geometry: 14593/255/63 [234441647 Sectors]
//    #: id      C   H   S -      C   H   S [       start:        size ]
//   *3: A6      0   1   2 -  14593  80  62 [          64:   234441583 ] OpenBSD
//   Disk: sd0       Usable LBA: 34 to 234441614 [234441648 Sectors]
//    1: OpenBSD                             [        1024:   234440591 ]
// Entries have no device of their own. Format: openbsd/src:sbin/fdisk/{disk,mbr,gpt,part}.c.
#include <fmt/format.h>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_disk_line(std::string_view text) {
    return text.starts_with("Disk: ") && (contains(text, "geometry: ") || contains(text, "Usable LBA: "));
}

struct Row {
    std::uint64_t index;
    bool active;
    std::string_view type, start, size, name;  // name: what stands after the extent
};
std::optional<Row> row_of(std::string_view line) {
    auto text = trim(line);
    const bool active = text.starts_with('*');
    if (active) text = trim(text.substr(1));
    const auto index = leading_unsigned(text);
    const auto open = text.find('['), close = text.find(']');
    if (!index || !index->rest.starts_with(':') || open == std::string_view::npos ||
        close == std::string_view::npos || close < open)
        return std::nullopt;
    const auto extent = text.substr(open + 1, close - open - 1);
    const auto colon = extent.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto begin = text.find(':') + 1;
    if (begin > open) return std::nullopt;
    const auto head = text.substr(begin, open - begin);
    return Row{index->value,
               active,
               trim(head),
               trim(extent.substr(0, colon)),
               trim(extent.substr(colon + 1)),
               trim(text.substr(close + 1))};
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    if (is_disk_line(text)) return true;
    return text.starts_with("#: ") && contains(text, "[") && contains(text, "start:") &&
           contains(text, "size");
}

bool is_filler(std::string_view text) {
    constexpr std::string_view known[] = {"Offset: ",    "Starting",      "#:",     "---",  "Signature",
                                          "Primary GPT", "Secondary GPT", "GUID: ", "MBR:", "Not Found",
                                          "Attributes",  "No GPT",        "guid "};
    for (const auto prefix : known)
        if (text.starts_with(prefix)) return true;
    // -v: the GUIDs below a row, "<partition GUID> <name>".
    return text.size() >= 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
}

// "[234441647 Sectors]", "[1953525168 512-byte Sectors]"
void note_disk(std::string_view text, std::size_t at, std::string& device, Scheme& scheme,
               std::uint64_t& sector, Scribe& scribe) {
    const auto w = words(text);
    device = table_device(w[1]);
    scheme = contains(text, "Usable LBA: ") ? Scheme::gpt : Scheme::mbr;
    PartitionTable& t = table(scribe.facts, device, scheme);
    t.scheme = scribe.known(scheme, at);
    const auto bracket = between(text, "[", "]");
    const auto count = bracket ? leading_unsigned(trim(*bracket)) : std::nullopt;
    if (count && contains(count->rest, "-byte")) {
        const auto unit = leading_unsigned(trim(count->rest));
        if (unit && unit->value >= 512 && unit->value <= 65536) sector = unit->value;
    }
    const auto bytes = count ? multiply(count->value, sector) : std::nullopt;
    if (bytes) {
        set_device_size(scribe, device, bytes, std::nullopt, at);
        t.total_bytes = scribe.known(*bytes, at);
    } else {
        scribe.unparsed(at, at, "fdisk: the size of the disk is not readable");
    }
    if (scheme != Scheme::gpt) return;
    const auto usable = leading_unsigned(trim(*after(text, "Usable LBA: ")));
    const auto to = usable ? after(usable->rest, "to ") : std::nullopt;
    const auto end = to ? leading_unsigned(*to) : std::nullopt;
    if (!end) return;
    if (const auto first = multiply(usable->value, sector)) t.first_usable_bytes = scribe.known(*first, at);
    if (const auto past = add(end->value, 1) ? multiply(end->value + 1, sector) : std::nullopt)
        t.last_usable_bytes = scribe.known(*past, at);
}

// The first word of an MBR row is the type in hexadecimal; then come two C/H/S triples.
bool take_row(const Row& row, const std::string& device, Scheme scheme, std::uint64_t sector, std::size_t at,
              Scribe& scribe) {
    const auto w = words(row.type);
    const auto size = to_unsigned(row.size);
    if (scheme == Scheme::mbr) {
        if (w.empty()) return false;
        const auto id = to_hex(w[0]);
        if (!id) {
            scribe.unparsed(at, at, fmt::format("fdisk: '{}' is no partition id", escaped(w[0])));
            return false;
        }
        if (*id == 0 && size == 0) return false;
        Partition& p = listed_partition(scribe, fmt::format("{}:{}", device, row.index), device, scheme, at);
        p.index = scribe.known(row.index, at);
        p.type = scribe.text(fmt::format("0x{:02x}", *id), at);
        set_extent(scribe, p, row.start, row.size, sector, at);
        if (row.active) p.attributes = scribe.known(std::vector<std::string>{"active"}, at);
        if (*id == 0xee) table(scribe.facts, device, Scheme::mbr).protective = scribe.known(true, at);
        return true;
    }
    if (size == 0) return false;
    Partition& p = listed_partition(scribe, fmt::format("{}#{}", device, row.index), device, scheme, at);
    p.index = scribe.known(row.index, at);
    if (!row.type.empty()) p.type = scribe.text(row.type, at);
    set_extent(scribe, p, row.start, row.size, sector, at);
    return true;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::string device;
    Scheme scheme = Scheme::mbr;
    std::uint64_t sector = 512, rows = 0, slots = 0;
    std::size_t last = at;
    if (out.program() == "fdisk") device = table_device(out.operand(0, "bchslf"));
    if (device.empty()) device = std::string(unnamed_disk);
    for (std::size_t i = at; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (text.empty()) {
            // fdisk -v prints blank lines between its tables.
            const auto next = next_filled(out, i, 1);
            if (!next || !(is_disk_line(trim(out.text(*next))) || is_filler(trim(out.text(*next))))) break;
            continue;
        }
        if (is_disk_line(text)) {
            if (slots > 0) break;
            note_disk(text, i, device, scheme, sector, scribe);
        } else if (text.starts_with("#: ")) {
            if (contains(text, "type")) scheme = Scheme::gpt;
        } else if (const auto row = row_of(text)) {
            ++slots;
            rows += take_row(*row, device, scheme, sector, i, scribe) ? 1 : 0;
        } else if (!is_filler(text)) {
            break;
        }
        last = i;
    }
    scribe.suggest_os(Os::openbsd, at);
    if (slots == 0) scribe.unparsed(at, last, "fdisk: no entries below the header");
    PartitionTable& t = table(scribe.facts, device, scheme);
    t.scheme = scribe.known(scheme, at);
    if ((scheme == Scheme::gpt ? slots > 0 : slots >= 4) && !out.filtered)
        t.entries_shown = scribe.known(rows, last);
    return last - at + 1;
}

}  // namespace

extern const CommandParser fdisk_openbsd_parser{
    .id = "fdisk-openbsd",
    .programs = {"fdisk"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::openbsd, {"fdisk", "{disk}"}, true}, {Os::openbsd, {"fdisk", "{volume:softraid}"}, true}},
};

}  // namespace diskwright
