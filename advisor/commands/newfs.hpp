// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "advisor/commands/fix_builder.hpp"

namespace diskwright {

/// What a new FFS is told, wholly or in part.
inline constexpr std::initializer_list<Setting> told_to_newfs{
    Setting::ffs_format,  Setting::ffs_bsize,       Setting::ffs_fsize,
    Setting::ffs_density, Setting::ffs_minfree,     Setting::ffs_optimization,
    Setting::ffs_trim,    Setting::ffs_softupdates, Setting::ffs_su_journal};

/// Completes `newfs` for the subject of the job: what the changes ask for, and whatever the present file
/// system has that newfs would not choose by itself. False, with a note why, when newfs would refuse it.
bool newfs_command(FixBuilder& fix, const Job& job, Command& newfs);

}  // namespace diskwright
