// SPDX-License-Identifier: BSD-2-Clause
// tree: a source tree as tar unpacks it: directories two deep, ten in each and twenty files in each of those.
// untar: the same out of an archive in the file system, read a record at a time and nothing of it in memory.
#include "probes/support/random.hpp"
#include "tuner/simulator/file_operations.hpp"

namespace diskwright {
namespace {

using Kind = FileOperation::Kind;

// The sizes of the tree whose requests tests/data/simulator/netbsd_io_counts.json counts: nine of ten files
// small.
constexpr std::uint32_t files_in_directory = 20, directories_in_directory = 10, percent_small = 90;
constexpr std::uint32_t smallest = 200, small_up_to = 8000, largest = 40000;
constexpr std::uint64_t most_files = 1'000'000, seed = 1;
// pax(1), ustar: a header of a block, contents in whole blocks, twenty of them to a record. Owner, mode and
// times are set of each file.
constexpr std::uint64_t tar_block = 512, tar_record = 20 * tar_block, calls_of_attributes = 3;

// What of the archive is needed next is read up to the end of its record.
class Archive {
 public:
    explicit Archive(std::uint32_t object) : object_(object) {}
    void take(std::uint64_t contents, std::vector<FileOperation>& list) {
        needed_ += tar_block + (contents + tar_block - 1) / tar_block * tar_block;
        for (; read_ < needed_; read_ += tar_record)
            list.push_back({Kind::read, object_, 0, 0, tar_record, tar_record, read_});
    }
    std::uint64_t bytes() const { return read_; }

 private:
    std::uint32_t object_;
    std::uint64_t needed_ = 0, read_ = 0;
};

}  // namespace

std::uint64_t source_file_bytes(Random& random) {
    const bool small = random.below(100) < percent_small;
    return small ? smallest + random.below(small_up_to - smallest)
                 : small_up_to + random.below(largest - small_up_to);
}

Result<FileWork> tree_work(const MachineConfiguration::Work& work) {
    const auto files = amount(work, "files", 5000, most_files);
    if (!files) return files.error();
    FileWork made;
    const bool unpacks = work.name == "untar";
    auto& list = made.measured;
    Random random(seed);
    std::uint32_t next = unpacks ? 1 : 0, upper = 0, lower = 0;
    Archive archive(next);
    const auto make_directory = [&](std::uint32_t parent) {
        if (unpacks) archive.take(0, list);
        list.push_back({Kind::make_directory, ++next, parent, 3, 0, 0});
        return next;
    };
    const std::uint32_t top = make_directory(0);
    for (std::uint64_t i = 0; i < *files; ++i) {
        if (i % (files_in_directory * directories_in_directory) == 0) upper = make_directory(top);
        if (i % files_in_directory == 0) lower = make_directory(upper);
        const std::uint64_t bytes = source_file_bytes(random);
        if (unpacks) archive.take(bytes, list);
        list.push_back({Kind::create, ++next, lower, 3, 0, 0});
        list.push_back({Kind::append, next, 0, 0, bytes, static_cast<std::uint32_t>(bytes)});
        if (unpacks) list.push_back({Kind::calls, 0, 0, 0, calls_of_attributes, 0});
        list.push_back({Kind::close, next, 0, 0, 0, 0});
    }
    if (unpacks) {
        made.before = {{Kind::create, 1, 0, 8, 0, 0}, {Kind::append, 1, 0, 0, archive.bytes(), 65536}};
    }
    made.before.push_back({Kind::remount, 0, 0, 0, 0, 0});
    return made;
}

}  // namespace diskwright
