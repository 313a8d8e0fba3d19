// SPDX-License-Identifier: BSD-2-Clause
// disklabel [-p unit | -h] wd0, bsdlabel ada0s1, the editors' text (disklabel -e), OpenBSD's proposed
// layouts.
//   NetBSD 5..10     # /dev/rwd1d:                           " a:  41943040      2048     4.2BSD   2048 16384
//   0  # (Cyl. ...)" OpenBSD 4..7     # /dev/rsd0c: duid, boundstart          "  a:          2097152
//   64  4.2BSD   2048 16384 12960 # /" FreeBSD 5..12    # /dev/ada0s1:                          "  a: 2097152
//   0    4.2BSD     2048 16384 28552" DragonFly        disklabel64: display block size, partitions data base
// NetBSD and OpenBSD offsets are absolute on the disk; those of FreeBSD are relative to the slice, in labels
// of old releases with the slice's own start added (the kernel subtracts the offset of c:
// freebsd/freebsd-src:sys/geom/part/ g_part_bsd.c). disklabel64 prints block numbers from the data base
// (DragonFlyBSD/DragonFlyBSD:sbin/disklabel64). 2^32-1 sectors is what a 32-bit field holds when the disk is
// larger (NetBSD/src:sys/sys/disklabel.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t clipped_total = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t no_total = std::numeric_limits<std::uint64_t>::max();

constexpr std::array<std::string_view, 24> known_types{
    "unused", "swap",   "4.2BSD",  "4.1BSD",  "4.4LFS", "RAID",    "ccd",   "cgd",
    "MSDOS",  "ext2fs", "Linux",   "NTFS",    "HPFS",   "ISO9660", "vinum", "raid",
    "ZFS",    "HAMMER", "HAMMER2", "unknown", "UDF",    "NANDFS",  "boot",  "apple"};

bool is_known_type(std::string_view word) {
    return std::find(known_types.begin(), known_types.end(), word) != known_types.end();
}

// "2097152", "293.1M", "4161/0/1" (-C) and "*" are how sizes and offsets appear.
bool is_quantity(std::string_view word) {
    return !word.empty() && word[0] >= '0' && word[0] <= '9' &&
           word.find_first_not_of("0123456789./BbKkMmGgTt*") == std::string_view::npos;
}

bool is_row_name(std::string_view word) {
    return word.size() == 2 && word[1] == ':' && word[0] >= 'a' && word[0] <= 'z';
}

bool is_row_at(const std::vector<std::string_view>& w, std::size_t i) {
    return i + 3 < w.size() && is_row_name(w[i]) && is_quantity(w[i + 1]) && is_quantity(w[i + 2]);
}

bool is_column_header(std::string_view line) {
    return contains(line, "size") && contains(line, "offset") && contains(line, "fstype") &&
           (contains(line, "#") || contains(line, "[fsize"));
}

bool is_partition_count(std::string_view line) {
    const auto w = words(line);
    return w.size() == 2 && is_number(w[0]) && w[1] == "partitions:";
}

// "# /dev/rwd1d:" and nothing else.
std::string_view header_device(std::string_view line) {
    const auto w = words(line);
    if (w.size() != 2 || w[0] != "#" || !w[1].ends_with(':') || !w[1].starts_with("/dev/")) return {};
    return w[1].substr(0, w[1].size() - 1);
}

constexpr std::string_view proposal_begins = "The auto-allocated layout for ", proposal_ends = " is:";

bool has_row(std::string_view line) {
    const auto w = words(line);
    for (std::size_t i = 0; i < w.size(); ++i)
        if (is_row_at(w, i)) return true;
    return false;
}

bool is_lone_row(std::string_view line) {
    const auto w = words(line);
    return is_row_at(w, 0) && is_known_type(w[3]);
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (!header_device(line).empty() || is_partition_count(line) || is_column_header(line)) return true;
    if (contains(line, proposal_begins) && contains(line, proposal_ends)) return true;
    if (trim(line).starts_with("type: ") && trim(out.text(at + 1)).starts_with("disk:")) return true;
    return is_lone_row(line);
}

