// SPDX-License-Identifier: BSD-2-Clause
// What a program asks of a file system: the workloads of CONTRACT section 5 as lists.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/configuration.hpp"

namespace diskwright {

struct FileOperation {
    enum class Kind : std::uint8_t {
        make_directory,
        create,
        append,
        read,
        close,
        unlink,
        fsync,
        process,
        remount
    };
    Kind kind = Kind::process;
    std::uint32_t object =
        0;  // of make_directory and create: the number it gets, from 1 on in order; 0 is the root
    std::uint32_t parent = 0;  // of these
    std::uint32_t name = 0;    // length
    std::uint64_t bytes = 0;   // of append and read: all of it, by calls of `call` bytes
    std::uint32_t call = 0;
};

/// What is done outside the measurement, and what is measured. process: one process that a shell starts.
struct FileWork {
    std::vector<FileOperation> before, measured;
};

using MakeWork = Result<FileWork> (*)(const MachineConfiguration::Work&);
struct WorkloadRow {
    std::string_view name;
    MakeWork make;
};

/// bad_data: an amount that is missing or too large; unavailable: not modelled, and why.
Result<FileWork> file_work(const MachineConfiguration::Work& work);

/// A whole amount from 1 to that; the default when the configuration does not say.
Result<std::uint64_t> amount(const MachineConfiguration::Work& work, const char* name,
                             std::uint64_t otherwise, std::uint64_t most);

Result<FileWork> directories_work(const MachineConfiguration::Work& work);  // mkdir touch rm touchrm
Result<FileWork> tree_work(const MachineConfiguration::Work& work);
Result<FileWork> sequential_work(const MachineConfiguration::Work& work);  // seqwrite seqread

}  // namespace diskwright
