// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/file_system_model.hpp"

namespace diskwright {
namespace {

struct FileSystemRow {
    std::string_view type;
    MakeFileSystem make;
};

constexpr FileSystemRow file_systems[] = {
    {"ffs1", make_ffs},  {"ffs2", make_ffs},  {"ext2", make_ext4},
    {"ext3", make_ext4}, {"ext4", make_ext4}, {"xfs", make_xfs},
};

}  // namespace

MakeFileSystem file_system_maker(std::string_view type) {
    for (const FileSystemRow& row : file_systems)
        if (row.type == type) return row.make;
    return nullptr;
}

}  // namespace diskwright
