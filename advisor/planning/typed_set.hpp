// SPDX-License-Identifier: BSD-2-Clause
// The set that typed disks become.
#pragma once

#include <string>

#include "probes/model/host_facts.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// Adds one partition for each disk of the facts and the set of all of them. raid: LEVEL[:UNIT]. usage when
/// the system has no such set, or it takes another number of disks or another unit.
Result<bool> put_typed_set(HostFacts& facts, const std::string& raid);

}  // namespace diskwright