struct Row {
    std::size_t line;
    std::vector<std::string_view> words;  // a:, size, offset, type, ...
};

struct Label {
    std::string device;
    std::uint64_t sector = 512;
    std::uint64_t unit = 512;  // of the rows: sector, or the display block of disklabel64
    std::uint64_t base = 0;    // bytes before block 0 of the rows
    std::optional<std::uint64_t> total;
    std::size_t total_line = 0, sector_line = 0;
    bool sector_shown = false, columns_shown = false, fictitious = false, softraid = false, proposal = false;
    std::size_t fictitious_line = 0;
    std::optional<std::pair<std::uint64_t, std::size_t>> bound_start, bound_end, free_sectors;
    std::vector<Row> rows;
    bool whole = true;
};

std::string device_from_words(const std::vector<std::string_view>& w, std::size_t from) {
    for (std::size_t i = w.size(); i > from; --i) {
        const auto word = w[i - 1];
        if (word.starts_with('-') || word.find_first_of("0123456789") == std::string_view::npos ||
            word.size() > 40)
            continue;
        return table_device(word);
    }
    return {};
}

// A paste may show the command in the text itself: "disklabel -e sd4" and the rows below.
std::string device_above(const Output& out, std::size_t at) {
    for (std::size_t back = 1; back <= 4 && back <= at; ++back) {
        const auto w = words(out.text(at - back));
        for (std::size_t i = 0; i < w.size() && i < 4; ++i)
            if (w[i] == "disklabel" || w[i] == "bsdlabel" || w[i] == "disklabel64")
                if (auto name = device_from_words(w, i + 1); !name.empty()) return name;
    }
    return {};
}

bool note_header(std::string_view line, std::size_t at, Label& label, Scribe& scribe) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon > 30) return false;
    const auto key = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    constexpr std::array<std::string_view, 27> keys{"type",
                                                    "disk",
                                                    "flags",
                                                    "sectors/track",
                                                    "tracks/cylinder",
                                                    "sectors/cylinder",
                                                    "cylinders",
                                                    "rpm",
                                                    "interleave",
                                                    "trackskew",
                                                    "cylinderskew",
                                                    "headswitch",
                                                    "drivedata",
                                                    "track-to-track seek",
                                                    "diskid",
                                                    "boot2 data base",
                                                    "partitions data stop",
                                                    "backup label",
                                                    "total size",
                                                    "alignment",
                                                    "bytes/sector",
                                                    "label",
                                                    "sectors/unit",
                                                    "total sectors",
                                                    "boundstart",
                                                    "boundend",
                                                    "duid"};
    const auto first_word = value.substr(0, value.find_first_of(" \t#"));
    if (key == "partitions data base") {
        if (const auto base = to_hex(first_word)) label.base = *base;
        return true;
    }
    if (key == "display block size") {
        if (const auto unit = scribe.number(first_word, at, key)) label.unit = *unit;
        return true;
    }
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) return false;
    if (key == "bytes/sector") {
        const auto sector = scribe.number(first_word, at, key);
        if (sector && *sector >= 128 && *sector <= 65536) {
            label.sector = label.unit = *sector;
            label.sector_shown = true;
            label.sector_line = at;
        }
    } else if (key == "total sectors" || key == "sectors/unit") {
        label.total = scribe.number(first_word, at, key);
        label.total_line = at;
    } else if (key == "boundstart" || key == "boundend") {
        if (const auto bound = scribe.number(first_word, at, key))
            (key == "boundstart" ? label.bound_start : label.bound_end) = std::pair(*bound, at);
        scribe.suggest_os(Os::openbsd, at);
    } else if (key == "duid") {
        scribe.suggest_os(Os::openbsd, at);
    } else if (key == "label") {
        label.softraid = value.starts_with("SR ");
        label.fictitious = value == "fictitious";
        label.fictitious_line = at;
    } else if (key == "diskid") {
        scribe.suggest_os(Os::dragonfly, at);
    }
    return true;
}

