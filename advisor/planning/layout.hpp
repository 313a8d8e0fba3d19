// SPDX-License-Identifier: BSD-2-Clause
// Where the file system begins on its volume, and its block and fragment: the arithmetic of StorageGraph
// applied to something new.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "advisor/planning/release_facts.hpp"
#include "advisor/planning/workload.hpp"
#include "probes/model/storage_graph.hpp"

namespace diskwright {

/// How a block lies on the set.
enum class BlockMatch {
    plain,        // no stripe: nothing to match
    one_disk,     // inside one stripe unit, so one data disk
    full_stripe,  // one or several whole stripes, so no parity has to be read
    none,         // no block that newfs takes fits this unit
};

struct Layout {
    std::optional<std::uint64_t> unit, full_stripe;
    std::uint64_t data_disks = 1;
    std::uint64_t logical = 512, physical = 4096;  // sectors
    bool physical_known = false, flash = false;

    std::uint64_t bsize = 0, fsize = 0;
    BlockMatch match = BlockMatch::plain;
    // Components that hold data of one block, at most; nothing when the mapping is not known.
    std::optional<std::uint64_t> block_components = 1;

    std::uint64_t alignment = 0;   // the start is a multiple of it
    std::string alignment_of;      // "full stripe", "stripe unit", ...
    std::uint64_t must_align = 0;  // what an existing start has to be a multiple of to be kept

    std::uint64_t room = 0;   // bytes that the table needs in front
    std::uint64_t start = 0;  // on the volume or disk
    std::uint64_t size = 0;   // of the partition; 0: all that is left, since the volume's size is unknown
    std::optional<std::uint64_t> density;  // bytes per inode to ask for
    std::optional<std::uint64_t> inodes;   // about how many there will be
};

/// What decides beside the graph.
struct LayoutInput {
    const StorageGraph& graph;
    std::string base;  // volume or disk
    const Volume* volume = nullptr;
    const ReleaseFacts& release;
    const WorkloadProfile& workload;
    std::optional<std::uint64_t> wanted_size;
    std::optional<std::uint64_t> measured_bsize, measured_fsize;
};

/// Unit, sectors, block, fragment and alignment; nothing of the partition yet.
Layout block_layout(const LayoutInput& in);
/// Start and size of a new partition. bad_data when nothing useful is left.
Result<bool> place_partition(const LayoutInput& in, Scheme scheme, Layout& layout);
/// Density and the number of inodes, once the size is known.
void place_inodes(const LayoutInput& in, Layout& layout);
/// The most components that a block touches, by StorageGraph's mapping of the blocks from the start on;
/// nothing when it knows none.
std::optional<std::uint64_t> components_per_block(const Volume& volume, std::uint64_t start,
                                                  std::uint64_t bsize);

/// The logical sector of what lies below, 512 where it is not known or none that a disk has.
std::uint64_t logical_sector(const StorageGraph& graph, std::string_view device);

/// The smallest multiple of `of` that is not below `at_least`.
std::uint64_t round_up(std::uint64_t at_least, std::uint64_t of);

}  // namespace diskwright
