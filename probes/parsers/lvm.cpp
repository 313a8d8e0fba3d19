// SPDX-License-Identifier: BSD-2-Clause
// lvs, vgs and pvs of LVM, with their usual columns or with -o +devices,segtype,stripes,stripe_size:
//   LV   VG     Attr       LSize Type    #Str Stripe Devices
//   data vg0    -wi-ao---- 3.64t striped    2 64.00k /dev/md0(0),/dev/md1(0)
//   PV         VG  Fmt  Attr PSize PFree
//   VG  #PV #LV #SN Attr   VSize VFree
// A logical volume is named vg-lv, as device-mapper does. Cells may be empty, so that words go to the header
// word above them. Source: lvm2, lvs(8), lib/report/columns.h.
#include <fmt/format.h>

#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Column {
    std::string_view name;
    std::size_t begin, end;
};

std::vector<Column> spans(std::string_view line) {
    std::vector<Column> out;
    for (const auto word : words(line)) {
        const auto begin = static_cast<std::size_t>(word.data() - line.data());
        out.push_back({word, begin, begin + word.size()});
    }
    return out;
}

bool has(const std::vector<Column>& header, std::string_view name) {
    return std::any_of(header.begin(), header.end(), [&](const Column& c) { return c.name == name; });
}

bool is_header(std::string_view line) {
    const auto h = spans(line);
    if (h.size() == 3 && h[0].name == "VG") return h[1].name == "VSize" && h[2].name == "VFree";
    if (h.size() < 4) return false;
    if (h[0].name == "LV" && h[1].name == "VG") return has(h, "LSize") || has(h, "Attr");
    if (h[0].name == "PV" && h[1].name == "VG") return has(h, "PSize");
    return h[0].name == "VG" && has(h, "#PV") && has(h, "VSize");
}

bool starts(const Output& out, std::size_t at) {
    return is_header(out.text(at));
}

class Cells {
 public:
    Cells(const std::vector<Column>& header, std::string_view line) : header_(header), cells_(header.size()) {
        const auto row = spans(line);
        // All cells filled: by order. Else each word belongs to the header word it stands under.
        if (row.size() == header.size()) {
            for (std::size_t i = 0; i < row.size(); ++i) cells_[i] = row[i].name;
            return;
        }
        for (const Column& word : row) {
            std::size_t best = 0, best_distance = static_cast<std::size_t>(-1);
            for (std::size_t i = 0; i < header.size(); ++i) {
                const auto distance = word.begin >= header[i].end   ? word.begin - header[i].end + 1
                                      : word.end <= header[i].begin ? header[i].begin - word.end + 1
                                                                    : 0;
                if (distance < best_distance) best = i, best_distance = distance;
            }
            if (cells_[best].empty()) cells_[best] = word.name;
        }
    }

    std::string_view operator[](std::string_view name) const {
        for (std::size_t i = 0; i < header_.size(); ++i)
            if (header_[i].name == name) return cells_[i];
        return {};
    }

 private:
    const std::vector<Column>& header_;
    std::vector<std::string_view> cells_;
};

// "<3.64t": LVM marks what it rounded up; lower-case units are powers of 1024.
std::optional<std::uint64_t> lvm_size(std::string_view word) {
    if (word.starts_with('<')) word.remove_prefix(1);
    return to_size(word);
}

// Two decimals of a unit are no exact size; --units b and s print whole numbers of bytes and sectors.
Number exact_size(std::string_view word, std::size_t at, std::string_view tool, Scribe& scribe) {
    const auto number = leading_unsigned(word);
    const bool bytes = number && (number->rest == "B" || number->rest == "b");
    const bool sectors = number && (number->rest == "S" || number->rest == "s");
    const auto size = number && (bytes || sectors) ? multiply(number->value, bytes ? 1 : 512) : std::nullopt;
    if (size) return scribe.known(*size, at);
    return Number::unknown(fmt::format("{} --units b (the size is printed rounded)", tool));
}

