// SPDX-License-Identifier: BSD-2-Clause
// The head of a listing of fdisk -l of util-linux, in whatever language: words change, the order and shape of
// the lines do not (util-linux/util-linux:disk-utils/fdisk-list.c, po/).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "probes/model/enums.hpp"
#include "probes/parsers/linux_names.hpp"

namespace diskwright {

/// The device of "Disk /dev/sda: 293.4 GB, 293378981888 bytes", "Festplatte /dev/sda: ...", "Disque /dev/sda
/// :
/// ..."; "" when the line is none.
std::string_view fdisk_disk(std::string_view line);

/// Of that line "2000398934016 bytes" (Bytes, octets, ...), which stands among rounded sizes and a count of
/// sectors. In a language that is not known it is the largest whole number.
std::optional<std::uint64_t> fdisk_size(std::string_view line);

/// What stands behind the last colon of a line, also behind a full-width one; "" when there is none.
std::string_view fdisk_value(std::string_view text);

/// "Sektorgröße (logisch/physikalisch): 512 Bytes / 4096 Bytes". Of two lines of that shape the first counts:
/// the second is of the I/O sizes, and older releases print neither. False when the line is none.
bool take_translated_sectors(std::string_view text, std::size_t at, LinuxDevice& device);

/// "Festplattenbezeichnungstyp: dos": the scheme at the end of the line.
std::optional<Scheme> translated_scheme(std::string_view text);

}  // namespace diskwright
