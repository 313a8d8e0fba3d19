// SPDX-License-Identifier: BSD-2-Clause
// Lines of fstab(5), which /proc/mounts and mount -p share, and the words about file systems that several
// parsers need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

struct TableLine {
    std::string device, point, type;
    std::vector<std::string> options;
    std::optional<std::uint64_t> dump, pass;
};

/// Device, mount point, type, and what follows of options, dump and pass. Nothing when it cannot be such a
/// line: the type must be a known one and the mount point a path, or none for swap.
std::optional<TableLine> read_table_line(std::string_view line);

bool is_file_system_type(std::string_view word);
/// A type whose name says the version, so that a mount of it tells what is on the device: ext4, xfs, btrfs.
bool names_format(std::string_view type);
/// "rw,noatime" -> rw, noatime.
std::vector<std::string> option_list(std::string_view text);

/// Adds what a tool printed of a file system to the facts; without a device only the note that `tool` did not
/// name it. at: the line that begins the output.
void add_filesystem(Filesystem fs, std::string_view device, std::string_view tool, std::size_t at,
                    Scribe& scribe);

}  // namespace diskwright
