// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <string>
#include <vector>

#include "advisor/prediction/prediction.hpp"

namespace diskwright {

/// The file system that tunefs is to work on: of an image of it, from its superblock; of whatever else audit
/// reads (what dumpfs prints, an image with partitions), what the facts tell. Where there are several, the
/// last of the words that names one decides. Errors of load_input(); bad_data when there is no FFS.
Result<TunedFilesystem> tuned_filesystem(const std::string& input, const ToolRelease& release,
                                         const std::vector<std::string>& words);

}  // namespace diskwright
