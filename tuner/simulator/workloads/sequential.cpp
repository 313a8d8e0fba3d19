// SPDX-License-Identifier: BSD-2-Clause
// seqwrite: one new file, written 64 KiB at a time, then fsync(2); seqread: the same file read so, nothing of
// it in memory.
#include "tuner/simulator/file_operations.hpp"

namespace diskwright {

Result<FileWork> sequential_work(const MachineConfiguration::Work& work) {
    using Kind = FileOperation::Kind;
    constexpr std::uint32_t call = 65536, file = 1;
    const auto bytes = amount(work, "bytes", std::uint64_t{1} << 30, std::uint64_t{1} << 42);
    if (!bytes) return bytes.error();
    FileWork made;
    auto& writes = work.name == "seqwrite" ? made.measured : made.before;
    writes.push_back({Kind::create, file, 0, 3, 0, 0});
    writes.push_back({Kind::append, file, 0, 0, *bytes, call});
    writes.push_back({Kind::fsync, file, 0, 0, 0, 0});
    writes.push_back({Kind::close, file, 0, 0, 0, 0});
    made.before.push_back({Kind::remount, 0, 0, 0, 0, 0});
    if (work.name == "seqread") made.measured.push_back({Kind::read, file, 0, 0, *bytes, call});
    return made;
}

}  // namespace diskwright