// "OpenBSD area: 64-234441648; size: 234441584; free: 1024", printed by the editor.
bool note_area(std::string_view line, std::size_t at, Label& label) {
    const auto area = after(line, "OpenBSD area: ");
    if (!area) return false;
    const auto from = leading_unsigned(trim(*area));
    if (!from || !from->rest.starts_with('-')) return true;
    const auto to = leading_unsigned(from->rest.substr(1));
    if (!to) return true;
    label.bound_start = std::pair(from->value, at);
    label.bound_end = std::pair(to->value, at);
    const auto free = after(line, "free: ");
    const auto count = free ? leading_unsigned(trim(*free)) : std::nullopt;
    if (count && trim(count->rest).empty()) label.free_sectors = std::pair(count->value, at);
    return true;
}

// Lines that stand inside a label's text without meaning for us.
bool is_filler(std::string_view line) {
    const auto text = trim(line);
    if (text.empty() || text == "..." || text == "[...]" || text.starts_with("disklabel:") || text == "#")
        return true;
    if (text.starts_with("# "))
        return contains(text, ":") || contains(text, "fields") || contains(text, "bytes");
    return text.starts_with("a-stor_uuid") || contains(text, "-stor_uuid:") ||
           (text.starts_with("-") && text.ends_with(")"));
}

// The rest of a row that a mail client broke: "2145*)" or "(Cyl. 65*- 2145*)".
bool is_row_tail(std::string_view line) {
    const auto text = trim(line);
    return !text.empty() &&
           (text.starts_with("(Cyl.") || text.starts_with("# (Cyl.") ||
            (text.ends_with(")") && text.find_first_not_of("0123456789*+-) ") == std::string_view::npos));
}

void take_rows(const Output& out, std::size_t at, Label& label) {
    const auto w = words(out.text(at));
    for (std::size_t i = 0; i < w.size(); ++i) {
        if (is_row_at(w, i)) label.rows.push_back({at, {}});
        if (!label.rows.empty() && label.rows.back().line == at) label.rows.back().words.push_back(w[i]);
    }
}

std::size_t scan(const Output& out, std::size_t at, Label& label, Scribe& scribe) {
    std::size_t i = at, last = at;
    bool seen_rows = false;
    for (; i < out.lines.size(); ++i) {
        const auto line = out.text(i);
        const auto text = trim(line);
        if (text.empty()) {
            // One blank line may stand inside; two, or one before foreign text, end it.
            const auto next = next_filled(out, i, 1);
            if (!next || (seen_rows && !has_row(out.text(*next)) && !is_filler(out.text(*next)))) break;
            if (seen_rows && *next != i + 1) break;
            continue;
        }
        if (const auto device = header_device(line); !device.empty()) {
            if (i != at) break;
            label.device = table_device(device);
        } else if (const auto layout = between(line, proposal_begins, proposal_ends)) {
            if (i != at) break;
            label.device = table_device(trim(*layout));
            label.proposal = true;
        } else if (is_column_header(line)) {
            if (seen_rows && label.columns_shown) break;
            label.columns_shown = true;
            if (contains(line, "cpg/sgs"))
                scribe.suggest_os(Os::netbsd, i);
            else if (contains(line, "bsize") && contains(line, "cpg]") && !contains(line, "bps/cpg"))
                scribe.suggest_os(Os::openbsd, i);
            else if (contains(line, "fsuuid"))
                scribe.suggest_os(Os::dragonfly, i);
            if (has_row(line)) take_rows(out, i, label), seen_rows = true;
        } else if (has_row(line)) {
            take_rows(out, i, label);
            seen_rows = true;
        } else if (is_partition_count(line)) {
            if (seen_rows) break;
        } else if (is_row_name(words(line)[0]) && words(line).size() < 4 && seen_rows) {
            // A row cut off in the middle; with the next line it may be whole.
            const auto next = words(out.text(i + 1));
            auto joined = words(line);
            const std::size_t own = joined.size();
            if (!next.empty() && !is_row_name(next[0])) joined.insert(joined.end(), next.begin(), next.end());
            if (is_row_at(joined, 0)) {
                label.rows.push_back({i, joined});
                ++i;
            } else {
                scribe.damage(i,
                              fmt::format("row {} of the label is cut after {} fields", words(line)[0], own));
                label.whole = false;
            }
        } else if (!seen_rows && (note_header(line, i, label, scribe) || note_area(line, i, label) ||
                                  is_filler(line) || text.starts_with("#"))) {
        } else if (seen_rows && (is_filler(line) || is_row_tail(line))) {
            if (text.starts_with("...") || text.starts_with("[...")) label.whole = false;
        } else {
            break;
        }
        last = i;
    }
    return last - at + 1;
}

