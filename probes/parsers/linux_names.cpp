// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/linux_names.hpp"

#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool plausible_sector(std::uint64_t bytes) {
    return bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) == 0;
}

}  // namespace

std::optional<std::uint64_t> linux_partition_number(std::string_view name) {
    std::size_t begin = name.size();
    while (begin > 0 && digit(name[begin - 1])) --begin;
    return to_unsigned(name.substr(begin));
}

void write_linux_device(const LinuxDevice& device, Scribe& scribe) {
    if (device.name.empty()) return;
    Number size, logical, physical;
    if (device.size_bytes && *device.size_bytes > 0)
        size = scribe.known(*device.size_bytes, device.size_line);
    if (device.logical_sector) logical = scribe.known(*device.logical_sector, device.sector_line);
    if (device.physical_sector) physical = scribe.known(*device.physical_sector, device.sector_line);
    if (device.name.starts_with("md") && device.name.size() > 2 && digit(device.name[2])) {
        if (!whole_device_name(device.name).empty()) return;
        Volume& v = volume(scribe.facts, device.name);
        v.kind = scribe.known(VolumeKind::md, device.size_line);
        v.size_bytes = size;
        v.logical_sector_bytes = logical;
        return;
    }
    if (device.name.find('/') != std::string::npos || device.name.starts_with("dm-") ||
        device.name.starts_with("loop") || device.name.starts_with("ram") ||
        !whole_device_name(device.name).empty())
        return;
    Disk& d = disk(scribe.facts, device.name);
    if (size) d.size_bytes = size;
    if (logical) d.logical_sector_bytes = logical;
    if (physical) d.physical_sector_bytes = physical;
    if (!device.model.empty()) d.model = scribe.text(device.model, device.model_line);
}

bool take_sector_sizes(std::string_view line, std::size_t at, LinuxDevice& device) {
    auto rest = after(line, "(logical/physical):");
    // gdisk where the disk tells no physical one.
    if (!rest) rest = after(line, "Sector size (logical):");
    if (!rest) return false;
    const auto logical = leading_unsigned(trim(*rest));
    const auto slash = rest->find('/');
    const auto physical =
        slash == std::string_view::npos ? std::nullopt : leading_unsigned(trim(rest->substr(slash + 1)));
    if (logical && plausible_sector(logical->value)) device.logical_sector = logical->value;
    if (physical && plausible_sector(physical->value)) device.physical_sector = physical->value;
    device.sector_line = at;
    return true;
}

}  // namespace diskwright
