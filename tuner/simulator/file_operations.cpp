// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/file_operations.hpp"

#include <fmt/format.h>

#include <cmath>

namespace diskwright {
namespace {

constexpr WorkloadRow workloads[] = {
    {"mkdir", directories_work},
    {"touch", directories_work},
    {"rm", directories_work},
    {"touchrm", directories_work},
    {"svnupdate", subversion_work},
    {"tree", tree_work},
    {"untar", tree_work},
    {"build", build_work},
    {"seqwrite", sequential_work},
    {"seqread", sequential_work},
    {"mail", mail_work},
    {"database", database_work},
};

}  // namespace

Result<std::uint64_t> amount(const MachineConfiguration::Work& work, const char* name,
                             std::uint64_t otherwise, std::uint64_t most) {
    const auto given = work.amounts.find(name);
    const double value = given == work.amounts.end() ? double(otherwise) : given->second;
    if (!(value >= 1) || value > double(most) || value != std::floor(value))
        return Error{ErrorKind::bad_data,
                     fmt::format("workload.{}: {} is not a whole number from 1 to {}", name, value, most)};
    return static_cast<std::uint64_t>(value);
}

Result<double> duration(const MachineConfiguration::Work& work, double otherwise, double most) {
    const auto given = work.amounts.find("seconds");
    const double value = given == work.amounts.end() ? otherwise : given->second;
    if (!(value > 0) || value > most)
        return Error{ErrorKind::bad_data,
                     fmt::format("workload.seconds: {} is not above 0 and at most {}", value, most)};
    return value;
}

Result<FileWork> file_work(const MachineConfiguration::Work& work) {
    for (const WorkloadRow& row : workloads)
        if (row.name == work.name) return row.make(work);
    return Error{ErrorKind::unavailable,
                 fmt::format("workload {} is not simulated on a file system", work.name)};
}

}  // namespace diskwright
