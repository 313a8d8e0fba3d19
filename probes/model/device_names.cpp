// SPDX-License-Identifier: BSD-2-Clause
// FreeBSD: freebsd/freebsd-src:sys/geom/part/g_part_*.c (name methods); Linux:
// torvalds/linux:block/partitions/core.c.
#include "probes/model/device_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool letter(char c) {
    return c >= 'a' && c <= 'z';
}

struct VolumePrefix {
    std::string_view prefix;
    std::optional<VolumeKind> kind;
};
// The prefix is followed by a unit number, or ends in a slash.
constexpr std::array<VolumePrefix, 12> volume_prefixes{{{"raid", VolumeKind::raidframe},
                                                        {"ccd", VolumeKind::ccd},
                                                        {"cgd", VolumeKind::crypto},
                                                        {"vnd", std::nullopt},
                                                        {"vn", std::nullopt},
                                                        {"md", std::nullopt},
                                                        {"mirror/", VolumeKind::gmirror},
                                                        {"stripe/", VolumeKind::gstripe},
                                                        {"raid3/", VolumeKind::graid3},
                                                        {"concat/", VolumeKind::gconcat},
                                                        {"raid/", VolumeKind::graid},
                                                        {"zvol/", std::nullopt}}};

// Drivers, by what stands before the unit number.
constexpr std::array<std::string_view, 18> freebsd_drivers{
    "ada",  "da",   "ad",   "nda",  "nvd",  "vtbd", "mmcsd", "aacd", "mfid",
    "amrd", "idad", "ipsd", "mlxd", "mlyd", "twed", "pmem",  "acd",  "mfisyspd"};
constexpr std::array<std::string_view, 5> linux_lettered{"sd", "vd", "xvd", "hd", "ubd"};
constexpr std::array<std::string_view, 7> linux_numbered{"nvme", "mmcblk", "md", "loop",
                                                         "zram", "dm-",    "nbd"};

bool driver_and_unit(std::string_view name, std::string_view driver) {
    if (!name.starts_with(driver) || name.size() == driver.size()) return false;
    const auto unit = name.substr(driver.size());
    return std::all_of(unit.begin(), unit.end(), digit);
}

}  // namespace

std::string_view geom_folder(VolumeKind kind) {
    for (const auto& row : volume_prefixes)
        if (row.kind == kind && row.prefix.ends_with('/')) return row.prefix;
    return {};
}

VolumeName volume_by_name(std::string_view device) {
    for (const auto& row : volume_prefixes) {
        if (!device.starts_with(row.prefix) || device.size() == row.prefix.size()) continue;
        if (row.prefix.ends_with('/') || digit(device[row.prefix.size()])) return {true, row.kind};
    }
    return {device.find('/') != std::string_view::npos, std::nullopt};
}

std::string gpart_provider(std::string_view parent, Scheme scheme, std::uint64_t index) {
    switch (scheme) {
        case Scheme::gpt:
            return fmt::format("{}p{}", parent, index);
        case Scheme::mbr:
        case Scheme::apm:
            return fmt::format("{}s{}", parent, index);
        case Scheme::ebr:
            return fmt::format("{}+{:08}", parent, index);
        case Scheme::disklabel:
        case Scheme::vtoc8:
            if (index >= 1 && index <= 26)
                return fmt::format("{}{}", parent, static_cast<char>('a' + index - 1));
            break;
    }
    return fmt::format("{}#{}", parent, index);
}

std::string linux_partition(std::string_view disk, std::uint64_t number) {
    std::string out(disk);
    if (!out.empty() && digit(out.back())) out += 'p';
    return out + std::to_string(number);
}

std::optional<Os> os_of_disk_name(std::string_view name) {
    if (volume_by_name(name).is_volume && name.find('/') != std::string_view::npos) return Os::freebsd;
    for (const auto driver : freebsd_drivers)
        if (driver_and_unit(name, driver)) return Os::freebsd;
    for (const auto prefix : linux_lettered) {
        const auto rest = name.substr(std::min(prefix.size(), name.size()));
        if (name.starts_with(prefix) && !rest.empty() && std::all_of(rest.begin(), rest.end(), letter))
            return Os::linux_;
    }
    for (const auto prefix : linux_numbered)
        if (name.starts_with(prefix) && name.size() > prefix.size() && digit(name[prefix.size()]))
            return Os::linux_;
    for (const std::string_view driver : {"wd", "ld", "dk"})
        if (driver_and_unit(name, driver)) return Os::netbsd;
    return std::nullopt;
}

}  // namespace diskwright
