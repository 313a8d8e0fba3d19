// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "advisor/commands/fix_builder.hpp"

namespace diskwright {

/// Completes `newfs` for the subject of the job: what the changes ask for, and whatever the present file
/// system has that newfs would not choose by itself. False, with a note why, when newfs would refuse it.
bool newfs_command(FixBuilder& fix, const Job& job, Command& newfs);

}  // namespace diskwright