// fsize and bsize as newfs is to use them: powers of two, at most 8 to 1; something else was cut or garbled.
void note_sizes(const Row& row, Partition& p, Scribe& scribe) {
    if (row.words.size() < 6 || *p.type != "4.2BSD" || !is_number(row.words[4]) || !is_number(row.words[5]))
        return;
    const auto fsize = to_unsigned(row.words[4]), bsize = to_unsigned(row.words[5]);
    if (!fsize || !bsize || (*fsize == 0 && *bsize == 0)) return;
    const auto power_of_two = [](std::uint64_t v) { return v > 0 && (v & (v - 1)) == 0; };
    if (!power_of_two(*fsize) || !power_of_two(*bsize) || *bsize < *fsize || *bsize / *fsize > 8 ||
        *bsize < 4096) {
        scribe.damage(row.line, fmt::format("{}: fragment {} and block {} cannot both be right", p.name,
                                            *fsize, *bsize));
        return;
    }
    p.fsize = scribe.known(*fsize, row.line);
    p.bsize = scribe.known(*bsize, row.line);
    // The label only says what newfs shall use; whatever reads the file system itself knows better.
    const auto from = Provenance(scribe.output().source, scribe.at(row.line).line(),
                                 scribe.at(row.line).text(), Provenance::Kind::inferred);
    Filesystem& fs = filesystem(scribe.facts, p.name);
    fs.type = Text("ffs", from);
    fs.fsize = Number(*fsize, from);
    fs.bsize = Number(*bsize, from);
}

void note_mount(const Row& row, Partition& p, Scribe& scribe) {
    const auto mark = std::find(row.words.begin(), row.words.end(), "#");
    if (mark == row.words.end() || mark + 1 == row.words.end()) return;
    const auto point = *(mark + 1);
    if (point.starts_with('/')) p.mounted_on = scribe.text(point, row.line);
}

void write_rows(const Label& label, Scribe& scribe) {
    std::uint64_t slice_start = 0;
    const bool on_slice = !whole_device_name(label.device).empty();
    for (const Row& row : label.rows)
        if (on_slice && row.words[0] == "c:") slice_start = to_unsigned(row.words[2]).value_or(0);
    for (const Row& row : label.rows) {
        const auto letter = row.words[0].substr(0, 1), size = row.words[1], offset = row.words[2];
        Partition& p = listed_partition(scribe, label.device + std::string(letter), label.device,
                                        Scheme::disklabel, row.line);
        p.index = scribe.known<std::uint64_t>(letter[0] - 'a', row.line);
        p.type = scribe.text(row.words[3], row.line);
        if (is_number(offset)) {
            const auto blocks = scribe.number(offset, row.line, "offset of " + p.name);
            const auto bytes =
                blocks ? multiply(*blocks - (*blocks >= slice_start ? slice_start : 0), label.unit)
                       : std::nullopt;
            const auto start = bytes ? add(*bytes, label.base) : std::nullopt;
            if (start)
                p.start_bytes = scribe.known(*start, row.line);
            else if (blocks)
                scribe.unparsed(row.line, row.line,
                                fmt::format("offset of {}: {} is out of range", p.name, *blocks));
        } else {
            p.start_bytes = Number::unknown("the offset is printed rounded or as cylinder/track/sector");
            scribe.unparsed(row.line, row.line,
                            fmt::format("offset of {}: '{}' is no sector number", p.name, escaped(offset)));
        }
        if (is_number(size)) {
            if (const auto bytes = scribe.scaled(size, label.unit, row.line, "size of " + p.name))
                p.size_bytes = scribe.known(*bytes, row.line);
        } else {
            // "293.1M" may be up to 50 KiB more or less: enough to make neighbours overlap that do not.
            p.size_bytes =
                Number::unknown("the size is printed rounded; disklabel without -h and -p tells it");
        }
        note_sizes(row, p, scribe);
        note_mount(row, p, scribe);
    }
}

