// SPDX-License-Identifier: BSD-2-Clause
// A source tree as tar unpacks it: directories two deep, ten in each and twenty files in each of those.
#include "probes/support/random.hpp"
#include "tuner/simulator/file_operations.hpp"

namespace diskwright {
namespace {

// The sizes of the tree whose requests tests/data/simulator/netbsd_io_counts.json counts: nine of ten files
// small.
constexpr std::uint32_t files_in_directory = 20, directories_in_directory = 10, percent_small = 90;
constexpr std::uint32_t smallest = 200, small_up_to = 8000, largest = 40000;
constexpr std::uint64_t most_files = 1'000'000, seed = 1;

}  // namespace

Result<FileWork> tree_work(const MachineConfiguration::Work& work) {
    using Kind = FileOperation::Kind;
    const auto files = amount(work, "files", 5000, most_files);
    if (!files) return files.error();
    FileWork made;
    made.before.push_back({Kind::remount, 0, 0, 0, 0, 0});
    auto& list = made.measured;
    Random random(seed);
    std::uint32_t next = 0, upper = 0, lower = 0;
    list.push_back({Kind::make_directory, ++next, 0, 3, 0, 0});
    const std::uint32_t top = next;
    for (std::uint64_t i = 0; i < *files; ++i) {
        if (i % (files_in_directory * directories_in_directory) == 0)
            list.push_back({Kind::make_directory, upper = ++next, top, 3, 0, 0});
        if (i % files_in_directory == 0)
            list.push_back({Kind::make_directory, lower = ++next, upper, 3, 0, 0});
        const bool small = random.below(100) < percent_small;
        const std::uint64_t bytes = small ? smallest + random.below(small_up_to - smallest)
                                          : small_up_to + random.below(largest - small_up_to);
        list.push_back({Kind::create, ++next, lower, 3, 0, 0});
        list.push_back({Kind::append, next, 0, 0, bytes, static_cast<std::uint32_t>(bytes)});
        list.push_back({Kind::close, next, 0, 0, 0, 0});
    }
    return made;
}

}  // namespace diskwright