std::optional<RaidLevel> level_of(std::string_view type) {
    if (type == "striped") return RaidLevel::raid0;
    if (type == "mirror" || type == "raid1") return RaidLevel::raid1;
    if (type == "linear") return RaidLevel::concat;
    if (type.starts_with("raid5")) return RaidLevel::raid5;
    if (type.starts_with("raid6")) return RaidLevel::raid6;
    if (type.starts_with("raid10")) return RaidLevel::raid10;
    if (type.starts_with("raid4")) return RaidLevel::raid4;
    if (type.starts_with("raid0")) return RaidLevel::raid0;
    return std::nullopt;
}

bool is_name(std::string_view word) {
    return !word.empty() && word.find_first_of("()<>\"'") == std::string_view::npos;
}

void logical(Scribe& scribe, const Cells& cells, std::size_t at) {
    // Hidden sub-volumes of a RAID are listed in brackets.
    if (!is_name(cells["LV"]) || !is_name(cells["VG"]) || cells["LV"].starts_with('[')) return;
    const auto name = std::string(cells["VG"]) + "-" + std::string(cells["LV"]);
    Volume& v = volume(scribe.facts, name);
    v.kind = scribe.known(VolumeKind::lvm, at);
    if (const auto size = exact_size(cells["LSize"], at, "lvs", scribe); size || !v.size_bytes)
        v.size_bytes = size;
    const auto type = cells["Type"];
    if (const auto level = level_of(type)) v.level = scribe.known(*level, at);
    if (const auto stripes = to_unsigned(cells["#Str"]); stripes && *stripes > 1)
        v.columns = scribe.known(*stripes, at);
    if (const auto stripe = lvm_size(cells["Stripe"]); stripe && *stripe > 0)
        v.stripe_unit_bytes = scribe.known(*stripe, at);
    // Devices of a RAID are hidden sub-volumes, named lv_rimage_0(0).
    for (const auto part : split(cells["Devices"], ','))
        if (part.starts_with("/dev/")) component(v, part.substr(0, part.find('(')));
}

void physical(Scribe& scribe, const Cells& cells, std::size_t at) {
    const auto device = cells["PV"], group = cells["VG"];
    if (!device.starts_with("/dev/") || group.empty() || group == "lvm2") return;
    Volume& v = volume(scribe.facts, group);
    v.kind = scribe.known(VolumeKind::lvm, at);
    component(v, device);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const auto header = spans(out.text(at));
    const bool lv = header[0].name == "LV", pv = header[0].name == "PV";
    std::size_t next = at + 1;
    for (; next < out.lines.size(); ++next) {
        const auto w = words(out.text(next));
        if (w.size() < 3 || is_header(out.text(next))) break;
        const Cells cells(header, out.text(next));
        if (lv) {
            if (cells["Attr"].size() < 6) break;
            const bool sized = has(header, "LSize");  // --segments prints the segments' sizes instead
            if (sized && !lvm_size(cells["LSize"]))
                scribe.damage(next, "lvs: the size of a volume is cut off");
            logical(scribe, cells, next);
        } else if (pv) {
            if (!w[0].starts_with('/') && !w[0].starts_with('[')) break;
            if (!lvm_size(cells["PSize"])) scribe.damage(next, "pvs: the size of a volume is cut off");
            physical(scribe, cells, next);
        } else {
            if ((has(header, "#PV") && !to_unsigned(cells["#PV"])) || !is_name(cells["VG"])) break;
            Volume& v = volume(scribe.facts, cells["VG"]);
            v.kind = scribe.known(VolumeKind::lvm, next);
            if (!lvm_size(cells["VSize"])) scribe.damage(next, "vgs: the size of a group is cut off");
            if (const auto size = exact_size(cells["VSize"], next, "vgs", scribe); size || !v.size_bytes)
                v.size_bytes = size;
        }
    }
    scribe.suggest_os(Os::linux_, at);
    return next - at;
}

}  // namespace

extern const CommandParser lvm_parser{
    .id = "lvm",
    .programs = {"lvs", "vgs", "pvs"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"lvs", "--units", "b", "-o", "+segtype,stripes,stripe_size,devices"}, true},
             {Os::linux_, {"pvs"}, true}},
};

}  // namespace diskwright
