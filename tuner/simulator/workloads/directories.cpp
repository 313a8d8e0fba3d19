// SPDX-License-Identifier: BSD-2-Clause
// mkdir: a directory and `dirs` in it, named by their numbers; touch: an empty file x in each; rm: each
// unlinked; touchrm: both, one after the other.
#include <fmt/format.h>

#include "tuner/simulator/file_operations.hpp"

namespace diskwright {
namespace {

using Kind = FileOperation::Kind;
using Operations = std::vector<FileOperation>;
constexpr std::uint64_t most_directories = 1'000'000;
constexpr std::uint32_t top = 1;

std::uint32_t digits(std::uint32_t number) {
    return static_cast<std::uint32_t>(fmt::formatted_size("{}", number));
}

void make_directories(Operations& to, std::uint32_t count) {
    to.push_back({Kind::make_directory, top, 0, 1, 0, 0});
    for (std::uint32_t i = 0; i < count; ++i) {
        to.push_back({});
        to.push_back({Kind::make_directory, top + 1 + i, top, digits(i), 0, 0});
    }
}

void touch(Operations& to, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        to.push_back({});
        to.push_back({Kind::create, top + 1 + count + i, top + 1 + i, 1, 0, 0});
        to.push_back({Kind::close, top + 1 + count + i, 0, 0, 0, 0});
    }
}

void remove(Operations& to, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        to.push_back({});
        to.push_back({Kind::unlink, top + 1 + count + i, 0, 0, 0, 0});
    }
}

}  // namespace

Result<FileWork> directories_work(const MachineConfiguration::Work& work) {
    const auto dirs = amount(work, "dirs", 3000, most_directories);
    if (!dirs) return dirs.error();
    const auto count = static_cast<std::uint32_t>(*dirs);
    FileWork made;
    const bool mkdir = work.name == "mkdir", touches = work.name == "touch" || work.name == "touchrm";
    make_directories(mkdir ? made.measured : made.before, count);
    if (work.name == "rm") touch(made.before, count);
    if (touches) touch(made.measured, count);
    if (work.name == "rm" || work.name == "touchrm") remove(made.measured, count);
    return made;
}

}  // namespace diskwright
