// SPDX-License-Identifier: BSD-2-Clause
// The list of rules, sorted by code. To add one: a file in its family's folder, a declaration and a row here,
// tests/rules/<family>/<slug>.json.
#include <array>

#include "rules/rule.hpp"

namespace diskwright {

extern const Rule align_partition_unaligned_to_sector;  // ALIGN001
extern const Rule align_partition_unaligned_to_stripe_unit;  // ALIGN002
extern const Rule align_partition_unaligned_to_stripe;  // ALIGN003
extern const Rule align_component_data_unaligned;  // ALIGN004
extern const Rule align_partitions_overlap;  // ALIGN005
extern const Rule align_partition_beyond_device;  // ALIGN006
extern const Rule align_partition_off_flash_boundary;  // ALIGN007
extern const Rule align_sector_size_underreported;  // ALIGN008
extern const Rule ffs_optimization_space;  // FFS008

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
    &ffs_optimization_space,
};
}  // namespace

std::span<const Rule* const> rule_set() { return rules; }

}  // namespace diskwright
