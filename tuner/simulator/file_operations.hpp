// SPDX-License-Identifier: BSD-2-Clause
// What a program asks of a file system: the workloads of CONTRACT section 5 as lists.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "probes/support/random.hpp"
#include "probes/support/result.hpp"
#include "tuner/simulator/configuration.hpp"

namespace diskwright {

struct FileOperation {
    enum class Kind : std::uint8_t {
        make_directory,
        create,
        append,
        write,  // over what is there; what lies beyond the end is appended
        read,
        close,
        rename,  // to a name that is not there yet
        unlink,
        fsync,
        calls,  // `bytes` system calls that ask nothing of the disk: stat(2) of what is in memory, utimes(2)
        process,  // one that a shell starts
        sleep,    // `bytes` milliseconds
        remount
    };
    Kind kind = Kind::process;
    std::uint32_t object =
        0;  // of make_directory and create: the number it gets, from 1 on in order; 0 is the root
    std::uint32_t parent = 0;  // of these and of rename
    std::uint32_t name = 0;    // length
    std::uint64_t bytes = 0;   // of append, write and read: all of it, by calls of `call` bytes
    std::uint32_t call = 0;
    std::uint64_t from = 0;  // of write and read
};

/// What is done outside the measurement, and what is measured.
struct FileWork {
    std::vector<FileOperation> before, measured;
    /// Of a workload that lasts so long by the clock of the simulation: the next round, asked for again and
    /// again until that time has passed, or until there were most_rounds; nothing is in `measured` then.
    double seconds = 0;
    std::function<std::vector<FileOperation>()> round;
    static constexpr std::uint64_t most_rounds = 250'000;
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

/// `seconds`, above 0 and at most that; the default when the configuration does not say.
Result<double> duration(const MachineConfiguration::Work& work, double otherwise, double most);

Result<FileWork> directories_work(const MachineConfiguration::Work& work);  // mkdir touch rm touchrm
Result<FileWork> tree_work(const MachineConfiguration::Work& work);         // tree untar
Result<FileWork> subversion_work(const MachineConfiguration::Work& work);   // svnupdate
Result<FileWork> build_work(const MachineConfiguration::Work& work);
Result<FileWork> mail_work(const MachineConfiguration::Work& work);
Result<FileWork> database_work(const MachineConfiguration::Work& work);
Result<FileWork> sequential_work(const MachineConfiguration::Work& work);  // seqwrite seqread

/// The size of a file of a source tree: nine of ten are small.
std::uint64_t source_file_bytes(Random& random);

}  // namespace diskwright
