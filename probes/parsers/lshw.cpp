// SPDX-License-Identifier: BSD-2-Clause
// lshw, lshw -class disk, -class volume, -json (Linux, B.02.16 and later):
//   *-disk:1
//        description: ATA Disk
//        product: ST1000DM003-1CH1
//        logical name: /dev/sdb
//        version: CC47
//        size: 931GiB (1TB)
//        configuration: ansiversion=5 logicalsectorsize=512 sectorsize=4096 signature=d88eb14d
// sectorsize is that of the medium (BLKPBSZGET), logicalsectorsize what requests are counted in (since 2013).
// The text cuts sizes to whole units; -json prints bytes. Products are cut to what INQUIRY holds.
// Format: lyonel/lshw:src/core/disk.cc, src/core/nvme.cc.
#include "probes/parsers/lshw.hpp"

#include <algorithm>
#include <array>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/parsers/linux_names.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool starts(const Output& out, std::size_t at) {
    return is_lshw_text(out, at) || is_lshw_json(out, at);
}

std::string_view device_of(const LshwNode& node) {
    for (const std::string& name : node.names) {
        const std::string_view device = std::string_view(name).starts_with("/dev/")
                                            ? std::string_view(name).substr(5)
                                            : std::string_view{};
        constexpr std::array<std::string_view, 7> drivers{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "md"};
        if (device.find('/') == std::string_view::npos &&
            std::any_of(drivers.begin(), drivers.end(), [&](auto d) { return device.starts_with(d); }))
            return device;
    }
    return {};
}

std::string_view mount_point(const LshwNode& node) {
    for (const std::string& name : node.names)
        if (name.starts_with('/') && !name.starts_with("/dev/")) return name;
    return {};
}

std::string_view setting(const LshwNode& node, std::string_view key) {
    const auto found = node.configuration.find(key);
    return found == node.configuration.end() ? std::string_view{} : std::string_view(found->second);
}

// "7200rpm" among the capabilities.
std::optional<std::uint64_t> rpm_of(const LshwNode& node) {
    for (const std::string& word : node.capabilities)
        if (const auto number = leading_unsigned(word); number && number->rest == "rpm") return number->value;
    return std::nullopt;
}

void take_sector(const LshwNode& node, std::string_view key, Number& into, Scribe& scribe) {
    const auto text = setting(node, key);
    if (text.empty()) return;
    const auto bytes = to_unsigned(text);
    if (bytes && *bytes >= 512 && *bytes <= 65536)
        into = scribe.known(*bytes, node.line);
    else
        scribe.unparsed(node.line, node.line,
                        "lshw: " + std::string(key) + " is no size of a sector: '" + escaped(text) + "'");
}

void write_disk(const LshwNode& node, const LshwNode* controller, std::string_view name, Scribe& scribe) {
    Disk& d = disk(scribe.facts, name);
    const auto text = [&](const std::string& value, Text& into) {
        if (!value.empty()) into = scribe.text(value, node.line);
    };
    // An NVMe namespace has no product of its own. Paravirtual disks show that of their bus.
    const LshwNode& about = controller && node.product.empty() ? *controller : node;
    text(about.product, d.model), text(about.serial, d.serial), text(about.version, d.firmware);
    take_sector(node, "logicalsectorsize", d.logical_sector_bytes, scribe);
    take_sector(node, "sectorsize", d.physical_sector_bytes, scribe);
    if (const auto rpm = rpm_of(node)) {
        d.rpm = scribe.known(*rpm, node.line);
        d.rotational = scribe.known(true, node.line);
    }
    if (std::find(node.capabilities.begin(), node.capabilities.end(), "removable") != node.capabilities.end())
        d.removable = scribe.known(true, node.line);
    if (node.size_bytes)
        d.size_bytes = scribe.known(*node.size_bytes, node.line);
    else if (!d.size_bytes)
        d.size_bytes = Number::unknown("lshw -json (the text cuts the size to whole units)");
}

void write_use(const LshwNode& node, std::string_view name, Scribe& scribe) {
    if (const auto point = mount_point(node); !point.empty() && !setting(node, "mount.fstype").empty()) {
        Mount& m = mount(scribe.facts, point);
        m.device = scribe.text(name, node.line);
        m.type = scribe.text(setting(node, "mount.fstype"), node.line);
        if (const auto options = setting(node, "mount.options"); !options.empty())
            m.options = scribe.known(option_list(options), node.line);
    }
    const auto type = setting(node, "filesystem");
    if (!names_format(type)) return;
    Filesystem& fs = filesystem(scribe.facts, name);
    fs.type = scribe.text(type, node.line);
    if (const auto label = setting(node, "label"); !label.empty()) fs.label = scribe.text(label, node.line);
}

void write_partition(const LshwNode& node, std::string_view name, const std::string& whole, Scribe& scribe) {
    Partition& p = partition(scribe.facts, name);
    p.parent = whole;
    if (const auto index = linux_partition_number(name)) p.index = scribe.known(*index, node.line);
    // "size" is that of the file system where there is one; "capacity" that of the partition. Neither is
    // used.
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::vector<LshwNode> nodes;
    const std::size_t used =
        is_lshw_text(out, at) ? read_lshw_text(out, at, nodes) : read_lshw_json(out, at, nodes, scribe);
    scribe.suggest_os(Os::linux_, at);
    const LshwNode* controller = nullptr;
    for (const LshwNode& node : nodes) {
        if (controller && node.depth <= controller->depth) controller = nullptr;
        if (node.description == "NVMe device") controller = &node;
        const auto name = device_of(node);
        if (name.empty() || node.id.starts_with("nvme") || node.id.starts_with("medium")) continue;
        const auto whole = whole_device_name(name);
        if (whole.empty() && !name.starts_with("md"))
            write_disk(node, controller, name, scribe);
        else if (!whole.empty())
            write_partition(node, name, whole, scribe);
        write_use(node, name, scribe);
    }
    return used;
}

}  // namespace

extern const CommandParser lshw_parser{
    .id = "lshw",
    .programs = {"lshw"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
