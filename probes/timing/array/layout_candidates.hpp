// SPDX-License-Identifier: BSD-2-Clause
// The layouts an opaque array may have, unit by unit; what reads alone cannot tell apart is one class.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/model/enums.hpp"

namespace diskwright {

inline constexpr unsigned most_columns = 32;

struct LayoutCandidate {
    struct Columns {
        std::array<std::uint8_t, 2> at{};
        std::uint8_t count = 0;
    };
    struct Unit {
        Columns copies;  // any of them answers a read
        Columns parity;
    };
    RaidLevel level = RaidLevel::raid0;
    unsigned columns = 0;  // disks, all of them
    std::string layout;    // as CONTRACT names it; empty: it has no name there
    std::optional<unsigned> data_disks;
    std::vector<Unit> units;  // of a period, from the first unit of the array on

    std::string_view redundancy() const;
    /// Whether reads of one unit can go on at two disks at a time. Far copies are left alone by readers: md
    /// takes the copy that lies lowest (torvalds/linux: drivers/md/raid10.c, read_balance).
    bool shares_reads() const { return level == RaidLevel::raid10 && layout != "far2"; }
    const Unit& unit(std::uint64_t number) const { return units[number % units.size()]; }
};

/// RAID 0, RAID 4 and the four layouts of RAID 5 and of RAID 6, near, far and offset copies, and the RAID 6
/// of softraid, of 2 to most_columns disks. Mirrors without stripes have no units and are not among them.
struct LayoutClass {
    std::vector<LayoutCandidate> members;  // all put the same units together; the first shares no reads
};
const std::vector<LayoutClass>& layout_classes();

}  // namespace diskwright
