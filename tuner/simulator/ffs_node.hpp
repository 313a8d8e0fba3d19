// SPDX-License-Identifier: BSD-2-Clause
// A file or directory of FfsModel.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/page_ranges.hpp"

namespace diskwright {

struct FfsModel::Node {
    Handle self = 0, parent = 0;
    std::uint64_t inode = 0, size = 0;
    bool directory = false, removed = false;
    std::uint64_t visited = 0;            // in which mount its inode was read last
    std::vector<std::uint64_t> blocks;    // where each block lies
    std::vector<std::uint64_t> pointers;  // where the blocks of pointers lie, those of the first level
    std::vector<std::uint64_t> upper;     // those above

    // Of a directory: the bytes free in each chunk, and the first that may have some.
    std::vector<std::uint16_t> room;
    std::size_t first_room = 0;
    // Of its entry in the parent.
    std::size_t chunk = 0;
    std::uint16_t entry_bytes = 0;

    // Of a file: from where on its data is in memory only; what of the rest was overwritten, from and up to
    // where; since when; whether it is one of those with something to write; writes under way.
    std::uint64_t dirty_from = 0;
    bool dirty = false, listed = false;
    PageRanges overwritten;
    std::uint64_t dirty_buffers = 0;
    double dirty_since_s = 0;
    std::vector<std::uint64_t> writing;
    // Up to where it was asked for, and read by the program; requests under way.
    std::uint64_t read_ahead = 0, read_up_to = 0;
    struct Reading {
        std::uint64_t from = 0, to = 0, request = 0;
    };
    std::deque<Reading> reading;

    // With soft updates: that it is in the map of inodes, the inode itself, its entry, and of a directory its
    // first block and the link of its parent; which blocks' data was not written, and what points to them.
    SoftUpdates::Change in_map = SoftUpdates::none, made = SoftUpdates::none, entry = SoftUpdates::none,
                        body = SoftUpdates::none, link = SoftUpdates::none, record = SoftUpdates::none;
    std::deque<std::pair<std::uint64_t, SoftUpdates::Change>> unwritten;  // by block
    std::vector<SoftUpdates::Change> pointing;
};

}  // namespace diskwright
