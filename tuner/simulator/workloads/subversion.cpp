// SPDX-License-Identifier: BSD-2-Clause
// svnupdate: what `svn update` asks of a working copy of `dirs` directories when the repository has nothing
// new. Subversion up to 1.6 (apache/subversion: subversion/libsvn_wc/lock.c) makes an empty file .svn/lock in
// each directory on the way down, reads .svn/entries, and removes the locks on the way up, those of the
// children first; .svn/entries are written again only where a revision changed (svn_wc__tweak_entry of
// entries.c), and nothing is synced. Since 1.7 one database at the top stands for all of it.
#include "tuner/simulator/file_operations.hpp"

namespace diskwright {
namespace {

using Kind = FileOperation::Kind;
using Operations = std::vector<FileOperation>;

constexpr std::uint64_t most_directories = 100'000;
constexpr std::uint32_t children = 10;          // directories in each
constexpr std::uint32_t entries_bytes = 2000;   // assumed: some twenty files and directories
constexpr std::uint64_t calls_of_a_visit = 20;  // assumed: stat(2) of each of those
// init_adm of adm_files.c: text-base, prop-base, props and tmp, and in that the first three again.
constexpr std::uint32_t areas = 4, areas_of_tmp = 3, name_of_an_area = 8;
constexpr std::uint32_t made_in_each = 2 + areas + areas_of_tmp + 1;  // itself, .svn, those, the entries

std::uint32_t object_of(std::uint32_t index) {
    return 1 + index * made_in_each;
}

// The tree in the order of a walk from the top, children before the next of the same rank: a checkout makes
// it so, and an update goes the same way. At each: the index of its parent.
std::vector<std::uint32_t> walk(std::uint32_t count) {
    std::vector<std::uint32_t> parents;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> waiting{{0, 0}};  // rank by rank; parent
    while (!waiting.empty()) {
        const auto [rank, parent] = waiting.back();
        waiting.pop_back();
        const auto index = static_cast<std::uint32_t>(parents.size());
        parents.push_back(parent);
        for (std::uint64_t child = children; child > 0; --child)
            if (const std::uint64_t at = rank * children + child; at < count) waiting.emplace_back(at, index);
    }
    return parents;
}

void check_out(Operations& to, std::uint32_t self, std::uint32_t parent) {
    const std::uint32_t administrative = self + 1;
    to.push_back({Kind::make_directory, self, parent, 6, 0, 0});
    to.push_back({Kind::make_directory, administrative, self, 4, 0, 0});
    std::uint32_t next = administrative;
    for (std::uint32_t i = 0; i < areas; ++i)
        to.push_back({Kind::make_directory, ++next, administrative, name_of_an_area, 0, 0});
    const std::uint32_t tmp = next;
    for (std::uint32_t i = 0; i < areas_of_tmp; ++i)
        to.push_back({Kind::make_directory, ++next, tmp, name_of_an_area, 0, 0});
    to.push_back({Kind::create, ++next, administrative, 7, 0, 0});
    to.push_back({Kind::append, next, 0, 0, entries_bytes, entries_bytes});
    to.push_back({Kind::close, next, 0, 0, 0, 0});
}

void lock(Operations& to, std::uint32_t self, std::uint32_t file) {
    to.push_back({Kind::create, file, self + 1, 4, 0, 0});
    to.push_back({Kind::close, file, 0, 0, 0, 0});
    to.push_back({Kind::read, self + made_in_each - 1, 0, 0, entries_bytes, entries_bytes});
    to.push_back({Kind::calls, 0, 0, 0, calls_of_a_visit, 0});
}

}  // namespace

Result<FileWork> subversion_work(const MachineConfiguration::Work& work) {
    const auto dirs = amount(work, "dirs", 3000, most_directories);
    if (!dirs) return dirs.error();
    const auto count = static_cast<std::uint32_t>(*dirs);
    FileWork made;
    const std::vector<std::uint32_t> parents = walk(count);
    made.measured.push_back({});
    for (std::uint32_t index = 0; index < count; ++index) {
        check_out(made.before, object_of(index), index == 0 ? 0 : object_of(parents[index]));
        lock(made.measured, object_of(index), object_of(count) + index);
    }
    for (std::uint32_t index = count; index-- > 0;)
        made.measured.push_back({Kind::unlink, object_of(count) + index, 0, 0, 0, 0});
    return made;
}

}  // namespace diskwright
