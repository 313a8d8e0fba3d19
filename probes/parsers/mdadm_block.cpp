// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/mdadm_block.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// md-raid-utilities/mdadm: Detail.c, super0.c and super1.c of 2.6 to 4.6. Padding differs between releases,
// labels do not.
constexpr std::array<std::string_view, 53> labels{"Active Devices",
                                                  "Array Size",
                                                  "Array Slot",
                                                  "Array State",
                                                  "Array UUID",
                                                  "Avail Dev Size",
                                                  "Bad Block Log",
                                                  "Checksum",
                                                  "Chunk Size",
                                                  "Cluster Name",
                                                  "Consistency Policy",
                                                  "Container",
                                                  "Creation Time",
                                                  "Data Offset",
                                                  "Delta Devices",
                                                  "Device Role",
                                                  "Device Size",
                                                  "Device UUID",
                                                  "Events",
                                                  "Failed Devices",
                                                  "Feature Map",
                                                  "Flags",
                                                  "Intent Bitmap",
                                                  "Internal Bitmap",
                                                  "Layout",
                                                  "Magic",
                                                  "Name",
                                                  "New Chunksize",
                                                  "New Layout",
                                                  "New Level",
                                                  "New Offset",
                                                  "PPL",
                                                  "Persistence",
                                                  "Preferred Minor",
                                                  "Raid Devices",
                                                  "Raid Level",
                                                  "Rebuild Status",
                                                  "Recovery Offset",
                                                  "Resync Status",
                                                  "Reshape Status",
                                                  "Check Status",
                                                  "Reshape pos'n",
                                                  "Rounding",
                                                  "Spare Devices",
                                                  "State",
                                                  "Super Offset",
                                                  "Total Devices",
                                                  "UUID",
                                                  "Unused Space",
                                                  "Update Time",
                                                  "Used Dev Size",
                                                  "Version",
                                                  "Working Devices"};
static_assert(!labels.back().empty());

// A line is at most that far from its block's header when only "..." and blanks stand between.
constexpr std::size_t header_reach = 4;

std::optional<MdadmLine> labelled(std::string_view text, std::size_t line) {
    const auto colon = text.find(" : ");
    const auto label = trim(text.substr(0, colon == std::string_view::npos ? text.find(" :") : colon));
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) return std::nullopt;
    return MdadmLine{
        label, colon == std::string_view::npos ? std::string_view{} : trim(text.substr(colon + 3)), line};
}

std::optional<std::string_view> device_header(std::string_view text) {
    const auto line = trim(text);
    if (line.size() < 3 || line.back() != ':' || line.find(' ') != std::string_view::npos)
        return std::nullopt;
    const auto name = line.substr(0, line.size() - 1);
    return name.starts_with('/') ? std::optional(name) : std::nullopt;
}

bool is_gap(std::string_view text) {
    const auto line = trim(text);
    return line.empty() || line == "..." || line == "[...]";
}

// "       -       0        0        0      removed", "this     0       8       17        0      active sync
// /dev/sdb1"
bool is_table_row(std::string_view text) {
    auto w = words(text);
    if (!w.empty() && (w[0] == "this" || (w.size() > 5 && to_unsigned(w[0]) && to_unsigned(w[4]))))
        w.erase(w.begin());
    if (w.size() < 4) return false;
    for (std::size_t i = 0; i < 4; ++i)
        if (w[i] != "-" && !to_unsigned(w[i])) return false;
    return true;
}

bool is_table_heading(std::string_view text) {
    const auto w = words(text);
    return w.size() >= 4 && w[0] == "Number" && w[1] == "Major" && w[2] == "Minor" && w[3] == "RaidDevice";
}

std::optional<std::size_t> first_label_after(const Output& out, std::size_t at) {
    for (std::size_t i = at; i < out.lines.size() && i < at + header_reach; ++i) {
        if (labelled(out.text(i), i)) return i;
        if (!is_gap(out.text(i))) return std::nullopt;
    }
    return std::nullopt;
}

// The first line of either kind, when the header above it was cut off.
bool is_first_label(std::string_view text) {
    const auto line = labelled(text, 0);
    return line && (line->label == "Magic" ||
                    (line->label == "Version" && line->value.find('.') != std::string_view::npos));
}

}  // namespace

const MdadmLine* MdadmBlock::find(std::string_view label) const {
    const auto at =
        std::find_if(lines.begin(), lines.end(), [&](const MdadmLine& l) { return l.label == label; });
    return at == lines.end() ? nullptr : &*at;
}

bool mdadm_block_begins(const Output& out, std::size_t at) {
    if (device_header(out.text(at))) return first_label_after(out, at + 1).has_value();
    return is_first_label(out.text(at)) && first_label_after(out, at + 1).has_value();
}

std::optional<MdadmBlock> mdadm_block(const Output& out, std::size_t at) {
    if (!mdadm_block_begins(out, at)) return std::nullopt;
    MdadmBlock block;
    block.first = at;
    if (const auto device = device_header(out.text(at))) block.device = *device, ++at;
    block.end = at;
    for (; at < out.lines.size(); ++at) {
        const auto text = out.text(at);
        if (is_gap(text)) continue;
        if (is_table_heading(text)) {
            block.table_seen = true;
        } else if (is_table_row(text)) {
            block.lines.push_back({{}, trim(text), at});
        } else if (const auto line = labelled(text, at)) {
            // No label stands twice in one block: here begins another, whose header was cut off.
            if (block.find(line->label)) break;
            block.lines.push_back(*line);
        } else if (!block.lines.empty() && block.lines.back().label.empty() &&
                   trim(text).starts_with("/dev/") && trim(text).find(' ') == std::string_view::npos &&
                   trim(text).back() != ':') {
            // The device of a row that was wrapped.
            block.lines.push_back({{}, trim(text), at});
        } else {
            break;
        }
        block.end = at + 1;
    }
    return block;
}

bool mdadm_examines(const MdadmBlock& block, const Output& out) {
    constexpr std::array<std::string_view, 9> of_superblocks{"Magic",        "Avail Dev Size", "Array UUID",
                                                             "Device UUID",  "Device Role",    "Array State",
                                                             "Super Offset", "Feature Map",    "Checksum"};
    for (const auto label : of_superblocks)
        if (block.find(label)) return true;
    if (out.program() != "mdadm") return false;
    return out.has_argument("-E") || out.has_argument("--examine");
}

}  // namespace diskwright
