// SPDX-License-Identifier: BSD-2-Clause
// Where readers of on-disk structures look on a disk or partition before they know what is there: for who
// reads these places blindly. A test compares them with what the readers ask for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace diskwright {

struct HeadPlace {
    /// What the place is counted from: the first byte; backwards from behind the last one, or from where the
    /// last whole 64 KiB end (md of format 0.90).
    enum class From { start, end, end_of_64k };
    static constexpr std::array<std::string_view, 3> from_names{"start", "end", "end64k"};

    From from;
    std::uint64_t distance, length;  // whole pages of 4096 bytes
};

inline constexpr std::array head_places{
    // Tables, labels, most superblocks; 40 KiB for the metadata of softraid.
    HeadPlace{HeadPlace::From::start, 0, 40960},
    // FFSv2 at 64 KiB, and what ends just before that.
    HeadPlace{HeadPlace::From::start, 61440, 12288},
    // FFS at 256 KiB; the second label of ZFS.
    HeadPlace{HeadPlace::From::start, 262144, 4096},
    HeadPlace{HeadPlace::From::start, 278528, 4096},
    // The second GPT, the last sector of GEOM's classes, md of format 1.0, most firmware RAID.
    HeadPlace{HeadPlace::From::end, 32768, 32768},
    HeadPlace{HeadPlace::From::end, 131072, 4096},
    HeadPlace{HeadPlace::From::end_of_64k, 65536, 4096},
};

}  // namespace diskwright
