// SPDX-License-Identifier: BSD-2-Clause
// lsblk, lsblk -t, -o LIST, -b, -r, -P, -J of util-linux 2.19 and later:
//   NAME                 ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED RQ-SIZE  RA WSAME
//   sdd                          0    512      0     512     512    1 bfq        64 128    0B
//   └─sdd2                       0    512      0     512     512    1 bfq        64 128    0B
//     └─md0                      0   4096      0    4096    4096    1           128 128    0B
// Sizes are exact with -b only; the rounded ones are left out. MIN-IO and OPT-IO are hints of drivers and
// tell nothing of the medium. What a layer is follows from TYPE; without that column from its name: only LVM
// joins two names by "-".
#include <fmt/format.h>

#include <algorithm>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/linux_names.hpp"
#include "probes/parsers/lsblk.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool starts(const Output& out, std::size_t at) {
    return is_lsblk_header(out.text(at)) || is_lsblk_pairs(out.text(at)) || is_lsblk_json(out, at);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::vector<BlockNode> nodes;
    std::size_t used = 0;
    if (is_lsblk_pairs(out.text(at)))
        used = read_lsblk_pairs(out, at, nodes, scribe);
    else if (is_lsblk_json(out, at))
        used = read_lsblk_json(out, at, nodes, scribe);
    else
        used = read_lsblk_table(out, at, nodes, scribe);
    scribe.suggest_os(Os::linux_, at);
    if (nodes.empty() && scribe.facts.unparsed.empty())
        scribe.unparsed(at, at + used - 1, "lsblk: no device below the header");
    write_block_nodes(nodes, scribe);
    return used;
}

// ---- nodes to facts ----

enum class Layer { disk, part, md, crypto, lvm, other };

