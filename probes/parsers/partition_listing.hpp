// SPDX-License-Identifier: BSD-2-Clause
// What the parsers of partition listings share: names, extents in sectors, recognising sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/device_names.hpp"
#include "probes/parsers/command.hpp"

namespace diskwright {

/// The disk of a listing that does not name its disk; like "raid?" for a set without a name.
inline constexpr std::string_view unnamed_disk = "disk?";

/// The disk that an output describes which may not name it: `named` unless empty, else the one disk that the
/// name of the file names ("smart-ada0.txt"), else unnamed_disk.
std::string described_disk(const Output& out, std::string named);

/// "/dev/rwd1d" -> wd1, "/dev/rsd0c" -> sd0, "ada0s1" and "mirror/gm0" as they are: the device a table stands
/// on.
std::string table_device(std::string_view as_written);

/// The device that the gpt command at the prompt works on, or unnamed_disk.
std::string gpt_device(const Output& out);

/// A partition with its parent and scheme.
Partition& listed_partition(Scribe& scribe, std::string_view name, std::string_view parent, Scheme scheme,
                            std::size_t line);
/// Start and size in sectors, as printed. What is no number is noted; the other value stays.
void set_extent(Scribe& scribe, Partition& partition, std::string_view start, std::string_view size,
                std::uint64_t sector, std::size_t line);
/// Size and sector of the disk or, by its name, volume that carries the table.
void set_device_size(Scribe& scribe, std::string_view device, std::optional<std::uint64_t> bytes,
                     std::optional<std::uint64_t> sector, std::size_t line);

bool is_number(std::string_view word);
/// The unit whose multiple `printed` ("1.8T", powers of 1024, rounded) is nearest to count x unit; nothing
/// when none is.
std::optional<std::uint64_t> sector_from_printed_size(std::uint64_t count, std::string_view printed);

/// Words of several lines with the line each stands on, for listings that a mail client wrapped or flattened.
struct PlacedWord {
    std::string_view text;
    std::size_t line;
};
void append_words(std::vector<PlacedWord>& to, const Output& out, std::size_t line);

/// Index of the next line from `at` that is not blank, at most `blanks` further on; nothing when there is
/// none.
std::optional<std::size_t> next_filled(const Output& out, std::size_t at, std::size_t blanks = 2);

}  // namespace diskwright
