// SPDX-License-Identifier: BSD-2-Clause
// What `mdadm --detail` and `mdadm --examine` print for one device: a line "/dev/x:", then "label : value"
// lines and a member table. Both parsers read it through this.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

struct MdadmLine {
    std::string_view label, value;  // label empty: a row of the member table
    std::size_t line;
};

struct MdadmBlock {
    std::string_view device;         // as written; empty when the header line is not there
    std::size_t first = 0, end = 0;  // lines [first, end)
    std::vector<MdadmLine> lines;
    bool table_seen = false;  // the heading of the member table

    const MdadmLine* find(std::string_view label) const;
};

/// The block that begins at that line, if one does.
std::optional<MdadmBlock> mdadm_block(const Output& out, std::size_t at);
/// Whether the block is a superblock (--examine) and not a running set (--detail).
bool mdadm_examines(const MdadmBlock& block, const Output& out);
/// A cheap test for `starts`: a device header, or the first line of a block whose header was cut off.
bool mdadm_block_begins(const Output& out, std::size_t at);

}  // namespace diskwright
