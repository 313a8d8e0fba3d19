// SPDX-License-Identifier: BSD-2-Clause
// What a workload word means for a file system.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "probes/support/result.hpp"

namespace diskwright {

struct WorkloadProfile {
    std::string_view word;
    std::uint64_t bsize;            // that suits it; 0: by size
    bool small_random;              // one request should keep one disk busy, not all
    std::uint64_t bytes_per_inode;  // 0: newfs's own
    std::string_view files;         // why that density
    bool noatime;
    std::string_view atime_note;  // a caveat of noatime; may be empty
    bool many_small_files;        // metadata is most of the work
    bool snapshots;               // dump -L and the like are part of the job
};

std::span<const WorkloadProfile> workload_profiles();
/// "" is general. An unknown word is a usage error that suggests the nearest.
Result<const WorkloadProfile*> workload_profile(std::string_view word);

}  // namespace diskwright
