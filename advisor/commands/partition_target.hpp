// SPDX-License-Identifier: BSD-2-Clause
// Where a partition is to be, in the terms of its table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "advisor/commands/fix_builder.hpp"

namespace diskwright {

struct PartitionTarget {
    std::string parent;  // the device of the table
    Scheme scheme;
    std::uint64_t index;  // as the tools of that table count: gpart counts a of a disklabel as 1
    std::uint64_t sector, start, size;
    std::string type, label;
};

/// With another start the end stays where it is, so that no neighbour is touched. Nothing when the facts do
/// not show all of it, or the numbers are no whole sectors or leave nothing.
std::optional<PartitionTarget> partition_target(const FixBuilder& fix, std::string_view name,
                                                std::optional<std::uint64_t> start,
                                                std::optional<std::uint64_t> size);

/// NetBSD gpt(8)'s short name of a type as gpt show prints it; empty when it has none.
std::string gpt_alias(std::string_view type);
/// A type that sfdisk takes as it is: a hexadecimal number or a GUID.
bool safe_type_code(std::string_view type);

/// umount for what is mounted from the partition, since its table cannot be changed below it; what was
/// mounted, or null.
const Mount* unmount_partition(FixBuilder& fix, std::string_view device);

}  // namespace diskwright