void write_table(const Label& label, std::size_t at, Scribe& scribe) {
    PartitionTable& t = table(scribe.facts, label.device, Scheme::disklabel);
    t.scheme = scribe.known(Scheme::disklabel, at);
    if (label.sector_shown) t.sector_bytes = scribe.known(label.sector, label.sector_line);
    if (label.fictitious) t.fictitious = scribe.known(true, label.fictitious_line);
    const auto bytes = [&](const std::optional<std::pair<std::uint64_t, std::size_t>>& bound) {
        if (!bound || bound->first == no_total) return Number{};
        const auto product = multiply(bound->first, label.sector);
        return product ? scribe.known(*product, bound->second) : Number{};
    };
    t.first_usable_bytes = bytes(label.bound_start);
    t.last_usable_bytes = bytes(label.bound_end);
    t.free_bytes = bytes(label.free_sectors);
    std::optional<std::uint64_t> total_bytes;
    if (label.total) {
        total_bytes = multiply(*label.total, label.sector);
        if (total_bytes)
            t.total_bytes = scribe.known(*total_bytes, label.total_line);
        else
            scribe.unparsed(label.total_line, label.total_line, "total sectors: out of range");
        // The field is full: the device has at least that much, how much more the label cannot say.
        if (*label.total == clipped_total) total_bytes.reset();
    }
    if (label.columns_shown && label.whole && !scribe.output().filtered)
        t.entries_shown =
            scribe.known<std::uint64_t>(label.rows.size(), label.rows.empty() ? at : label.rows.back().line);
    const auto sector = label.sector_shown ? std::optional(label.sector) : std::nullopt;
    if (label.softraid && !label.device.empty()) {
        Volume& v = volume(scribe.facts, label.device);
        v.kind = scribe.known(VolumeKind::softraid, at);
        if (total_bytes) v.size_bytes = scribe.known(*total_bytes, label.total_line);
        if (sector) v.logical_sector_bytes = scribe.known(*sector, label.sector_line);
    } else if (total_bytes || sector) {
        set_device_size(scribe, label.device, total_bytes, sector,
                        total_bytes ? label.total_line : label.sector_line);
    }
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Label label;
    const std::size_t used = scan(out, at, label, scribe);
    if (label.rows.empty() && !label.total) {
        if (!label.columns_shown && header_device(out.text(at)).empty()) return 0;
        scribe.unparsed(at, at + used - 1, "disklabel: no partition in this label");
        return used;
    }
    const auto program = out.program();
    if (program == "bsdlabel") scribe.suggest_os(Os::freebsd, at);
    if (label.device.empty() && (program == "disklabel" || program == "bsdlabel" || program == "disklabel64"))
        label.device = table_device(out.operand(0, "pfTb"));
    if (label.device.empty()) label.device = device_above(out, at);
    if (label.device.empty()) label.device = std::string(unnamed_disk);
    write_rows(label, scribe);
    write_table(label, at, scribe);
    return used;
}

}  // namespace

extern const CommandParser disklabel_parser{
    .id = "disklabel",
    .programs = {"disklabel", "bsdlabel", "disklabel64"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"disklabel", "{disk}"}, true},
             {Os::netbsd, {"disklabel", "{volume:raidframe}"}, true},
             {Os::openbsd, {"disklabel", "{disk}"}, true},
             {Os::openbsd, {"disklabel", "{volume:softraid}"}, true},
             {Os::dragonfly, {"disklabel", "{disk}"}, true}},
};

}  // namespace diskwright
