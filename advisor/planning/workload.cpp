// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/planning/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

std::span<const WorkloadProfile> workload_profiles() {
    static constexpr std::array list{
        WorkloadProfile{.word = "general",
                        .bsize = 0,
                        .small_random = false,
                        .bytes_per_inode = 0,
                        .files = "",
                        .noatime = false,
                        .atime_note = "",
                        .many_small_files = false,
                        .snapshots = false},
        WorkloadProfile{.word = "fileserver",
                        .bsize = 0,
                        .small_random = false,
                        .bytes_per_inode = 0,
                        .files = "",
                        .noatime = true,
                        .atime_note = "",
                        .many_small_files = false,
                        .snapshots = true},
        WorkloadProfile{.word = "mail",
                        .bsize = 16 * KiB,
                        .small_random = true,
                        .bytes_per_inode = 8 * KiB,
                        .files = "mail is one small file a message",
                        .noatime = true,
                        .atime_note = "readers of mbox files (mutt, biff) tell new mail by the access time: "
                                      "leave noatime out where they are used",
                        .many_small_files = true,
                        .snapshots = false},
        WorkloadProfile{.word = "source-control",
                        .bsize = 16 * KiB,
                        .small_random = true,
                        .bytes_per_inode = 8 * KiB,
                        .files = "working copies and loose objects are many small files",
                        .noatime = true,
                        .atime_note = "",
                        .many_small_files = true,
                        .snapshots = false},
        WorkloadProfile{.word = "build",
                        .bsize = 16 * KiB,
                        .small_random = true,
                        .bytes_per_inode = 8 * KiB,
                        .files = "source and object trees are many small files",
                        .noatime = true,
                        .atime_note = "",
                        .many_small_files = true,
                        .snapshots = false},
        WorkloadProfile{.word = "database",
                        .bsize = 16 * KiB,
                        .small_random = true,
                        .bytes_per_inode = 64 * KiB,
                        .files = "a database is few large files",
                        .noatime = true,
                        .atime_note = "",
                        .many_small_files = false,
                        .snapshots = false},
        WorkloadProfile{.word = "media",
                        .bsize = 64 * KiB,
                        .small_random = false,
                        .bytes_per_inode = 256 * KiB,
                        .files = "media files are of megabytes",
                        .noatime = true,
                        .atime_note = "",
                        .many_small_files = false,
                        .snapshots = false},
        WorkloadProfile{.word = "backup",
                        .bsize = 64 * KiB,
                        .small_random = false,
                        .bytes_per_inode = 64 * KiB,
                        .files = "backup sets are mostly large files",
                        .noatime = true,
                        .atime_note = "",
                        .many_small_files = false,
                        .snapshots = true},
        WorkloadProfile{.word = "vm",
                        .bsize = 32 * KiB,
                        .small_random = true,
                        .bytes_per_inode = 256 * KiB,
                        .files = "images of virtual machines are few large files",
                        .noatime = true,
                        .atime_note = "",
                        .many_small_files = false,
                        .snapshots = false},
    };
    return list;
}

Result<const WorkloadProfile*> workload_profile(std::string_view word) {
    std::vector<std::string_view> known;
    for (const WorkloadProfile& profile : workload_profiles()) {
        if (profile.word == word || (word.empty() && profile.word == "general")) return &profile;
        known.push_back(profile.word);
    }
    const auto near = nearest(word, known);
    return Error{ErrorKind::usage, fmt::format("--for {}: no such workload; {}", escaped(word),
                                               near ? fmt::format("did you mean '{}'?", *near)
                                                    : fmt::format("one of {}", fmt::join(known, ", ")))};
}

}  // namespace diskwright
