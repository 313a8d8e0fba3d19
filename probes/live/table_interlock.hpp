// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "probes/live/device_system.hpp"
#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

/// Whether the GPT or MBR on a disk leaves a region to no partition; the kernel's partitions are another
/// question, since a table may have been rewritten without being read again. Refused too: a table that cannot
/// be read or is damaged, a GPT of which one copy is not whole, and any extended partition, whose further
/// tables lie between the partitions.
std::optional<Obstacle> region_in_table(ByteSource& disk, ByteRange region);

}  // namespace diskwright
