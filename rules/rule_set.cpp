// SPDX-License-Identifier: BSD-2-Clause
// The list of rules, sorted by code. To add one: a file in its family's folder, a declaration and a row here,
// tests/rules/<family>/<slug>.json.
#include <array>

#include "rules/rule.hpp"

namespace diskwright {

extern const Rule align_partition_unaligned_to_sector;          // ALIGN001
extern const Rule align_partition_unaligned_to_stripe_unit;     // ALIGN002
extern const Rule align_partition_unaligned_to_stripe;          // ALIGN003
extern const Rule align_component_data_unaligned;               // ALIGN004
extern const Rule align_partitions_overlap;                     // ALIGN005
extern const Rule align_partition_beyond_device;                // ALIGN006
extern const Rule align_partition_off_flash_boundary;           // ALIGN007
extern const Rule align_sector_size_underreported;              // ALIGN008
extern const Rule cache_volatile_cache_unflushed;               // CACHE001
extern const Rule cache_flush_cost_high;                        // CACHE002
extern const Rule cache_write_cache_off;                        // CACHE003
extern const Rule cache_battery_failed;                         // CACHE004
extern const Rule disk_crypto_sector_below_physical;            // CRYPT001
extern const Rule disk_legacy_driver_mode;                      // DISK001
extern const Rule disk_mbr_size_limit;                          // DISK002
extern const Rule disk_label_size_overflow;                     // DISK003
extern const Rule disk_stale_metadata;                          // DISK004
extern const Rule disk_medium_errors;                           // DISK005
extern const Rule disk_partition_type_wrong;                    // DISK006
extern const Rule disk_smr_in_parity_set;                       // DISK007
extern const Rule ffs_fragment_below_sector;                    // FFS001
extern const Rule ffs_block_stripe_mismatch;                    // FFS002
extern const Rule ffs_block_straddles_stripe_unit;              // FFS003
extern const Rule ffs_data_disks_not_power_of_two;              // FFS004
extern const Rule ffs_fragment_ratio_unusual;                   // FFS005
extern const Rule ffs_block_small_for_volume;                   // FFS006
extern const Rule ffs_minfree_low;                              // FFS007
extern const Rule ffs_optimization_space;                       // FFS008
extern const Rule ffs_ffs1_too_large;                           // FFS009
extern const Rule ffs_inode_shortage;                           // FFS010
extern const Rule ffs_cylinder_groups_on_one_disk;              // FFS011
extern const Rule ffs_file_system_exceeds_partition;            // FFS012
extern const Rule ffs_inode_excess;                             // FFS013
extern const Rule ffs_file_system_nearly_full;                  // FFS014
extern const Rule host_sources_disagree;                        // HOST001
extern const Rule host_space_unused;                            // HOST002
extern const Rule host_input_damaged;                           // HOST003
extern const Rule host_swap_oversized;                          // HOST004
extern const Rule io_saturated_by_small_writes;                 // IO001
extern const Rule io_delayed_write_backlog;                     // IO002
extern const Rule io_component_slower_than_peers;               // IO003
extern const Rule io_read_modify_write_seen;                    // IO004
extern const Rule io_throughput_below_components;               // IO005
extern const Rule io_delay_above_members;                       // IO006
extern const Rule io_measurement_unreliable;                    // IO007
extern const Rule io_sequential_requests_unmerged;              // IO008
extern const Rule io_same_command_differs;                      // IO009
extern const Rule journal_no_crash_consistency;                 // JRNL001
extern const Rule journal_wapbl_on_parity;                      // JRNL002
extern const Rule journal_log_size_out_of_range;                // JRNL003
extern const Rule journal_softdep_unsupported;                  // JRNL004
extern const Rule journal_su_journal_restriction;               // JRNL005
extern const Rule journal_log_with_large_blocks_small_buffers;  // JRNL006
extern const Rule mount_async_mount;                            // MOUNT001
extern const Rule mount_sync_mount;                             // MOUNT002
extern const Rule mount_atime_updates;                          // MOUNT003
extern const Rule mount_trim_off;                               // MOUNT004
extern const Rule mount_fstab_differs;                          // MOUNT005
extern const Rule mount_fsck_pass_wrong;                        // MOUNT006
extern const Rule raid_array_degraded;                          // RAID001
extern const Rule raid_parity_not_clean;                        // RAID002
extern const Rule raid_parity_map_off;                          // RAID003
extern const Rule raid_no_spare;                                // RAID004
extern const Rule raid_autoconfig_off;                          // RAID005
extern const Rule raid_components_on_one_disk;                  // RAID006
extern const Rule raid_component_sizes_differ;                  // RAID007
extern const Rule raid_stripe_unit_too_small;                   // RAID008
extern const Rule raid_parity_small_writes;                     // RAID009
extern const Rule raid_chunk_filesystem_mismatch;               // RAID010
extern const Rule raid_rebuild_in_progress;                     // RAID011
extern const Rule raid_stripe_exceeds_request_limit;            // RAID012
extern const Rule raid_sector_sizes_mixed;                      // RAID013
extern const Rule raid_spare_idle;                              // RAID014
extern const Rule raid_members_out_of_step;                     // RAID015
extern const Rule raid_set_too_wide;                            // RAID016
extern const Rule raid_layered_set_limits;                      // RAID017
extern const Rule raid_volume_grown_filesystem_not;             // RAID018
extern const Rule raid_reshape_unfinished;                      // RAID019
extern const Rule raid_mirror_balance_poor;                     // RAID020
extern const Rule raid_parity_set_too_small;                    // RAID021
extern const Rule raid_swap_on_parity;                          // RAID022
extern const Rule disk_ashift_below_sector;                     // ZFS001

namespace {
constexpr std::array rules{
    &align_partition_unaligned_to_sector,
    &align_partition_unaligned_to_stripe_unit,
    &align_partition_unaligned_to_stripe,
    &align_component_data_unaligned,
    &align_partitions_overlap,
    &align_partition_beyond_device,
    &align_partition_off_flash_boundary,
    &align_sector_size_underreported,
    &cache_volatile_cache_unflushed,
    &cache_flush_cost_high,
    &cache_write_cache_off,
    &cache_battery_failed,
    &disk_crypto_sector_below_physical,
    &disk_legacy_driver_mode,
    &disk_mbr_size_limit,
    &disk_label_size_overflow,
    &disk_stale_metadata,
    &disk_medium_errors,
    &disk_partition_type_wrong,
    &disk_smr_in_parity_set,
    &ffs_fragment_below_sector,
    &ffs_block_stripe_mismatch,
    &ffs_block_straddles_stripe_unit,
    &ffs_data_disks_not_power_of_two,
    &ffs_fragment_ratio_unusual,
    &ffs_block_small_for_volume,
    &ffs_minfree_low,
    &ffs_optimization_space,
    &ffs_ffs1_too_large,
    &ffs_inode_shortage,
    &ffs_cylinder_groups_on_one_disk,
    &ffs_file_system_exceeds_partition,
    &ffs_inode_excess,
    &ffs_file_system_nearly_full,
    &host_sources_disagree,
    &host_space_unused,
    &host_input_damaged,
    &host_swap_oversized,
    &io_saturated_by_small_writes,
    &io_delayed_write_backlog,
    &io_component_slower_than_peers,
    &io_read_modify_write_seen,
    &io_throughput_below_components,
    &io_delay_above_members,
    &io_measurement_unreliable,
    &io_sequential_requests_unmerged,
    &io_same_command_differs,
    &journal_no_crash_consistency,
    &journal_wapbl_on_parity,
    &journal_log_size_out_of_range,
    &journal_softdep_unsupported,
    &journal_su_journal_restriction,
    &journal_log_with_large_blocks_small_buffers,
    &mount_async_mount,
    &mount_sync_mount,
    &mount_atime_updates,
    &mount_trim_off,
    &mount_fstab_differs,
    &mount_fsck_pass_wrong,
    &raid_array_degraded,
    &raid_parity_not_clean,
    &raid_parity_map_off,
    &raid_no_spare,
    &raid_autoconfig_off,
    &raid_components_on_one_disk,
    &raid_component_sizes_differ,
    &raid_stripe_unit_too_small,
    &raid_parity_small_writes,
    &raid_chunk_filesystem_mismatch,
    &raid_rebuild_in_progress,
    &raid_stripe_exceeds_request_limit,
    &raid_sector_sizes_mixed,
    &raid_spare_idle,
    &raid_members_out_of_step,
    &raid_set_too_wide,
    &raid_layered_set_limits,
    &raid_volume_grown_filesystem_not,
    &raid_reshape_unfinished,
    &raid_mirror_balance_poor,
    &raid_parity_set_too_small,
    &raid_swap_on_parity,
    &disk_ashift_below_sector,
};
}  // namespace

std::span<const Rule* const> rule_set() {
    return rules;
}

}  // namespace diskwright