bool digit_at(std::string_view text, std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool is_md_name(std::string_view name) {
    return name.starts_with("md") &&
           (digit_at(name, 2) || name.starts_with("md_") || name.starts_with("md/"));
}

Layer layer_of(const BlockNode& node, const BlockNode* parent) {
    const auto type = node.value("TYPE");
    if (type == "disk")
        return node.name.starts_with("zram") || node.name.starts_with("ram") || node.name.starts_with("nbd")
                   ? Layer::other
                   : Layer::disk;
    if (type == "part") return Layer::part;
    if (type == "crypt") return Layer::crypto;
    if (type == "lvm") return Layer::lvm;
    if (type.starts_with("raid") || type == "linear" || type == "md") return Layer::md;
    if (!type.empty()) return Layer::other;
    if (is_md_name(node.name)) return whole_device_name(node.name).empty() ? Layer::md : Layer::part;
    if (!parent)
        return node.name.starts_with("sd") || node.name.starts_with("nvme") || node.name.starts_with("hd") ||
                       node.name.starts_with("vd") || node.name.starts_with("xvd") ||
                       node.name.starts_with("mmcblk")
                   ? Layer::disk
                   : Layer::other;
    if (node.name.starts_with(parent->name) && whole_device_name(node.name) == parent->name)
        return Layer::part;
    if (node.name.starts_with("luks-") || node.name.ends_with("_crypt")) return Layer::crypto;
    if (node.name.starts_with("mpath")) return Layer::other;
    return node.name.find('-') != std::string::npos ? Layer::lvm : Layer::crypto;
}

std::optional<std::uint64_t> number(const BlockNode& node, std::string_view column) {
    return to_unsigned(node.value(column));
}

// Only digits: what -b prints. Without -b a size has a unit and is rounded.
Number exact_size(const BlockNode& node, Scribe& scribe) {
    const auto bytes = number(node, "SIZE");
    return bytes && *bytes >= 512 ? scribe.known(*bytes, node.line) : Number{};
}

Number sector(const BlockNode& node, std::string_view column, Scribe& scribe) {
    const auto bytes = number(node, column);
    return bytes && *bytes >= 512 && *bytes <= 65536 ? scribe.known(*bytes, node.line) : Number{};
}

void write_disk(const BlockNode& node, Scribe& scribe) {
    Disk& d = disk(scribe.facts, node.name);
    if (auto size = exact_size(node, scribe)) d.size_bytes = size;
    if (auto bytes = sector(node, "LOG-SEC", scribe)) d.logical_sector_bytes = bytes;
    if (auto bytes = sector(node, "PHY-SEC", scribe)) d.physical_sector_bytes = bytes;
    const auto text = [&](std::string_view column, Text& into) {
        if (!node.value(column).empty()) into = scribe.text(node.value(column), node.line);
    };
    // Of a disk: where its first physical sector begins (torvalds/linux:drivers/scsi/sd.c,
    // block/blk-settings.c). Nearly all say 0, which is what is taken for granted.
    if (const auto offset = number(node, "ALIGNMENT"); offset && *offset > 0)
        d.physical_offset_bytes = scribe.known(*offset, node.line);
    text("MODEL", d.model), text("SERIAL", d.serial), text("TRAN", d.transport);
    // Virtual disks say 1 whatever lies behind them.
    const bool paravirtual = node.name.starts_with("vd") || node.name.starts_with("xvd");
    if (const auto rota = number(node, "ROTA"); rota && !(paravirtual && *rota == 1))
        d.rotational = scribe.known(*rota == 1, node.line);
    if (const auto removable = number(node, "RM")) d.removable = scribe.known(*removable == 1, node.line);
    if (const auto read_only = number(node, "RO")) d.read_only = scribe.known(*read_only == 1, node.line);
    if (const auto discard = node.value("DISC-MAX"); !discard.empty())
        if (const auto bytes = to_size(discard)) d.trim = scribe.known(*bytes > 0, node.line);
    if (node.value("ZONED").starts_with("host-")) d.shingled = scribe.known(true, node.line);
}

void write_partition(const BlockNode& node, const BlockNode& parent, Scribe& scribe) {
    Partition& p = partition(scribe.facts, node.name);
    p.parent = parent.name;
    if (auto size = exact_size(node, scribe)) p.size_bytes = size;
    if (const auto index = linux_partition_number(node.name)) p.index = scribe.known(*index, node.line);
    // START is in units of 512 whatever the sector (util-linux/util-linux:misc-utils/lsblk.c).
    if (const auto start = number(node, "START"))
        if (const auto bytes = multiply(*start, 512)) p.start_bytes = scribe.known(*bytes, node.line);
    if (const auto table = node.value("PTTYPE"); !table.empty())
        p.scheme = scribe.known(table == "gpt" ? Scheme::gpt : Scheme::mbr, node.line);
    if (const auto type = node.value("PARTTYPENAME"); !type.empty()) p.type = scribe.text(type, node.line);
    if (const auto label = node.value("PARTLABEL"); !label.empty()) p.label = scribe.text(label, node.line);
    // 0 is aligned; anything else is the distance to the next boundary, -1 where the layers below contradict
    // each other.
    if (const auto offset = to_signed(node.value("ALIGNMENT"))) {
        if (*offset != 0) p.misaligned_reported = scribe.known(true, node.line);
    }
}

void write_level(const BlockNode& node, Volume& v, Scribe& scribe) {
    const auto type = node.value("TYPE");
    const auto level = type == "linear"           ? std::optional(RaidLevel::concat)
                       : type.starts_with("raid") ? from_string<RaidLevel>(type.substr(4))
                                                  : std::nullopt;
    if (level) v.level = scribe.known(*level, node.line);
}

void write_volume(const BlockNode& node, const BlockNode* below, Layer layer, Scribe& scribe) {
    Volume& v = volume(scribe.facts, node.name);
    const VolumeKind kind = layer == Layer::md    ? VolumeKind::md
                            : layer == Layer::lvm ? VolumeKind::lvm
                                                  : VolumeKind::crypto;
    if (!v.kind) v.kind = scribe.known(kind, node.line);
    if (layer == Layer::md && !v.level) write_level(node, v, scribe);
    if (auto size = exact_size(node, scribe)) v.size_bytes = size;
    if (auto bytes = sector(node, "LOG-SEC", scribe)) v.logical_sector_bytes = bytes;
    if (!below) return;
    Component& c = component(v, below->name);
    if (auto bytes = sector(*below, "LOG-SEC", scribe)) c.logical_sector_bytes = bytes;
}

void write_use(const BlockNode& node, Scribe& scribe) {
    auto point = node.value("MOUNTPOINT");
    if (point.empty()) point = node.value("MOUNTPOINTS");
    const auto type = node.value("FSTYPE");
    if (point == "[SWAP]") {
        if (std::none_of(scribe.facts.swap.begin(), scribe.facts.swap.end(),
                         [&](const SwapArea& s) { return s.device == node.name; }))
            scribe.facts.swap.push_back({node.name, exact_size(node, scribe), {}});
    } else if (point.starts_with('/')) {
        Mount& m = mount(scribe.facts, point);
        m.device = scribe.text(node.name, node.line);
        if (!type.empty()) m.type = scribe.text(type, node.line);
    }
    if (type == "xfs" || type == "btrfs" || type == "jfs" || type.starts_with("ext"))
        filesystem(scribe.facts, node.name).type = scribe.text(type, node.line);
}

}  // namespace

void write_block_nodes(const std::vector<BlockNode>& nodes, Scribe& scribe) {
    std::vector<const BlockNode*> above;  // the node of each depth on the way to this one
    for (const BlockNode& node : nodes) {
        above.resize(std::min(node.depth, above.size()));
        const BlockNode* parent = above.empty() ? nullptr : above.back();
        above.push_back(&node);
        const Layer layer = layer_of(node, parent);
        switch (layer) {
            case Layer::disk:
                write_disk(node, scribe);
                break;
            case Layer::part:
                if (parent) write_partition(node, *parent, scribe);
                break;
            case Layer::md:
            case Layer::crypto:
            case Layer::lvm:
                write_volume(node, parent, layer, scribe);
                break;
            case Layer::other:
                continue;
        }
        write_use(node, scribe);
    }
}

extern const CommandParser lsblk_parser{
    .id = "lsblk",
    .programs = {"lsblk"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_,
              {"lsblk", "-b", "-P", "-o",
               // One list of columns in two pieces. NOLINTNEXTLINE(bugprone-suspicious-missing-comma)
               "NAME,KNAME,PKNAME,TYPE,SIZE,MODEL,SERIAL,TRAN,ROTA,RO,RM,PHY-SEC,LOG-SEC,ALIGNMENT,DISC-MAX,"
               "FSTYPE,MOUNTPOINT"}}},
};

}  // namespace diskwright
