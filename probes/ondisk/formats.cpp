// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/formats.hpp"

#include <fmt/format.h>

#include <array>

namespace diskwright {
namespace {

using Kind = OnDiskFormat::Kind;

constexpr std::array formats{
    // Tables.
    OnDiskFormat{"gpt", read_gpt_table, Kind::table},
    OnDiskFormat{"mbr", read_mbr_table, Kind::table},
    OnDiskFormat{"disklabel", read_disklabel, Kind::table},
    OnDiskFormat{"disklabel64", read_disklabel64, Kind::table},
    OnDiskFormat{"sun label", read_sun_label, Kind::table},
    // A name for the device less its metadata, as a table of one slot.
    OnDiskFormat{"glabel", read_glabel, Kind::table},
    OnDiskFormat{"gjournal", read_gjournal, Kind::table},
    OnDiskFormat{"gpt backup", read_gpt_backup, Kind::table_copy},

    // Sets.
    OnDiskFormat{"raidframe", read_raidframe_label, Kind::set},
    OnDiskFormat{"softraid", read_softraid, Kind::set},
    OnDiskFormat{"ccd", read_ccd_label, Kind::set},
    OnDiskFormat{"gmirror", read_gmirror, Kind::set},
    OnDiskFormat{"gstripe", read_gstripe, Kind::set},
    OnDiskFormat{"graid3", read_graid3, Kind::set},
    OnDiskFormat{"gconcat", read_gconcat, Kind::set},
    OnDiskFormat{"geli", read_geli, Kind::set},
    OnDiskFormat{"md", read_md, Kind::set},
    OnDiskFormat{"firmware raid", read_firmware_raid, Kind::set},

    // What fills a partition. Those at the end take copies for a damaged original where nothing else was
    // recognised.
    OnDiskFormat{"lvm", read_lvm},
    OnDiskFormat{"swap", read_swap},
    OnDiskFormat{"other", read_other_filesystem},
    OnDiskFormat{"luks", read_luks},
    OnDiskFormat{"zfs", read_zfs_label},
    OnDiskFormat{"xfs", read_xfs},
    OnDiskFormat{"ext", read_ext},
    OnDiskFormat{"ffs", read_ffs},
};

}  // namespace

std::span<const OnDiskFormat> on_disk_formats() {
    return formats;
}

Provenance at_byte(const ByteSource& source, std::uint64_t offset, std::string text) {
    return {fmt::format("{}@{:#x}", source.name(), offset), 0, std::move(text), Provenance::Kind::device};
}

}  // namespace diskwright
