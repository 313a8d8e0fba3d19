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

    // Sets.

    // What fills a partition.
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
