// SPDX-License-Identifier: BSD-2-Clause
// Every number that decides whether a rule fires, in one table.
#pragma once

#include <cstdint>

#include "probes/support/text.hpp"

namespace diskwright {

struct Thresholds {
    std::uint64_t flash_boundary_bytes = 64 * KiB;        // ALIGN007 where no erase block was measured
    std::uint64_t ffs_block_16k_above_bytes = 128 * GiB;  // FFS006
    std::uint64_t ffs_block_32k_above_bytes = 2 * TiB;
    std::uint64_t ffs1_without_journal_above_bytes = 1 * TiB;  // FFS009
    double inode_use_high_percent = 90;                        // FFS010
    double inode_population_factor = 1.3;
    double groups_on_one_disk_share = 0.75;  // FFS011
    std::uint64_t groups_at_least = 8;
    std::uint64_t small_filesystem_bytes =
        4 * GiB;                            // FFS001 (the conditional one), FFS011: silent up to here
    double inode_tables_share_percent = 5;  // FFS013
    std::uint64_t inode_excess_above_bytes = 16 * GiB;
    double inode_use_low_percent = 10;
    double nearly_full_percent = 95;                   // FFS014
    std::uint64_t parity_map_above_bytes = 100 * GiB;  // RAID003, of a member
    double unused_share_percent = 1;                   // RAID007, RAID018
    std::uint64_t unused_above_bytes = 1 * GiB;
    double small_write_rate = 10;  // RAID009, writes/s
    double small_write_stripe_share = 0.25;
    double split_request_ratio = 1.5;            // RAID008, component requests for one of the set's
    std::uint64_t raidframe_counter_step = 2;    // RAID015, of one raidctl call
    std::uint64_t single_parity_components = 9;  // RAID016
    std::uint64_t double_parity_components = 18;
    std::uint64_t gmirror_slice_bytes = 131072;           // RAID020
    std::uint64_t unjournalled_above_bytes = 4 * GiB;     // JRNL001
    double frequent_commits_per_s = 10;                   // JRNL002
    double log_small_share = 0.25, log_large_factor = 4;  // JRNL003
    double buffer_cache_logs = 32;                        // JRNL006
    std::uint64_t buffer_cache_bytes = 1 * GiB;
    double flush_slow_s = 0.004, flushes_per_s = 20;                            // CACHE002
    std::uint64_t samples_at_least = 3;                                         // IO001, IO002
    double busy_percent = 90, small_write_bytes = 16 * KiB, write_share = 0.8;  // IO001
    double backlog_queue = 32, backlog_ms = 500;                                // IO002
    double slow_factor = 2, slow_by_ms = 2, slow_rate = 10;                     // IO003
    std::uint64_t slow_samples = 5;
    double write_only_share = 0.05, member_reads_share = 0.25;  // IO004: reads that are noise; that are not
    double throughput_share = 0.5;                              // IO005
    double delay_ms = 50, delay_factor = 5, members_busy_percent = 50;  // IO006
    double interval_s = 2;                                              // IO007
    double unmerged_factor = 8, unmerged_rate = 200;  // IO008: below what could be carried; requests/s
    double same_command_seconds = 1, same_command_operations = 1000;  // IO009: below, a factor says nothing
    double same_command_time_factor = 2, same_command_io_factor = 5;  // IO009
    double atime_busy_percent = 50;                                   // MOUNT003
    double space_unused_share = 0.5, adjoining_space_unused_share = 0.2;  // HOST002
    std::uint64_t space_unused_above_bytes = 1 * GiB;
    double size_disagreement_percent = 5;       // HOST001; tools that round differ by less
    double label_beyond_device_percent = 1;     // HOST001
    std::uint64_t swap_above_bytes = 16 * GiB;  // HOST004
    double swap_ram_factor = 2, swap_disk_share = 0.1;
};

}  // namespace diskwright
