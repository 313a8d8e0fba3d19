// SPDX-License-Identifier: BSD-2-Clause
// lsblk prints one tree in several notations; each is read into these nodes, and the nodes into facts.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "probes/parsers/command.hpp"

namespace diskwright {

struct BlockNode {
    std::string name;
    std::size_t line = 0;
    std::size_t depth = 0;                                   // 0: a disk
    std::map<std::string, std::string, std::less<>> values;  // by column, upper case; empty values left out

    std::string_view value(std::string_view column) const {
        const auto at = values.find(column);
        return at == values.end() ? std::string_view{} : std::string_view(at->second);
    }
};

/// Tables, -r and their trees; "" rows are left out. Returns the lines used, 0 when `at` is no header of
/// lsblk.
std::size_t read_lsblk_table(const Output& out, std::size_t at, std::vector<BlockNode>& nodes,
                             Scribe& scribe);
bool is_lsblk_header(std::string_view line);
/// -P: NAME="sda" SIZE="..." lines.
std::size_t read_lsblk_pairs(const Output& out, std::size_t at, std::vector<BlockNode>& nodes,
                             Scribe& scribe);
bool is_lsblk_pairs(std::string_view line);
/// -J.
std::size_t read_lsblk_json(const Output& out, std::size_t at, std::vector<BlockNode>& nodes, Scribe& scribe);
bool is_lsblk_json(const Output& out, std::size_t at);

/// Disks, partitions, md, crypto and LVM layers with their components.
void write_block_nodes(const std::vector<BlockNode>& nodes, Scribe& scribe);

}  // namespace diskwright
