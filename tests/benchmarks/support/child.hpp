// SPDX-License-Identifier: BSD-2-Clause
// A program run to its end, with what it cost.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace diskwright::benchmark {

struct Run {
    double wall_s = 0, cpu_s = 0, mib = 0;
    int status = 0;  // exit status; 128 and more: the signal that ended it
};

/// argv[0] is a path; standard output goes to that file, standard error nowhere. Ends the benchmark when
/// the program can't be started.
Run run(const std::vector<std::string>& argv, const std::filesystem::path& output);

}  // namespace diskwright::benchmark
