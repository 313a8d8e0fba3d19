// SPDX-License-Identifier: BSD-2-Clause
// The exit statuses of diskwright(8), in one place.
#pragma once

#include <optional>

#include "advisor/reports/report.hpp"

namespace diskwright {

/// sysexits(3) of a failure.
int exit_status(ErrorKind kind);

/// Of an audit or show over these hosts. fail_on: the least severity that counts; nothing for --fail-on
/// never. A failed input decides only when all failed (the first one's status then), or any when
/// strict_inputs is set.
int exit_status(const HostTally& tally, std::optional<Severity> fail_on, bool strict_inputs);

}  // namespace diskwright
