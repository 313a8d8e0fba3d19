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

std::uint32_t directory(std::uint32_t index) {
    return 1 + index * made_in_each;
}

void check_out(Operations& to, std::uint32_t index) {
    const std::uint32_t self = directory(index), administrative = self + 1;
    to.push_back({Kind::make_directory, self, index == 0 ? 0 : directory((index - 1) / children), 6, 0, 0});
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

struct Update {
    std::uint32_t count, first_lock;
    Operations down, up;  // up: the other way round
};

// Children come after their parents and before the next of the same rank, as in a walk from the top.
void lock(Update& update) {
    std::vector<std::uint32_t> waiting{0};
    std::uint32_t next = update.first_lock;
    while (!waiting.empty()) {
        const std::uint32_t index = waiting.back(), self = directory(index);
        waiting.pop_back();
        update.down.push_back({Kind::create, next, self + 1, 4, 0, 0});
        update.down.push_back({Kind::close, next, 0, 0, 0, 0});
        update.down.push_back({Kind::read, self + made_in_each - 1, 0, 0, entries_bytes, entries_bytes});
        update.down.push_back({Kind::calls, 0, 0, 0, calls_of_a_visit, 0});
        update.up.push_back({Kind::unlink, next++, 0, 0, 0, 0});
        for (std::uint32_t child = children; child > 0; --child)
            if (const std::uint64_t at = std::uint64_t{index} * children + child; at < update.count)
                waiting.push_back(static_cast<std::uint32_t>(at));
    }
}

}  // namespace

Result<FileWork> subversion_work(const MachineConfiguration::Work& work) {
    const auto dirs = amount(work, "dirs", 3000, most_directories);
    if (!dirs) return dirs.error();
    const auto count = static_cast<std::uint32_t>(*dirs);
    FileWork made;
    for (std::uint32_t index = 0; index < count; ++index) check_out(made.before, index);
    Update update{count, directory(count), {}, {}};
    lock(update);
    made.measured = std::move(update.down);
    made.measured.insert(made.measured.begin(), {});
    made.measured.insert(made.measured.end(), update.up.rbegin(), update.up.rend());
    return made;
}

}  // namespace diskwright
