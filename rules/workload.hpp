// SPDX-License-Identifier: BSD-2-Clause
// The words of --for, and what each load does to a disk.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace diskwright {

struct WorkloadWord {
    std::string_view name;
    bool small_writes;   // most writes are far smaller than a stripe
    bool commits_often;  // files come and go, or fsync(2) follows each change
    bool small_files;    // many files are read, few of them large
    bool sequential;     // long runs in one direction
};

/// The general words first, in the order of the manual; then narrower ones, among them the workloads of
/// simulate.
std::span<const WorkloadWord> workload_words();
inline constexpr std::size_t general_workloads = 9;
/// Null when there is no such word.
const WorkloadWord* find_workload(std::string_view name);

}  // namespace diskwright
