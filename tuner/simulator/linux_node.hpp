// SPDX-License-Identifier: BSD-2-Clause
// A file or directory of a Linux file system model.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tuner/simulator/page_ranges.hpp"

namespace diskwright {

struct LinuxNode {
    struct Extent {
        std::uint64_t logical = 0, place = 0, blocks = 0;
    };
    std::uint32_t self = 0, parent = 0;
    std::uint64_t inode = 0, size = 0;
    bool directory = false, top = false, removed = false;
    std::uint64_t visited = 0;  // in which mount

    std::vector<Extent> extents;          // by logical block
    std::vector<std::uint64_t> pointers;  // bytes of the blocks that hold the map, where the inode does not
    const Extent* extent_of(std::uint64_t logical) const;
    /// Joins the one before where they lie together; the number of extents that it added.
    unsigned add_extent(const Extent& extent);

    // Of a file: blocks in memory, those of them that are dirty, since when; writes under way.
    PageRanges cached, dirty;
    bool changed_since_read = true;  // then a read changes its time of access (relatime)
    double dirty_since_s = 0;
    std::vector<std::uint64_t> writing;
    std::uint64_t read_next = 0, read_ahead = 0;  // bytes: where a sequential reader goes on; asked for up to
    std::vector<std::pair<std::uint64_t, std::uint64_t>> reading;  // from which byte, the request

    // Of a directory: its blocks of entries by the hash of the first name in each.
    struct Leaf {
        std::uint32_t from_hash = 0, used = 0;
        std::uint64_t block = 0;
    };
    std::vector<Leaf> leaves;
    std::uint64_t entries = 0;
    // Of its entry in the parent; xfs has in `hash` which of the parent's `pointers` is the block it lies in.
    std::uint32_t hash = 0, entry_bytes = 0;

    // The transaction that its inode was last part of.
    std::uint64_t transaction = 0;
};

}  // namespace diskwright
